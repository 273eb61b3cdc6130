"""From the syntax tree of a stub to what it declares: its classes with their fields, `Input` and `Output` among them.

In: a StubFile. Out: Declarations. The invariants: a class has the fields of its bases before its own, in the order of
the source; what the stub says and these cannot hold is a finding that names class and field. A field whose type is
faulty is still there, and may be anything, so that what is checked against the class is not blamed for it.
"""

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..diagnostics import Related, Scope, Span
from ..package import StubFile
from .annotations import field_type_of, is_optional
from .annotations import type_of as type_of
from .class_keywords import DATACLASS, MODEL, STRUCT, fault_of, total
from .constants import MOST_STEPS, NOT_CONSTANT, bounded, constant_of, enum_kind, enum_values, text_fault
from .defaults import misfit
from .docstrings import clean, docstring, is_nothing, literal
from .names import LOCAL, MODULES, Names, bound_by, dotted_name, imports_in
from .names import names_of as names_of
from .types import NO_DEFAULT, UNKNOWN_DEFAULT, Anything, Class, Declarations, Described, Field, Type

# Bases of other packages that bring no fields, and decorators that change none.
_FIELDLESS = frozenset(["object", MODEL, STRUCT, "typing.Protocol"])
_DECORATORS = frozenset([DATACLASS, "typing.final", "typing.runtime_checkable"])
# What a template takes for something else than the variable.
_TAKEN = frozenset(
    ["self", "true", "false", "none", "True", "False", "None", "and", "or", "not", "in", "is", "if", "else"]
)


def declarations_of(
    stub: StubFile, scope: Scope, *, functions: bool = False, names: Names | None = None
) -> Declarations:
    """What a stub declares. Everything of it that means nothing is reported, with class, field and column.

    `functions`: functions and `__server__ = …` may stand beside the classes, as in `tools.pyi`, and are left alone;
    `Input` and `Output` are classes like others there. `names`: those of the stub, when they are known.
    """
    names = names_of(stub) if names is None else names
    reading = _Reading(names, scope, functions)
    reading.statements(stub.tree)
    classes: dict[str, Class] = {}
    for name in names.classes:
        if enum_kind(names.classes[name], names) is not None:
            with bounded(names.classes[name], names, f"`{name}`", scope):
                enum_values(names.classes[name], names, scope)
        elif (found := reading.class_of(name)) is not None:
            classes[name] = found
    for name, value in names.values.items():
        if isinstance(value, ast.Call) and names.full_name(value.func) == "typing.TypedDict":
            classes[name] = reading.functional(name, value)
    reading.defaults(classes)
    if functions:
        return Declarations(stub.file, classes)
    for wanted in ("Input", "Output"):
        if wanted not in classes and (wanted in names.classes or wanted in names.values):
            node = names.classes.get(wanted) or names.values[wanted]
            if not (isinstance(node, ast.ClassDef) and enum_kind(node, names) is None):  # else its fault was told
                span = names.name_span(node) if isinstance(node, ast.ClassDef) else names.span(node)
                help = f"write `class {wanted}:` with fields"
                scope.add("bad-declaration", f"`{wanted}` is no class with fields", span, help=help)
    reading.variables(classes.get("Input"))
    return Declarations(stub.file, classes, classes.get("Input"), classes.get("Output"))


