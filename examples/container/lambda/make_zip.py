"""Make the zip file of a function out of an output that was built with `--vendor-runtime`.

    python make_zip.py OUT ZIP

The same files give the same bytes: names are sorted, times are fixed. Standard library only.
"""

import os
import sys
import zipfile


def main(out: str, target: str) -> None:
    here = os.path.dirname(os.path.abspath(__file__))
    files = {"handler.py": f"{here}/handler.py"}
    for folder, inside in (("profiles", "prompts/profiles"), ("objects", "prompts/objects"), ("packs", "prompts/packs"),
                           ("runtime/frozenctx", "frozenctx")):  # fmt: skip
        for directory, _, names in os.walk(f"{out}/{folder}"):
            below = directory[len(f"{out}/{folder}") :]
            files.update({f"{inside}{below}/{name}": f"{directory}/{name}" for name in names})
    if not any(name.startswith("frozenctx/") for name in files):
        sys.exit(f"error: {out} has no runtime in it; build it with --vendor-runtime")
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16  # readable by whichever user runs the function
            # A pack is read in pieces: stored, it need not be unpacked by a program that loads from the zip file.
            entry.compress_type = zipfile.ZIP_STORED if name.endswith(".pack") else zipfile.ZIP_DEFLATED
            with open(files[name], "rb") as file:
                archive.writestr(entry, file.read())


if __name__ == "__main__":
    main(*sys.argv[1:])
