"""The names and numbers that the writer and the reader of artifacts share. FORMAT.md explains each of them. Those that
a first rendering needs stand where it finds them."""

from .pack import (
    DIGEST,
    FEATURES,
    FORMAT,
    LIMITS,
    PACK_FORMAT,
    PACK_KEY,
    PACK_WORD,
    PACKS,
    PROFILE_WORD,
    PROFILES,
    hex_of,
    interpreter,
    is_profile_name,
    pack_line,
    pack_name,
    profile_line,
)

VERSION = "0.1.0"  # of this runtime; the distribution has the same
SKILLS = "skills 0.1.0"  # in `needs`: a prompt has skills, whose names stand before its system text

MARKER = "frozenctx.txt"  # makes a directory ours; builds, prune and rollback hold their lock on it
OBJECTS, RELEASES, RECORDS, TEMPORARY = "objects", "releases", "records", "tmp"
RAW = ".bin"  # the suffix of objects that are the bytes of a file
RUNTIME = "runtime"  # the folder for `sys.path` that `--vendor-runtime` makes
TEMPLATE_WORD, TEMPLATE_FORMAT = "frozenctx-template", 1  # how the first line of a single template begins
HOST_KINDS = ("filter", "test", "global", "renderer")  # of `hostNames`: `filter:money`


def object_name(hexdigits: str, suffix: str) -> str:
    """Where an object lies below the output directory. `suffix`: `.json`, `.py` for a program, RAW for a resource."""
    return f"{OBJECTS}/{hexdigits[:2]}/{hexdigits[2:]}{suffix}"


__all__ = [
    "DIGEST", "FEATURES", "FORMAT", "HOST_KINDS", "LIMITS", "MARKER", "OBJECTS", "PACKS", "PACK_FORMAT",
    "PACK_KEY", "PACK_WORD", "PROFILES", "PROFILE_WORD", "RAW", "RECORDS", "RELEASES", "RUNTIME", "SKILLS",
    "TEMPLATE_FORMAT", "TEMPLATE_WORD", "TEMPORARY", "VERSION", "hex_of", "interpreter", "is_profile_name",
    "object_name", "pack_line", "pack_name", "profile_line",
]  # fmt: skip
