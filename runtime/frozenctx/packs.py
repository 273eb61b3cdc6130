"""The packs of an output directory: which there are, and one more."""

import os

from .errors import Damaged, LoadError, PackMissing
from .format import DIGEST, MARKER, PACKS, TEMPORARY, interpreter, pack_line, pack_name
from .objects import Objects
from .pack import Directory
from .packing import damage, packed, writer
from .switch import Lock, write_anywhere, write_durably
from .verify import check_pack
from .words import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import CodeType

    from .protocols import Source


def packs(source: "Source", hexdigits: str) -> "list[str]":
    """For which interpreters there is a pack of the release, sorted."""
    start, end = f"{hexdigits}.", ".pack"
    names = source.names(PACKS) or ()
    return [name[len(start) : -len(end)] for name in names if name.startswith(start) and name.endswith(end)]


def no_pack(source: "Source", hexdigits: str, wanted: "str | None") -> PackMissing:
    """The error when there is no pack for an interpreter (`cpython-311`, or with its magic number)."""
    present = packs(source, hexdigits)
    return PackMissing(
        f"`{source.where}` has no pack of release {DIGEST}{hexdigits} for {wanted}; it has "
        + (f"packs for {listed(present)}" if present else "none at all")
        + "; `python -m frozenctx pack` makes one for the interpreter that runs it"
    )


def require_packs(source: "Source", hexdigits: str, tags: "Iterable[str]") -> None:
    """Raise PackMissing unless there is a pack for each of the interpreters."""
    present = packs(source, hexdigits)
    for tag in tags:
        if not any(name == tag or name.rpartition("-")[0] == tag for name in present):
            raise no_pack(source, hexdigits, tag)


def check_packs(source: "Source", objects: Objects) -> "list[str]":
    """Check all packs of a release and say what was checked. Raises Damaged. Only its own interpreter can compare a
    pack with what the objects compile to; of the others it is checked that they are not damaged."""
    said = []
    for name in packs(source, objects.hex):
        pack = source.file(pack_name(objects.hex, name))
        if pack is None:
            raise LoadError(f"the pack for {name} in `{source.where}` cannot be read")
        if name == interpreter():
            check_pack(pack, objects)
            said.append(f"pack for {name}")
            continue
        data = pack.read(0, pack.size)
        reason = damage(data)
        if reason is None and not data.startswith(pack_line(objects.hex, name)):
            reason = "it is another pack than its name says"
        if reason is not None:
            raise Damaged(f"the pack `{pack.where}` is damaged: {reason}")
        said.append(f"pack for {name} undamaged, its code not compared")
    return said


def write_pack(
    root: str, hexdigits: str, file: "str | None" = None, codes: "Mapping[str, CodeType] | None" = None
) -> "tuple[str, bool, tuple[str, ...]]":
    """Make the pack of a release for the running interpreter, in the output directory or as `file`.

    `codes`: of programs that have been compiled already, as `packed` takes them.
    One that is there, undamaged, and made by the same versions of Python and frozenctx stays. Returns where it lies,
    whether it was written, and the files of the templates that it holds as text because their code cannot be
    marshalled (known only when it was written).
    """
    source = Directory(root)
    name = pack_name(hexdigits, interpreter() or "")
    present = source.read(name) or b""
    mine = present.startswith(pack_line(hexdigits, interpreter() or "")) and writer().encode() in present[:4096]
    if file is None and mine and damage(present) is None:
        return f"{root}/{name}", False, ()
    made = packed(Objects(source, hexdigits), codes)
    if file is not None:
        write_anywhere(file, made.data)
        return file, True, made.as_text
    with Lock(root, MARKER, exclusive=False):
        for directory in (PACKS, TEMPORARY):
            os.makedirs(f"{root}/{directory}", exist_ok=True)
        write_durably(root, name, made.data)
    return f"{root}/{name}", True, made.as_text
