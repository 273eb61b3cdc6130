"""What an `eval.yaml` says, as one typed value: checked plain data in, an EvalConfig out (CTX-FORMAT §8).

The invariant: a config holds no expression and no null; what is left out has its default, and what a profile leaves
out is as it stands above.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..check_document import all_of
from ..settings import coerce
from ..spelling import did_you_mean
from .error import EvalError

THRESHOLD = 0.5
CONCURRENCY = 5


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model to evaluate, as the file writes it: `provider/model`, or a bare name."""

    id: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DatasetSpec:
    """A file of examples: its path, joined to the directory of `eval.yaml`, which is absolute. `format`: as the file
    says, else the suffix without its dot. Whether the file exists was not looked at."""

    file: str
    format: str
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class EvalConfig:
    """What `eval.yaml` says. `file`: its absolute path, None when there is none. `profile`: the one that was selected.

    `threshold`: the score from which an example passes. `concurrency`: how many are evaluated at once. `profiles`: name
    → what is different under it; `with_profile` applies one.
    """

    file: str | None = None
    models: tuple[ModelSpec, ...] = ()
    datasets: tuple[DatasetSpec, ...] = ()
    threshold: float = THRESHOLD
    concurrency: int = CONCURRENCY
    scoring: Mapping[str, Any] = field(default_factory=dict)
    agent: Mapping[str, Any] = field(default_factory=dict)
    profiles: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    profile: str | None = None

    def with_profile(self, name: str) -> "EvalConfig":
        """The config under a profile: a key that the profile gives stands in the place of the same key above it, as a
        whole. Raises EvalError, naming a near one, when there is no such profile."""
        if name not in self.profiles:
            has = f"it has {all_of(list(self.profiles))}" if self.profiles else "it has none"
            note = did_you_mean(name, self.profiles, has)
            where = os.path.dirname(self.file) if self.file is not None else "eval.yaml"
            raise EvalError(f"there is no profile `{name}`", where, self.file, note=note)
        return replace(self, **_values(self.profiles[name], self.file), profile=name)


def config_of(data: Mapping[str, Any], file: str) -> EvalConfig:
    """The config of checked data (`documents.EVAL`). `file`: the absolute path of the `eval.yaml`."""
    profiles = {
        name: {key: value for key, value in (under or {}).items() if value is not None}
        for name, under in (data.get("profiles") or {}).items()
    }
    return EvalConfig(file, **_values(data, file), profiles=profiles)


def _values(data: Mapping[str, Any], file: str | None) -> dict[str, Any]:
    """The fields that are given; null means: not given."""
    made: dict[str, Any] = {}
    for key, value in data.items():
        if value is None:
            continue
        match key:
            case "models":
                made[key] = tuple(_model(each) for each in value)
            case "datasets":
                made[key] = tuple(_dataset(each, os.path.dirname(file or "")) for each in value)
            case "threshold":
                made[key] = float(coerce("number", value))  # type: ignore[arg-type]
            case "concurrency":
                made[key] = coerce("integer", value)
            case "scoring" | "agent":
                made[key] = value
    return made


def _model(given: Any) -> ModelSpec:
    return ModelSpec(given) if isinstance(given, str) else ModelSpec(given["id"], _tags(given))


def _dataset(given: Any, directory: str) -> DatasetSpec:
    record = {"file": given} if isinstance(given, str) else given
    file = os.path.join(directory, record["file"])
    return DatasetSpec(file, record.get("format") or os.path.splitext(file)[1].removeprefix("."), _tags(record))


def _tags(record: Mapping[str, Any]) -> tuple[str, ...]:
    tags = record.get("tags")
    return () if tags is None else (tags,) if isinstance(tags, str) else tuple(tags)
