"""`python -m frozenctx`: looks at artifacts, and rolls back. See `commands`."""

from .commands import main

if __name__ == "__main__":
    raise SystemExit(main())
