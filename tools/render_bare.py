"""The last step of `make build`: render one prompt from the artifacts the way a container would.

    python render_bare.py SRC OUT [ENV_FILE]

The variables are a sample's, from the sources; everything else happens in a second interpreter started with `-I -S`,
which can import nothing but the standard library and the runtime folder.
"""

import json
import subprocess
import sys
from pathlib import Path

import frozenctx
from frozenctx_compiler.api import check

RUNTIME = str(Path(frozenctx.__file__).parent.parent)

BARE = """
import json, sys
runtime, out, key = sys.argv[1:]
sys.path.insert(0, runtime)
import frozenctx
prompt = frozenctx.load(out)[key]
variables = json.load(sys.stdin)
for message in prompt.messages(variables):
    print("---", message["role"], "---")
    print(message["content"])
"""


def main(src: str, out: str, *env_files: str) -> int:
    packages = [package.lowered.checked for package in check(src, env_files=env_files).packages]
    package = next((package for package in packages if package.samples), None)
    if package is None:
        print(f"rendered nothing: no package in {src} has a sample to take variables from")
        return 0
    key = package.read.files.key
    sample = max(package.samples, key=lambda sample: len(json.dumps(sample.variables)))
    command = [sys.executable, "-I", "-S", "-c", BARE, RUNTIME, out, key]
    print(f"rendering {key} with its sample `{sample.name}`, from {out} alone, by python -I -S:", flush=True)
    return subprocess.run(command, input=json.dumps(sample.variables), text=True, encoding="utf-8").returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
