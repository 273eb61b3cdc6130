"""What the names of a stub stand for: its classes, its aliases, what it imports, and the names of the language.

In: a StubFile. Out: `Names`, which answers what a name or a dotted name means, and where a node stands. Nothing is
imported: a name of another file means nothing here. Names of `typing` and the like may be used without their import, as
no stub is ever executed.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..diagnostics import Span
from ..package import StubFile
from .types import Anything, ArrayKind, Scalar, ScalarKind, Type
from .work import Work

_ABC_ARRAYS = ("Sequence", "MutableSequence", "Iterable", "Collection")
_ABC_SETS = ("MutableSet",)
_ABC_TABLES = ("Mapping", "MutableMapping")

_SCALARS: dict[str, ScalarKind] = {
    "str": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "typing.Text": "str",
    "typing.LiteralString": "str",
    "types.NoneType": "none",
    "datetime.datetime": "datetime",
    "datetime.date": "date",
    "datetime.time": "time",
    "uuid.UUID": "uuid",
}
# Full name → the type that it stands for without parameters.
PLAIN: dict[str, Type] = {
    **{name: Scalar(kind) for name, kind in _SCALARS.items()},
    "object": Anything(),
    "typing.Any": Anything(),
}
# Full name → the kind of array; of it, `tuple` has as many parameters as items.
ARRAYS: dict[str, ArrayKind] = {
    "list": "list",
    "set": "set",
    "frozenset": "set",
    "tuple": "tuple",
    "collections.deque": "list",
    "typing.List": "list",
    "typing.Deque": "list",
    "typing.Set": "set",
    "typing.FrozenSet": "set",
    "typing.AbstractSet": "set",
    "typing.Tuple": "tuple",
    "collections.abc.Set": "set",
    **{f"{module}.{name}": "list" for module in ("typing", "collections.abc") for name in _ABC_ARRAYS},
    **{f"{module}.{name}": "set" for module in ("typing", "collections.abc") for name in _ABC_SETS},
}
TABLES = frozenset(
    [
        "dict",
        "collections.OrderedDict",
        "collections.defaultdict",
        "typing.Dict",
        "typing.OrderedDict",
        "typing.DefaultDict",
        *(f"{module}.{name}" for module in ("typing", "collections.abc") for name in _ABC_TABLES),
    ]
)
FORMS = frozenset(
    f"typing.{name}"
    for name in ("Annotated", "Literal", "NewType", "NotRequired", "Optional", "ReadOnly", "Required", "TypeAlias")
    + ("TypedDict", "Union", "NamedTuple", "Protocol", "Generic", "TypeVar")
)
ENUMS = frozenset(f"enum.{name}" for name in ("Enum", "StrEnum", "IntEnum"))
AUTO = "enum.auto"
# Full name → what to write instead.
NO_JSON = {
    "bytes": "`str`, with how it is encoded in its description",
    "bytearray": "`str`, with how it is encoded in its description",
    "complex": "two fields of type `float`",
    "decimal.Decimal": "`str` or `float`",
    "datetime.timedelta": "`float`, with the unit in its description",
    "typing.Callable": "a field that holds data",
    "collections.abc.Callable": "a field that holds data",
    "pathlib.Path": "`str`",
    "typing.ClassVar": "the type alone, for a field",
    "typing.Final": "the type alone, for a field",
    "typing.Type": "a `Literal` of the names",
    "type": "a `Literal` of the names",
    "typing.NamedTuple": "`tuple[…]`, or a class without it",
    "typing.TypedDict": "the name of a class, or `dict[str, …]`",
}
# What `from … import *` brings no declarations of.
MODULES = frozenset(
    ["typing", "typing_extensions", "builtins", "types", "enum", "datetime", "uuid", "collections", "collections.abc"]
    + ["dataclasses", "decimal", "pathlib", "pydantic", "msgspec"]
)
_LONGEST = 40  # characters of source in a message
LOCAL = "here:"  # what the full name of something of the stub itself begins with
_KNOWN = sorted({*PLAIN, *ARRAYS, *TABLES, *FORMS, *ENUMS, *NO_JSON, AUTO})
# The last part of a full name → the full name, for what a stub uses without an import. `Set` is that of typing.
_SHORT = {
    name.rpartition(".")[2]: name for name in sorted(_KNOWN, key=lambda name: (name.startswith("typing."), name))
} | {name: name for name in _KNOWN if "." not in name}


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one stub. Of a name that is bound twice, the last; `declarations_of` reports it."""

    file: str
    lines: tuple[str, ...]
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    values: dict[str, ast.expr] = field(default_factory=dict)  # what `X = …` and `X: TypeAlias = …` bind
    imports: dict[str, str] = field(default_factory=dict)  # local name → full name
    work: Work = field(default_factory=Work)
    kinds: dict[str, str | None] = field(default_factory=dict)  # of classes, once asked for: `enum_kind`
    enums: dict[str, tuple[Any, ...]] = field(default_factory=dict)  # their values, once asked for: `enum_values`
    members: dict[str, dict[str, Any]] = field(default_factory=dict)  # of Enums, once asked for: `constants.py`

    def full_name(self, node: ast.expr) -> str | None:
        """The full name that a name or dotted name stands for: `typing.List`; that of a class or alias of the stub
        is its own, after LOCAL. None for what is no name, or stands for nothing known."""
        if isinstance(node, ast.Name):
            if node.id in self.classes or node.id in self.values:
                return LOCAL + node.id
            if node.id in self.imports:
                return _canonical(self.imports[node.id])
            return _SHORT.get(node.id)
        if isinstance(node, ast.Attribute):
            dotted = dotted_name(node)
            if dotted is None:
                return None
            first, _, rest = dotted.partition(".")
            if first in self.classes or first in self.values:
                return LOCAL + dotted
            return _canonical(f"{self.imports.get(first, first)}.{rest}")
        return None

    def known(self) -> Iterator[str]:
        """Every name that a type may be written with here, for suggestions."""
        yield from (*self.classes, *self.values, *self.imports, *_SHORT)

    def span(self, node: ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias) -> Span:
        """Where a node stands; of one that goes over several lines, the first."""
        line = self.lines[node.lineno - 1]
        column = column_of(line, node.col_offset)
        if node.end_lineno == node.lineno and node.end_col_offset is not None:
            return Span.at(self.file, node.lineno, column, column_of(line, node.end_col_offset) - column)
        return Span.at(self.file, node.lineno, column, len(line) + 1 - column)

    def written(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        """The source of a node as messages show it: its first line, cut when it is long."""
        span = self.span(node)
        return shortened(self.lines[span.line - 1][span.column - 1 : span.end_column - 1].strip())

    def name_span(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> Span:
        """Where the name of a class or function stands, after its keyword."""
        line = self.lines[node.lineno - 1]
        start = column_of(line, node.col_offset) - 1
        keyword = "class" if isinstance(node, ast.ClassDef) else "def"
        found = line.find(node.name, line.find(keyword, start) + len(keyword))
        return Span.at(self.file, node.lineno, (start if found < 0 else found) + 1, len(node.name))


def names_of(stub: StubFile) -> Names:
    """Collect what the top level of a stub binds. Nothing is reported here."""
    names = Names(stub.file, tuple(stub.text.split("\n")))
    for statement in stub.tree.body:
        if isinstance(statement, ast.ClassDef):
            names.classes[statement.name] = statement
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    names.values[target.id] = statement.value
        elif isinstance(statement, ast.AnnAssign):
            if isinstance(statement.target, ast.Name) and statement.value is not None:
                names.values[statement.target.id] = statement.value
        else:
            for each in imports_in(statement):
                _import(each, names.imports)
    return names


def imports_in(statement: ast.stmt) -> list[ast.Import | ast.ImportFrom]:
    """The imports of a statement: itself, or what `if TYPE_CHECKING:` and `try:` hold, if they hold nothing else."""
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return [statement]
    parts: list[ast.stmt] = []
    if isinstance(statement, ast.If):
        parts = [*statement.body, *statement.orelse]
    elif isinstance(statement, ast.Try):
        handled = [each for handler in statement.handlers for each in handler.body]
        parts = [*statement.body, *handled, *statement.orelse, *statement.finalbody]
    inner = [imports_in(part) for part in parts if not isinstance(part, ast.Pass)]
    return [each for found in inner for each in found] if all(inner) else []


def dotted_name(node: ast.expr) -> str | None:
    """`a.b.c` as text; None for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else None


def shortened(text: str) -> str:
    """Source as messages show it."""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def column_of(line: str, offset: int) -> int:
    """The column, in characters from 1, of an offset in UTF-8 bytes as `ast` counts."""
    return offset + 1 if line.isascii() else len(line.encode()[:offset].decode(errors="replace")) + 1


def bound_by(alias: ast.alias) -> str:
    """The name that an import binds: `a` in `import a.b`, `c` in `import a.b as c` and `from a import c`."""
    return alias.asname or alias.name.partition(".")[0]


def _import(statement: ast.Import | ast.ImportFrom, imports: dict[str, str]) -> None:
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            if alias.asname:
                imports[alias.asname] = alias.name
            else:
                imports[alias.name.partition(".")[0]] = alias.name.partition(".")[0]
        else:
            module = "." * statement.level + (statement.module or "")
            if alias.name != "*":
                imports[alias.asname or alias.name] = f"{module}.{alias.name}"


def _canonical(name: str) -> str:
    """The one spelling that the tables above use."""
    if name.startswith("typing_extensions."):
        name = "typing." + name.partition(".")[2]
    elif name.startswith("builtins."):
        name = name.partition(".")[2]
    return name
