"""Put the interpreter that runs this into a directory that can be the root of an image by itself.

    python assemble.py ROOT

Below ROOT, where they are now: the executable, the shared libraries that it and its extension modules are linked with,
and the standard library without what no service imports. `/usr/bin/python3` leads to the executable.
Standard library only; Linux, with `ldd` (glibc and musl have it).
"""

import os
import shutil
import subprocess
import sys
import sysconfig

NOT_SERVED = ("ensurepip", "idlelib", "lib2to3", "pydoc_data", "site-packages", "test", "tkinter", "turtledemo")


def main(root: str) -> None:
    executable = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    library = sysconfig.get_path("stdlib", vars={"installed_base": sys.base_prefix, "base": sys.base_prefix})
    shutil.copytree(library, root + library, symlinks=True, ignore=unneeded)
    linked = [executable]
    for directory, _, files in os.walk(root + library):
        linked += [os.path.join(directory, file) for file in files if file.endswith(".so")]
    for path in [executable, *sorted(libraries(linked))]:
        os.makedirs(os.path.dirname(root + path), exist_ok=True)
        shutil.copy2(path, root + path)  # the file itself, where a link to it may have been
    os.makedirs(f"{root}/usr/bin", exist_ok=True)
    if not os.path.lexists(f"{root}/usr/bin/python3"):
        os.symlink(executable, f"{root}/usr/bin/python3")


def unneeded(directory: str, names: list[str]) -> set[str]:
    extensions = {name for name in names if name.startswith(("_tkinter.", "_test", "_ctypes_test", "xx"))}
    return extensions.union(name for name in names if name in NOT_SERVED or name.startswith("config-"))


def libraries(paths: list[str]) -> set[str]:
    """The absolute paths of all shared libraries that these files are linked with, the dynamic loader included."""
    listed = subprocess.run(["ldd", *paths], capture_output=True, text=True).stdout
    words = [line.partition("=>")[2].split() or line.split() for line in listed.splitlines()]
    return {line[0] for line in words if line and line[0].startswith("/") and not line[0].endswith(":")}


if __name__ == "__main__":
    main(sys.argv[1])
