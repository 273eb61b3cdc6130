"""The console script `frozenctx`, and `python -m frozenctx_compiler`.

Imports nothing on its own, so that an installation without the `[compiler]` extra gets two lines and not a traceback.
"""

import sys

# What the extra `[compiler]` installs, by import name → what pip calls it.
DEPENDENCIES = {
    "click": "click",
    "jinja2": "jinja2",
    "markupsafe": "markupsafe",
    "msgspec": "msgspec",
    "yaml": "pyyaml",
    "yglu": "yglu",
    "yaql": "yaql",
}


def main() -> int:
    """Run the command line on sys.argv. Returns the exit code: 0 fine, 1 findings, 2 usage, 70 a bug of ours."""
    try:
        from .cli import run

        return run(sys.argv[1:])
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in DEPENDENCIES:
            raise
        print(f"frozenctx: the compiler needs {DEPENDENCIES[missing]}, which is not installed here", file=sys.stderr)
        print(
            "  = help: pip install 'frozenctx[compiler]' (rendering needs nothing of it: python -m frozenctx)",
            file=sys.stderr,
        )
        return 2


if __name__ == "__main__":
    sys.exit(main())
