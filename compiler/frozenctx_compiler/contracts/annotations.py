"""From an annotation to the type that it means (CTX-FORMAT §6).

In: an expression of a stub and the stub's names. Out: a Type, or None after a finding that names the place in the words
of `where` and shows the column. Nothing is dropped: what a type cannot say in JSON is a finding.
"""

import ast
from collections.abc import Sequence

from ..diagnostics import Related, Scope
from ..python_text import parse_expression
from ..spelling import did_you_mean
from .constants import NOT_CONSTANT, bounded, constant_of, enum_kind, enum_values, text_fault
from .docstrings import clean, docstring
from .names import ARRAYS, ENUMS, FORMS, LOCAL, MODULES, NO_JSON, PLAIN, TABLES, Names, dotted_name, shortened
from .types import Anything, Array, Choice, Described, Either, Named, Row, Scalar, Table, Type
from .work import MOST_GUESSES, MOST_LEVELS

_NONE = Scalar("none")
_TEXTS = ("str", "datetime", "date", "time", "uuid")
_QUALIFIERS = {"typing.Required": True, "typing.NotRequired": False, "typing.ReadOnly": None}


def type_of(annotation: ast.expr, names: Names, where: str, scope: Scope) -> Type | None:
    """The type of an annotation. `where` says in messages whose it is: "`Output.total`"."""
    with bounded(annotation, names, where, scope):
        return _Reading(names, where, scope).type(annotation)
    return None


def field_type_of(annotation: ast.expr, names: Names, where: str, scope: Scope) -> tuple[Type | None, bool | None]:
    """The type of a field, and what `Required` and `NotRequired` around it say: None when there is neither."""
    with bounded(annotation, names, where, scope):
        return _Reading(names, where, scope).field(annotation)
    return None, None


def is_optional(type: Type) -> bool:
    """Whether None is one of the members of a union, on any level of it."""
    if isinstance(type, Described):
        return is_optional(type.type)
    if isinstance(type, Either):
        return any(member == _NONE or is_optional(member) for member in type.members)
    return False


