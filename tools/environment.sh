#!/bin/sh
# environment.sh DIRECTORY EXTRAS: a virtual environment at DIRECTORY with this checkout installed, editable, with
# EXTRAS. Made anew when pyproject.toml, the interpreter or the place of the checkout changed since; else nothing
# happens. PYTHON names the interpreter; without it the first one of pythons.sh is taken. Talks on stderr.
set -eu
cd "$(dirname "$0")/.."
directory=$1 extras=$2

python=${PYTHON:-$(sh tools/pythons.sh | sed -n 1p)}
if [ -z "$python" ]; then
    echo "error: no Python 3.11 or newer with the venv module was found on the PATH or under pyenv" >&2
    echo "  help: install one, or name it: make build PYTHON=/path/to/python3.12" >&2
    exit 2
fi
version=$("$python" -I -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])') || {
    echo "error: PYTHON=$python does not run" >&2
    exit 2
}
if ! "$python" -I -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "error: PYTHON=$python is Python $version; frozenctx needs 3.11 or newer" >&2
    exit 2
fi

# An activated environment may be the one that is about to be made anew: stand on the interpreter that it was made from.
python=$("$python" -I -c 'import os, sys; print(os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable))')

stamp="$python $version $extras $(pwd) $(cksum < pyproject.toml)"
if [ -f "$directory/stamp" ] && [ "$(cat "$directory/stamp")" = "$stamp" ]; then
    exit 0
fi
echo "making $directory (Python $version, $extras)" >&2
rm -rf "$directory"
"$python" -m venv "$directory" >&2
"$directory/bin/python" -m pip install --quiet --disable-pip-version-check --editable ".[$extras]" >&2
echo "$stamp" > "$directory/stamp"
