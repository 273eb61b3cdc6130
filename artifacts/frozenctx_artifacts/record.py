"""The record of a build: what was read to make a release. Never needed to render; FORMAT.md describes it."""

from typing import Literal

from msgspec import UNSET, UnsetType

from .objects import Stored


class FileRead(Stored, frozen=True, kw_only=True):
    """`sha256` of the normalised text (UTF-8, no BOM, LF), or of the bytes when `form` is "raw". `leads_to`: the path
    that links lead to, when there are any on the way."""

    path: str
    sha256: str
    form: Literal["text", "raw"]
    leads_to: str | UnsetType = UNSET


class DirectoryListed(Stored, frozen=True, kw_only=True):
    """`names`: each name with what it is, None for a link to nothing or to where it may not lead."""

    path: str
    names: dict[str, str | None]


class PathProbed(Stored, frozen=True, kw_only=True):
    """`found`: what was there, None for nothing."""

    path: str
    found: str | None


class EnvNames(Stored, frozen=True, kw_only=True):
    """Names only: no value and no hash of a value. `defaulted`: name → the default, as the source writes it."""

    found: list[str]
    defaulted: dict[str, str]
    missing: list[str]


class PackageBuilt(Stored, frozen=True, kw_only=True):
    """`variables`: what the templates want to be given, inferred from them, sorted; for information."""

    key: str
    version: str
    file: str
    env: EnvNames
    variables: list[str]


class Finding(Stored, frozen=True, kw_only=True):
    """A diagnostic without its words, which may quote values of the environment."""

    code: str
    level: str
    file: str | UnsetType = UNSET
    line: int | UnsetType = UNSET
    column: int | UnsetType = UNSET
    packages: list[str]


class Record(Stored, frozen=True, kw_only=True):
    """All paths are relative to the root, or begin with a mount. `source`: the path that the build was given.
    `environment`: each name that was read and given → what gave it: `--env`, `--env-from-process`, `env=`,
    `frozenctx.toml`, or a file, of which one outside of the root is named without its directory.
    `left_out`: where builds write. `mounts`: the place of each as frozenctx.toml writes it, None for an absolute one.
    """

    format: int
    release: str
    compiler: str
    dependencies: dict[str, str]
    packages: list[PackageBuilt]
    environment: dict[str, str]
    source: str
    links: Literal["inside", "follow"]
    left_out: list[str]
    mounts: dict[str, str | None]
    files: list[FileRead]
    listings: list[DirectoryListed]
    probes: list[PathProbed]
    findings: list[Finding]
