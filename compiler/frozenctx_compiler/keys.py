"""The words in which tables of keys are written: what a key of a document is called, what it takes, what it means.

A table says once what a document may hold. The checks read it, `frozenctx schema` prints it as JSON Schema
(`schema.py`), and docs/settings.md is made from it. The tables: `settings.py`, and `documents.py` for all others.
"""

from dataclasses import dataclass, field
from typing import Literal

from .package import Layout

Kind = Literal[
    "string", "integer", "number", "boolean", "choice", "list", "mapping", "record", "table", "schema", "either"
]
Rule = Literal[
    "any", "not empty", "filled", "path", "filled path", "name", "model", "skill name", "identifier", "mount name",
    "profile name", "fingerprint",
]
Identity = Literal["always", "set", "positive", "true", "not local", "any", "never", "elsewhere"]

LARGEST = 2**63 - 1  # integers of the stored artifacts
ALL: tuple[Layout, ...] = ("minimal", "rich", "single")


@dataclass(frozen=True, slots=True)
class Type:
    """What a value may be. `kind` says which of the other fields count.

    A *mapping* is any plain data below names; a *record* has the keys it lists; a *table* has names of the author's
    choice, and values of one type.
    """

    kind: Kind
    rule: Rule = "any"  # of a string, or of a table's names
    choices: tuple[str, ...] = ()
    folded: bool = False  # a choice is trimmed and lower-cased first
    worded: bool = False  # numbers and booleans: their words count too, as every value of the environment is a string
    least: int | None = None
    most: int | None = None
    of: "tuple[Type, ...]" = ()  # items of a list, values of a table, alternatives of an either
    distinct: bool = False  # no item of a list stands twice
    keys: "tuple[Key, ...]" = ()
    open: bool = False  # a record that keeps keys it does not know, unchecked


@dataclass(frozen=True, slots=True)
class Key:
    """One key. `meaning` is one clause, without a full stop. What follows `default` is of settings alone."""

    name: str
    type: Type
    meaning: str
    default: str = ""  # in words; empty: nothing, or said by `meaning`
    required: bool = False
    null: bool = True  # null means: not given
    twin: str | None = None  # the camelCase spelling, where there is one
    identity: Identity = "set"  # when it counts ("elsewhere": through what it names)
    layouts: tuple[Layout, ...] = ALL
    instead: str = ""  # what to do in the other layouts
    later: bool = False  # known, and not supported by this version

    @property
    def spellings(self) -> tuple[str, ...]:
        return (self.name,) if self.twin is None else (self.name, self.twin)


@dataclass(frozen=True, slots=True)
class Document:
    """One kind of file: what `frozenctx schema KIND` describes."""

    kind: str
    title: str
    meaning: str
    files: tuple[str, ...]  # patterns, for editors; () where no file consists of it alone
    body: Type
    expressions: bool = False  # whether values may be expressions of Yglu
    ignored: bool = False  # whether keys `x-…` are ignored
    nulls: bool = True  # whether the format has a null, which then means: not given
    either: tuple[tuple[str, str], ...] = ()  # pairs of keys of which one may be given
    notes: tuple[str, ...] = field(default=())  # what the check refuses besides, which no table says


STRING = Type("string")
FILLED = Type("string", "filled")
BOOLEAN = Type("boolean", worded=True)
NUMBER = Type("number", worded=True)
MAPPING = Type("mapping")


def choice(*choices: str, folded: bool = False) -> Type:
    return Type("choice", choices=choices, folded=folded)


def integer(least: int, *, worded: bool) -> Type:
    return Type("integer", least=least, most=LARGEST, worded=worded)


def list_of(*items: Type, distinct: bool = False) -> Type:
    return Type("list", of=items, distinct=distinct)


def record(*keys: Key, open: bool = False) -> Type:
    return Type("record", keys=keys, open=open)


def table(value: Type, names: Rule = "any") -> Type:
    return Type("table", names, of=(value,))


def either(*types: Type) -> Type:
    return Type("either", of=types)