class _Reading:
    """One annotation being read."""

    def __init__(self, names: Names, where: str, scope: Scope) -> None:
        self.names = names
        self.where = where
        self.scope = scope
        self.levels = 0
        self.aliases: list[str] = []  # the aliases that are being followed
        self.too_deep = False

    def fault(self, code: str, headline: str, node: ast.expr, *, help: str, related: Sequence[Related] = ()) -> None:
        self.scope.add(code, f"{self.where} {headline}", self.names.span(node), related=related, help=help)

    # -- fields -----------------------------------------------------------------------------------------------------

    def field(self, node: ast.expr) -> tuple[Type | None, bool | None]:
        """Take qualifiers off, which may stand in and around `Annotated`, and read the rest."""
        node = self.unquoted(node) or node
        if isinstance(node, ast.Subscript):
            full = self.names.full_name(node.value)
            if full in _QUALIFIERS:
                type, inner = self.field(node.slice)
                said = _QUALIFIERS[full]
                if said is not None and inner is not None:
                    help = "keep one of `Required` and `NotRequired`"
                    self.fault("bad-type", "says twice whether it is required", node, help=help)
                    return None, None
                return type, inner if said is None else said
            if full == "typing.Annotated" and isinstance(node.slice, ast.Tuple) and node.slice.elts:
                type, required = self.field(node.slice.elts[0])
                return type and self.described(type, node.slice.elts[1:], node), required
        return self.type(node), None

    # -- types ------------------------------------------------------------------------------------------------------

    def type(self, node: ast.expr) -> Type | None:
        self.names.work.step()
        self.levels += 1
        try:
            if self.levels <= MOST_LEVELS:
                return self.of(node)
            if not self.too_deep:
                help = "give a part of it a class of its own, or write a long union as `Union[…]`"
                self.fault("bad-type", f"has a type of more than {MOST_LEVELS} levels", node, help=help)
            self.too_deep = True
            return None
        finally:
            self.levels -= 1

    def of(self, node: ast.expr) -> Type | None:
        if isinstance(node, ast.Constant):
            if node.value is None:
                return _NONE
            if isinstance(node.value, str):
                quoted = self.unquoted(node)
                return None if quoted is None else self.type(quoted)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self.union(node.left, node.right)
        elif isinstance(node, ast.Name | ast.Attribute):
            return self.named(node)
        elif isinstance(node, ast.Subscript):
            return self.parametrised(node)
        self.fault("bad-type", "has an annotation that is no type", node, help="write a type: `str`, `list[int]`")
        return None

    def named(self, node: ast.Name | ast.Attribute) -> Type | None:
        """A name alone."""
        full = self.names.full_name(node)
        if full is None:
            self.unknown(node)
            return None
        if full.startswith(LOCAL):
            return self.local(full.removeprefix(LOCAL), node)
        if full in PLAIN:
            return PLAIN[full]
        if full in ARRAYS:
            return Array(ARRAYS[full], Anything())
        if full in TABLES:
            return Table(Anything(), Anything())
        written = dotted_name(node)
        if full in NO_JSON:
            self.fault("bad-type", f"is of type `{written}`, which is not JSON", node, help=f"write {NO_JSON[full]}")
        elif full in ENUMS:
            self.fault("bad-type", f"is of type `{written}`", node, help="write the name of a class made from it")
        elif full in FORMS:
            self.fault("bad-type", f"needs the parameters of `{written}`", node, help=f"write `{written}[…]`")
        else:
            self.unknown(node)
        return None

    def local(self, name: str, node: ast.expr) -> Type | None:
        """A class or an alias of the stub."""
        if name in self.names.classes:
            return self.of_class(self.names.classes[name])
        first, dot, rest = name.partition(".")
        if dot and first in self.names.classes:
            help = f"write the class `{rest.rpartition('.')[2]}` at the top of the file"
            self.fault("unknown-type", f"is of type `{name}`, a name inside a class", node, help=help)
            return None
        if dot:
            self.unknown(node)
            return None
        value = self.names.values[name]
        if name in self.aliases:
            help = "write a class for what contains itself"
            self.fault("bad-type", f"is of type `{name}`, an alias that means itself", node, help=help)
            return None
        if isinstance(value, ast.Call):
            called = self.names.full_name(value.func)
            if called == "typing.TypedDict":
                return Named(name)
            if called == "typing.NewType" and len(value.args) == 2:
                value = value.args[1]
        if isinstance(value, ast.Call) or (isinstance(value, ast.Constant) and not isinstance(value.value, str | None)):
            place = [Related(self.names.span(value), "what it is")]
            help = "write a class, or an alias of a type"
            self.fault("bad-type", f"is of type `{name}`, which is no type", node, help=help, related=place)
            return None
        self.aliases.append(name)
        try:
            return self.type(value)
        finally:
            self.aliases.pop()

    def of_class(self, node: ast.ClassDef) -> Type | None:
        if enum_kind(node, self.names) is None:
            return Named(node.name)
        values = enum_values(node, self.names, self.scope)
        if not values:
            return None
        words = docstring(node.body)
        description = clean(str(words.value)) if words else ""
        return Choice(values, node.name, description or None)

    def unknown(self, node: ast.expr) -> None:
        written = shortened(dotted_name(node) or "…")
        first = written.partition(".")[0]
        module = self.names.imports.get(written)
        if module is not None and ("." not in module or module in MODULES):
            types = [name.rpartition(".")[2] for name in PLAIN if name.rpartition(".")[0] == module]
            help = "declare the type in this file: nothing is imported"
            if module in MODULES:
                likely = next((name for name in (module, "Any", *types) if name in types), "…")
                help = f"write the type: `{written}.{likely}`"
            self.fault("bad-type", f"is of type `{written}`, which is a module", node, help=help)
            return
        if first in self.names.imports and self.names.imports[first] not in ("typing", "datetime", "uuid", "enum"):
            help = f"declare `{written.rpartition('.')[2]}` in this file: nothing is imported"
            self.fault("unknown-type", f"is of type `{written}`, which another file declares", node, help=help)
            return
        self.names.work.guesses += 1  # each looks at every name
        known = dict.fromkeys(self.names.known()) if self.names.work.guesses <= MOST_GUESSES else ()
        help = did_you_mean(written, known, f"declare `{written}` in this file")
        self.fault("unknown-type", f"is of type `{written}`, which is nowhere declared", node, help=help)

    def parametrised(self, node: ast.Subscript) -> Type | None:
        """`X[…]`."""
        full = self.names.full_name(node.value)
        given = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        written = dotted_name(node.value)
        if written is None:
            written = self.names.written(node.value)
            headline = f"gives parameters to `{written}`, which takes none"
            self.fault("bad-type", headline, node, help="write a type with one list of parameters")
            return None
        if full is None:
            return self.type(node.value)
        if not given and full in ("typing.Annotated", "typing.Union"):
            self.fault("bad-type", f"gives nothing to `{written}`", node, help=f"write `{written}[…]`")
            return None
        if full == "typing.Literal":
            return self.literal(given, node)
        if full == "typing.Annotated":
            type = self.type(given[0])
            return type and self.described(type, given[1:], node)
        if full == "typing.Optional":
            member = self.type(given[0]) if self.count(given, 1, node) else None
            return member and _or_none(member)
        if full == "typing.Union":
            return self.type(given[0]) if len(given) == 1 else self.either(given)
        if full in _QUALIFIERS:
            headline, help = f"has `{written}` inside another type", "write it around the whole annotation of a field"
            if self.levels == 1:  # of a parameter: a field takes it off before
                headline, help = f"has `{written}`, which only a field may have", "give what may be left out a default"
            self.fault("bad-type", headline, node, help=help)
            return None
        if full in ARRAYS and ARRAYS[full] == "tuple":
            return self.tuple(given, node)
        if full in ARRAYS:
            item = self.type(given[0]) if self.count(given, 1, node) else None
            return item and Array(ARRAYS[full], item)
        if full in TABLES:
            return self.table(given, node) if self.count(given, 2, node) else None
        if full in PLAIN or full.startswith(LOCAL):
            headline = f"gives parameters to `{written}`, which takes none"
            self.fault("bad-type", headline, node, help=f"write `{written}`")
            return None
        if full in FORMS:
            help = "write the type that is meant"
            self.fault("bad-type", f"has `{self.names.written(node)}`, which is no type of data", node, help=help)
            return None
        return self.type(node.value)

    def count(self, given: Sequence[ast.expr], expected: int, node: ast.Subscript) -> bool:
        if len(given) != expected:
            written = dotted_name(node.value)
            parameters = f"{expected} parameter{'' if expected == 1 else 's'}"
            headline = f"gives `{written}` {len(given)} instead of {parameters}"
            self.fault("bad-type", headline, node, help=f"write `{written}[{', '.join(['…'] * expected)}]`")
        return len(given) == expected

    def union(self, left: ast.expr, right: ast.expr) -> Type | None:
        """`X | Y`. None stands last, wherever it is written: so Julep writes it, and the order reaches the model."""
        if _is_none(right) or _is_none(left):
            member = self.type(left if _is_none(right) else right)
            return member and _or_none(member)
        return self.either([left, right])

    def either(self, nodes: Sequence[ast.expr]) -> Type | None:
        members = [self.type(each) for each in nodes]
        return None if None in members else Either(tuple(each for each in members if each is not None))

    def tuple(self, given: Sequence[ast.expr], node: ast.Subscript) -> Type | None:
        """`tuple[X, ...]` and `tuple[X]` are arrays of X, others have as many items as types."""
        if len(given) == 2 and isinstance(given[1], ast.Constant) and given[1].value is ...:
            given = given[:1]
        items = [self.type(each) for each in given]
        known = tuple(each for each in items if each is not None)
        if len(known) != len(items):
            return None
        return Array("tuple", known[0]) if len(known) == 1 else Row(known)

    def table(self, given: Sequence[ast.expr], node: ast.Subscript) -> Type | None:
        key, value = self.type(given[0]), self.type(given[1])
        if key is None or value is None:
            return None
        if not _is_key(key):
            help = "write `str`, a `Literal` of strings or an Enum of strings for the keys"
            self.fault("bad-type", "has keys that are not text, as those of JSON are", given[0], help=help)
            return None
        return Table(key, value)

    def literal(self, given: Sequence[ast.expr], node: ast.expr) -> Type | None:
        values: list[str | int | float | bool | None] = []
        found: list[str | int | float | bool | None]
        for each in given:
            if self.is_literal(each):
                nested = self.type(each)
                if not isinstance(nested, Choice):
                    return None
                found = list(nested.values)
            else:
                value = constant_of(each, self.names, self.where, self.scope, code="bad-type")
                if value is NOT_CONSTANT:
                    return None
                if isinstance(value, float | list | dict) or value is ...:
                    help = "a `Literal` has strings, integers, booleans and None"
                    self.fault("bad-type", f"has the literal `{self.names.written(each)}`", each, help=help)
                    return None
                found = [value]
            values += found
        if values:
            return Choice(tuple(values))
        self.fault("bad-type", "has a `Literal` without values", node, help="write the values between the brackets")
        return None

    def is_literal(self, node: ast.expr) -> bool:
        """Whether this is a `Literal[…]`, or an alias of one."""
        for _ in range(MOST_LEVELS):
            if not isinstance(node, ast.Name) or node.id not in self.names.values or node.id in self.names.classes:
                break
            node = self.names.values[node.id]
        return isinstance(node, ast.Subscript) and self.names.full_name(node.value) == "typing.Literal"

    def described(self, type: Type, metadata: Sequence[ast.expr], node: ast.expr) -> Type | None:
        """`Annotated[X, "words"]`: one string, and nothing else."""
        words: list[str] = []
        for each in metadata:
            if not (isinstance(each, ast.Constant) and isinstance(each.value, str)):
                headline = f"has `{self.names.written(each)}` in `Annotated`, which a schema cannot say"
                self.fault("bad-type", headline, each, help="say it in the description, as a string")
                return None
            if fault := text_fault(each.value):
                self.fault("bad-type", f"has a description with {fault}", each, help="write the character itself")
                return None
            if not each.value.strip():
                help = "write the words, or the type alone"
                self.fault("bad-type", "has an empty description in `Annotated`", each, help=help)
                return None
            words.append(each.value)
        if len(words) == 1:
            return Described(type, words[0])
        headline = f"has {len(words)} descriptions in `Annotated`" if words else "has nothing but a type in `Annotated`"
        self.fault("bad-type", headline, node, help='write `Annotated[X, "description"]`')
        return None

    # -- quotes -----------------------------------------------------------------------------------------------------

    def unquoted(self, node: ast.expr) -> ast.expr | None:
        """The expression in a quoted annotation; what is found wrong in it is shown at the quotes. None for others."""
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            return None
        self.names.work.step(len(node.value) // 20)  # an alias is parsed again wherever it is used
        inner = parse_expression(node.value)
        if inner is None:
            self.fault("bad-type", "has a quoted annotation that is no type", node, help='write a type: `"Node"`')
            return None
        for each in ast.walk(inner):
            if isinstance(each, ast.expr):
                ast.copy_location(each, node)
        return inner


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _or_none(type: Type) -> Type:
    """`Optional[X]`. Of None alone a union of one is made: such a field may be left out too."""
    return Either((type,) if type == _NONE or type == Either((_NONE,)) else (type, _NONE))


def _is_key(type: Type) -> bool:
    """Whether JSON has keys of this type: text."""
    if isinstance(type, Described):
        return _is_key(type.type)
    if isinstance(type, Choice):
        return all(isinstance(value, str) for value in type.values)
    if isinstance(type, Either):
        return all(_is_key(member) for member in type.members)
    return isinstance(type, Anything) or (isinstance(type, Scalar) and type.kind in _TEXTS)
