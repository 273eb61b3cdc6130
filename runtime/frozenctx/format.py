"""The names and numbers that the writer and the reader of artifacts share. FORMAT.md explains each of them."""

import sys
from _frozen_importlib_external import MAGIC_NUMBER  # loaded in every interpreter; importlib.util has it from there

VERSION = "0.1.0"  # of this runtime; the distribution has the same

FORMAT = 1  # the number in release objects and profile lines
LIMITS = "limits 0.1.0"  # in `needs`: the programs count what they do, which this version was the first to support
SKILLS = "skills 0.1.0"  # in `needs`: a prompt has skills, whose names stand before its system text
FEATURES = frozenset(["limits", "skills"])  # names that a release's `needs` may list and this runtime understands

DIGEST = "sha256:"
PROFILE_WORD = "frozenctx"  # first word of a profile line
MARKER = "frozenctx.txt"  # makes a directory ours; builds, prune and rollback hold their lock on it
OBJECTS, PROFILES, RELEASES, RECORDS, TEMPORARY = "objects", "profiles", "releases", "records", "tmp"
PACKS = "packs"
RAW = ".bin"  # the suffix of objects that are the bytes of a file
RUNTIME = "runtime"  # the folder for `sys.path` that `--vendor-runtime` makes
PACK_WORD, PACK_FORMAT = "frozenctx-pack", 1  # how the first line of a pack begins
TEMPLATE_WORD, TEMPLATE_FORMAT = "frozenctx-template", 1  # how the first line of a single template begins
PACK_KEY = 0x66726F7A  # what the check sums in packs are keyed with

LOAD_SKILL = "__load_skill__"  # the tool that models load skills with
HOST_KINDS = ("filter", "test", "global", "renderer")  # of `hostNames`: `filter:money`

_HEX = frozenset("0123456789abcdef")
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")


def hex_of(digest: object) -> "str | None":
    """Return the 64 hex digits of `sha256:<hex>`, or None if it is anything else."""
    if type(digest) is str and len(digest) == 71 and digest.startswith(DIGEST) and _HEX.issuperset(digest[7:]):
        return digest[7:]
    return None


def is_profile_name(name: object) -> bool:
    """Whether `name` can be a profile: 1 to 100 of `A-Z a-z 0-9 . _ -`, the first a letter or a digit."""
    return type(name) is str and 0 < len(name) <= 100 and name[0].isalnum() and _NAME.issuperset(name)


def object_name(hexdigits: str, suffix: str) -> str:
    """Where an object lies below the output directory. `suffix`: `.json`, `.py` for a program, RAW for a resource."""
    return f"{OBJECTS}/{hexdigits[:2]}/{hexdigits[2:]}{suffix}"


def profile_line(hexdigits: str) -> str:
    return f"{PROFILE_WORD} {FORMAT} {DIGEST}{hexdigits}\n"


def interpreter() -> "str | None":
    """Return `cpython-311-a70d0d0a`: cache tag and full magic number, which say whose bytecode an interpreter runs.
    None for one that keeps no bytecode."""
    tag = sys.implementation.cache_tag
    return f"{tag}-{MAGIC_NUMBER.hex()}" if tag else None


def pack_name(hexdigits: str, interpreter: str) -> str:
    """Where the pack of a release for an interpreter lies below the output directory."""
    return f"{PACKS}/{hexdigits}.{interpreter}.pack"


def pack_line(hexdigits: str, interpreter: str) -> bytes:
    """How a pack begins."""
    return f"{PACK_WORD} {PACK_FORMAT} {interpreter} {DIGEST}{hexdigits}\n".encode()