class _Reading:
    """One stub being read."""

    def __init__(self, names: Names, scope: Scope, functions: bool) -> None:
        self.names = names
        self.scope = scope
        self.functions = functions  # whether functions may stand at the top
        self.bound: dict[str, tuple[str, Span]] = {}  # what binds a name: a type, a function or an import
        self.told: list[tuple[str, ast.expr, Any, Type]] = []  # defaults, whose types may name any class
        self.done: dict[str, Class | None] = {}
        self.hidden: dict[str, dict[Span, None]] = {}  # class → the fields that others have taken the place of
        self.under_way: list[str] = []
        self.makers: dict[str, set[str]] = {}  # class → STRUCT or MODEL, when it or a base is made by one

    def fault(self, headline: str, span: Span, help: str, *related: Related, code: str = "bad-declaration") -> None:
        self.scope.add(code, headline, span, related=related, help=help)

    # -- the top level ----------------------------------------------------------------------------------------------

    def statements(self, tree: ast.Module) -> None:
        """Report what stands at the top and declares nothing, or declares a name a second time."""
        for statement in tree.body:
            if isinstance(statement, ast.ClassDef):
                self.bind(statement.name, self.names.name_span(statement), "type")
            elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
                span = self.names.name_span(statement)
                if self.functions:
                    self.bind(statement.name, span, "function")
                else:
                    self.fault(f"`{statement.name}` is a function", span, "tools are functions of `tools.pyi`")
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                for target in targets:
                    if isinstance(target, ast.Name) and statement.value is not None:
                        if not target.id.startswith("__"):
                            self.bind(target.id, self.names.span(target), "type")
                    else:
                        self.nothing(statement)
            elif imports := imports_in(statement):
                for each in imports:
                    self.imports(each)
            elif not (is_nothing(statement) or literal(statement)):
                self.nothing(statement)

    def imports(self, statement: ast.Import | ast.ImportFrom) -> None:
        """An import gives names to types of the language; what another file declares is not known here."""
        module = getattr(statement, "module", None)
        for alias in statement.names if module != "__future__" else ():
            span = self.names.span(alias)
            name = bound_by(alias)
            if name == "*":
                missing = [each for each in ("Input", "Output") if not self.is_bound(each)]
                if module not in MODULES and missing and not self.functions:
                    named = " or ".join(f"`{each}`" for each in missing)
                    headline = f"`from {module or '.'} import *` may bring {named}, and nothing is imported"
                    self.fault(headline, span, "take it away, and declare in this file what it brings")
                continue
            if name in ("Input", "Output") and not self.functions and not self.is_bound(name):
                headline = f"`{name}` is declared in another file, and nothing is imported"
                self.fault(headline, span, f"write `class {name}:` with its fields in this file")
            self.bind(name, span, "import")

    def is_bound(self, name: str) -> bool:
        return name in self.names.classes or name in self.names.values

    def bind(self, name: str, span: Span, kind: str) -> None:
        """Note what binds a name. Several imports may, and several functions, of which `tools.py` speaks."""
        if name in self.bound and (kind == "type" or self.bound[name][0] != kind):
            other = Related(self.bound[name][1], "the other one")
            self.fault(f"`{name}` is declared twice", span, "keep one of the two", other)
        self.bound[name] = kind, span

    def nothing(self, statement: ast.stmt) -> None:
        headline = f"`{self.names.written(statement)}` declares nothing"
        functions = ", functions" if self.functions else ""
        help = f"a stub has imports, classes{functions} and aliases (`Name = …`) at its top"
        self.fault(headline, self.names.span(statement), help)

    # -- classes ----------------------------------------------------------------------------------------------------

    def class_of(self, name: str) -> Class | None:
        """A class, worked out once; None after a fault of its bases."""
        if name in self.done:
            return self.done[name]
        node = self.names.classes[name]
        if name in self.under_way:
            self.fault(f"`{name}` is a base of itself", self.names.name_span(node), "take it out of its bases")
            return None
        if len(self.under_way) >= MOST_STEPS:
            headline = f"`{name}` is more than {MOST_STEPS} bases away from `{self.under_way[0]}`"
            self.fault(headline, self.names.name_span(node), "use fewer classes")
            return None
        self.under_way.append(name)
        found = None
        with bounded(node, self.names, f"`{name}`", self.scope):
            found = self.declared(node)
        self.under_way.pop()
        self.done[name] = found
        return found

    def declared(self, node: ast.ClassDef) -> Class | None:
        bases, mapping = self.bases(node)
        if bases is None:
            return None
        is_total = self.keywords(node, mapping)
        self.decorators(node)
        fields: dict[str, Field] = {}
        hidden = {span: None for base in bases for span in self.hidden.get(base.name, ())}
        self.names.work.step(len(hidden) + sum(len(base.fields) for base in bases))
        for base in bases:
            for field in base.fields:
                other = fields.setdefault(field.name, field)
                if other.span in hidden:  # one base has it from a class of which the other has overridden it
                    fields[field.name] = field
                elif other.span != field.span and field.span not in hidden:
                    headline = f"`{node.name}` has `{field.name}` from two bases"
                    places = (Related(other.span, "one of them"), Related(field.span, "the other one"))
                    help = f"declare `{field.name}` in `{node.name}`"
                    self.fault(headline, self.names.name_span(node), help, *places)
        own = self.own_fields(node, mapping, is_total)
        self.hidden[node.name] = hidden | {fields[name].span: None for name in own if name in fields}
        fields.update(own)
        words = self.words(docstring(node.body), f"`{node.name}`")
        return Class(node.name, tuple(fields.values()), mapping, words, self.names.name_span(node))

    def bases(self, node: ast.ClassDef) -> tuple[list[Class] | None, bool]:
        """The classes of the stub that a class is made from, None if one is faulty; whether it is a TypedDict."""
        found: list[Class] = []
        makers = self.makers.setdefault(node.name, set())
        mapping, plain, sound = False, False, True
        for each in node.bases:
            full = self.names.full_name(each.value if isinstance(each, ast.Subscript) else each) or ""
            name = full.removeprefix(LOCAL)
            written = self.names.written(each)
            if full == "typing.TypedDict" and not isinstance(each, ast.Subscript):
                mapping = True
            elif full == "typing.Protocol" or (
                not isinstance(each, ast.Subscript) and (full in _FIELDLESS or self.imported(each) in _FIELDLESS)
            ):
                plain = plain or full != "object"
                makers.update((full, self.imported(each)))
            elif full.startswith(LOCAL) and (name in self.names.classes or self.is_functional(name)):
                base = self.class_of(name) if name in self.names.classes else self.functional_of(name)
                sound = sound and base is not None
                if base is not None:
                    found.append(base)
                    makers.update(self.makers.get(name, ()))
                if isinstance(each, ast.Subscript):
                    written = self.names.written(each.value)
                    headline = f"`{node.name}` gives parameters to `{written}`, which takes none"
                    self.fault(headline, self.names.span(each), f"write `{written}`")
            else:
                help = f"declare the fields in `{node.name}`, or `{written}` in this file"
                if full.startswith("typing."):
                    help = f"write `class {node.name}:` with fields of plain types"
                headline = f"`{node.name}` has the base `{written}`, of which no fields are known"
                self.fault(headline, self.names.span(each), help)
                sound = False
        mapping = mapping or any(base.mapping for base in found)
        if mapping and (plain or any(not base.mapping for base in found)):
            help = "give it bases of one kind"
            headline = f"`{node.name}` is a TypedDict and has a base that is none"
            self.fault(headline, self.names.name_span(node), help)
            sound = False
        return (found if sound else None), mapping

    def imported(self, node: ast.expr) -> str:
        """The full name of a base or decorator that the stub imports."""
        written = dotted_name(node) or ""
        first, dot, rest = written.partition(".")
        return f"{self.names.imports.get(first, first)}{dot}{rest}"

    def keywords(self, node: ast.ClassDef, mapping: bool) -> bool:
        """What `total=` says; True when it says nothing."""
        is_total = True
        for each in node.keywords:
            if mapping and (said := total(each)) is not None:
                is_total = said
            elif help := "a TypedDict may have `total=False`" if mapping else fault_of(each, self.makers[node.name]):
                headline = f"`{node.name}` has `{self.names.written(each)}`, which a schema cannot say"
                self.fault(headline, self.names.span(each), help)
        return is_total

    def decorators(self, node: ast.ClassDef) -> None:
        for each in node.decorator_list:
            called = each.func if isinstance(each, ast.Call) else each
            name = dotted_name(called) or ""
            if name not in ("dataclass", "final") and self.imported(called) not in _DECORATORS:
                headline = f"`{node.name}` has the decorator `{self.names.written(each)}`, of which nothing is known"
                self.fault(headline, self.names.span(each), "take it off")
            for keyword in each.keywords if isinstance(each, ast.Call) else ():
                if help := fault_of(keyword, (DATACLASS,)):
                    headline = f"`{node.name}` has `{self.names.written(keyword)}`, which a schema cannot say"
                    self.fault(headline, self.names.span(keyword), help)

    # -- fields -----------------------------------------------------------------------------------------------------

    def own_fields(self, node: ast.ClassDef, mapping: bool, is_total: bool) -> dict[str, Field]:
        fields: dict[str, Field] = {}
        documented = None if docstring(node.body) is None else node.body[0]
        last: ast.AnnAssign | None = None
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                field = self.field(node.name, statement.target, statement, mapping, is_total)
                if field.name in fields:
                    other = Related(fields[field.name].span, "the other one")
                    headline = f"`{node.name}.{field.name}` is declared twice"
                    self.fault(headline, field.span, "keep one of the two", other)
                fields[field.name] = field
                last = statement
                continue
            if last is not None and isinstance(last.target, ast.Name) and (about := literal(statement)) is not None:
                name = last.target.id
                fields[name] = self.documented(node.name, fields[name], about)
            elif literal(statement) and statement is not documented:
                headline = f"`{node.name}` has words that describe nothing"
                help = "put them right below a field, or first in the class"
                self.fault(headline, self.names.span(statement), help)
            elif not (statement is documented or is_nothing(statement)):
                self.no_field(node.name, statement)
            last = None
        return fields

    def field(self, owner: str, target: ast.Name, node: ast.AnnAssign, mapping: bool, is_total: bool) -> Field:
        where = f"`{owner}.{target.id}`"
        type, said = field_type_of(node.annotation, self.names, where, self.scope)
        default = self.default(node.value, where)
        is_told = not any(default is each for each in (NO_DEFAULT, UNKNOWN_DEFAULT, None))
        if node.value is not None and type is not None and is_told:
            self.told.append((where, node.value, default, type))
        if mapping:
            required = is_total if said is None else said
            if node.value is not None:
                headline = f"{where} has a default, which a TypedDict cannot have"
                help = f"write `{target.id}: NotRequired[{self.names.written(node.annotation)}]`"
                self.fault(headline, self.names.span(node.value), help, code="bad-default")
        elif said is not None:
            required = said
        else:
            required = default is NO_DEFAULT and not (type is not None and is_optional(type))
        return Field(target.id, type or Anything(), required, default, None, self.names.span(target))

    def default(self, node: ast.expr | None, where: str) -> Any:
        if node is None:
            return NO_DEFAULT
        value = NOT_CONSTANT
        with bounded(node, self.names, where, self.scope):
            value = constant_of(node, self.names, where, self.scope)
        return UNKNOWN_DEFAULT if value is ... or value is NOT_CONSTANT else value

    def defaults(self, classes: Mapping[str, Class]) -> None:
        """Report the defaults that are not of the types of their fields."""
        for where, node, value, type in self.told:
            wrong = None
            with bounded(node, self.names, where, self.scope):
                wrong = misfit(value, type, classes, self.names.work)
            if wrong:
                headline = f"{where} has a default that is not {wrong}"
                self.fault(headline, self.names.span(node), "give it a default of its type", code="bad-default")

    def variables(self, declared: Class | None) -> None:
        """Report the fields of `Input` that no template can read as variables."""
        for field in declared.fields if declared else ():
            if field.name in _TAKEN or not field.name.isidentifier():
                headline = f"`Input` has the field `{field.name}`, which no template can read"
                self.fault(headline, field.span, "give it another name")

    def documented(self, owner: str, field: Field, about: ast.Constant) -> Field:
        """A field with the description that stands below it."""
        where = f"`{owner}.{field.name}`"
        words = self.words(about, where)
        if words is None:
            return field
        if isinstance(field.type, Described):
            headline = f"{where} has a description in `Annotated` and one below"
            self.fault(headline, self.names.span(about), "keep one of the two")
        return replace(field, description=words)

    def words(self, node: ast.Constant | None, where: str) -> str | None:
        """The text of a docstring; None when there is none, or nothing in it."""
        if node is None:
            return None
        words = clean(str(node.value))
        if fault := text_fault(words):
            self.fault(f"{where} has a docstring with {fault}", self.names.span(node), "write the character itself")
            return None
        return words or None

    def no_field(self, owner: str, statement: ast.stmt) -> None:
        span = self.names.span(statement)
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            span = self.names.name_span(statement)
            help = "tools are functions at the top of the file" if self.functions else "write `name: type` for a field"
            self.fault(f"`{owner}.{statement.name}` is a method, and no field", span, help)
        elif isinstance(statement, ast.ClassDef):
            span = self.names.name_span(statement)
            help = f"move `{statement.name}` to the top of the file"
            self.fault(f"`{owner}.{statement.name}` is a class inside a class", span, help)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            is_field = not name.startswith("__") and not name.endswith("__") and name != "model_config"
            help = f"write `{name}: type = …`" if is_field else "take it away: it says nothing of the data"
            self.fault(f"`{owner}.{name}` has no type", span, help)
        else:
            headline = f"`{owner}` has `{self.names.written(statement)}`, which is no field"
            self.fault(headline, span, "write `name: type` for a field")

    # -- functional TypedDicts --------------------------------------------------------------------------------------

    def is_functional(self, name: str) -> bool:
        value = self.names.values.get(name)
        return isinstance(value, ast.Call) and self.names.full_name(value.func) == "typing.TypedDict"

    def functional_of(self, name: str) -> Class | None:
        value = self.names.values[name]
        assert isinstance(value, ast.Call)
        return self.functional(name, value)

    def functional(self, name: str, node: ast.Call) -> Class:
        """`Name = TypedDict("Name", {"field": type}, total=False)`."""
        if name not in self.done:
            self.done[name] = self.functional_class(name, node)
        found = self.done[name]
        assert found is not None
        return found

    def functional_class(self, name: str, node: ast.Call) -> Class:
        span = self.names.span(node)
        is_total = True
        for each in node.keywords:
            said = total(each)
            if said is None:
                headline = f"`{name}` has `{self.names.written(each)}`, which a schema cannot say"
                self.fault(headline, self.names.span(each), "a TypedDict may have `total=False`")
            else:
                is_total = said
        fields: dict[str, Field] = {}
        table = node.args[1] if len(node.args) == 2 else None
        if not isinstance(table, ast.Dict):
            help = f'write `{name} = TypedDict("{name}", {{"field": type}})`'
            self.fault(f"`{name}` is a TypedDict without a dict of its fields", span, help)
            return Class(name, (), True, None, span)
        for key, annotation in zip(table.keys, table.values, strict=True):
            if not (isinstance(key, ast.Constant) and isinstance(key.value, str)) or text_fault(key.value):
                place = self.names.span(key or annotation)
                self.fault(f"`{name}` has a field whose name is no text", place, "write the name as a string")
                continue
            where = f"`{name}.{key.value}`"
            if key.value in fields:
                self.fault(f"{where} is declared twice", self.names.span(key), "keep one of the two")
            found, needed = field_type_of(annotation, self.names, where, self.scope)
            required = is_total if needed is None else needed
            place = self.names.span(key)
            fields[key.value] = Field(key.value, found or Anything(), required, NO_DEFAULT, None, place)
        return Class(name, tuple(fields.values()), True, None, span)
