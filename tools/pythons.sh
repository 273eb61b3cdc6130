#!/bin/sh
# Prints the path of every usable interpreter, one a supported version: the `python3` of the PATH first when it is
# supported, then newest first. Usable: it runs, and it can make a virtual environment. Looked for on the PATH and
# among pyenv's versions (a pyenv shim that is not switched on does not run, and so does not count).
# The supported versions are the classifiers of pyproject.toml.
cd "$(dirname "$0")/.." || exit 1

probe='import sys, ensurepip, venv
print("%d.%d" % sys.version_info[:2], sys.executable)'

versions=$(sed -n 's/.*"Programming Language :: Python :: \(3\.[0-9]*\)".*/\1/p' pyproject.toml | sort -t. -k2 -rn)
candidates="python3"
for version in $versions; do
    candidates="$candidates python$version"
done
if command -v pyenv >/dev/null 2>&1; then
    for executable in "$(pyenv root)"/versions/*/bin/python3; do
        [ -x "$executable" ] && candidates="$candidates $executable"
    done
fi

seen=" "
for candidate in $candidates; do
    found=$("$candidate" -I -c "$probe" 2>/dev/null) || continue
    version=${found%% *}
    case " $(echo $versions) " in *" $version "*) ;; *) continue ;; esac
    case "$seen" in *" $version "*) continue ;; esac
    seen="$seen$version "
    echo "${found#* }"
done
