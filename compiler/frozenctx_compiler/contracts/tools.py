"""From the syntax tree of `tools.pyi` to the contracts of its tools (CTX-FORMAT §6).

In: a StubFile. Out: a contract for each function, in the order of the source, and where it stands. Nothing is run. The
invariants: a parameter is a property, in the order of the signature, and what a signature says and a JSON object of
arguments cannot say is a finding; every word of a docstring reaches the model, in the description of the tool or of a
parameter.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from frozenctx.tools import wire_name_of

from ..diagnostics import Related, Scope, Span
from ..package import StubFile, Tool
from ..spelling import did_you_mean
from .constants import NOT_CONSTANT, bounded, constant_of, text_fault
from .declarations import declarations_of, names_of, type_of
from .defaults import misfit
from .docstrings import clean, docstring
from .json_schema import SchemaTooLarge, SchemaWriter
from .names import Names, dotted_name, shortened
from .parameters import documented
from .types import NO_DEFAULT, UNKNOWN_DEFAULT, Class, Declarations, Described, Field, Type

_SERVER = "__server__"
_Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class DeclaredTool:
    """A contract, and the name of its function where it stands."""

    tool: Tool
    span: Span


def tools_of(stub: StubFile, scope: Scope) -> tuple[DeclaredTool, ...]:
    """The tools that a stub declares. Everything that is wrong with it is reported, and what is faulty left out."""
    names = names_of(stub)
    declared = declarations_of(stub, scope, functions=True, names=names)
    writer = SchemaWriter(declared.classes)
    functions = [statement for statement in stub.tree.body if isinstance(statement, _Function)]
    server, sound = _server(stub.tree, names, scope)
    first: dict[str, _Function] = {}
    tools = []
    for function in functions:
        reading = _Reading(function, names, declared, scope)
        if any(_is_overload(each) for each in function.decorator_list):
            if function.name not in first:
                reading.fault("is overloaded, and a tool has one list of parameters", "keep one signature")
        elif function.name in first:
            other = Related(names.name_span(first[function.name]), "the other one")
            reading.fault("is declared twice", "keep one of the two", related=[other])
        elif (tool := reading.tool(server, writer)) is not None and sound:
            tools.append(DeclaredTool(tool, names.name_span(function)))
        first.setdefault(function.name, function)
    return tuple(tools)


def _server(tree: ast.Module, names: Names, scope: Scope) -> tuple[str | None, bool]:
    """What `__server__` names, None when nothing does; and whether it is sound."""
    found: list[tuple[ast.expr, ast.expr | None]] = []
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            found += [(target, statement.value) for target in statement.targets if _is_server(target)]
        elif isinstance(statement, ast.AnnAssign) and _is_server(statement.target):
            found.append((statement.target, statement.value))
    if not found:
        return None, True
    if len(found) > 1:
        other = Related(names.span(found[0][0]), "first here")
        headline, help = f"`{_SERVER}` is given twice", "a `tools.pyi` has the tools of one server"
        scope.add("bad-tool", headline, names.span(found[1][0]), related=[other], help=help)
        return None, False
    target, value = found[0]
    server = value.value if isinstance(value, ast.Constant) else None
    if not isinstance(server, str) or not _is_server_name(server):
        headline = f"`{_SERVER}` must be the name of a server, without `/` and blanks around it, as a string"
        scope.add("bad-tool", headline, names.span(value or target), help=f'write `{_SERVER} = "name"`')
        return None, False
    return server, True


def _is_server(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id == _SERVER


def _is_server_name(text: str) -> bool:
    return bool(text) and text.isprintable() and text == text.strip() and "/" not in text


def _is_overload(decorator: ast.expr) -> bool:
    return (dotted_name(decorator) or "").rpartition(".")[2] == "overload"


class _Reading:
    """One function being read."""

    __slots__ = ("declared", "function", "names", "scope", "sound")

    def __init__(self, function: _Function, names: Names, declared: Declarations, scope: Scope) -> None:
        self.function, self.names, self.declared, self.scope = function, names, declared, scope
        self.sound = True

    def fault(
        self,
        what: str,
        help: str,
        place: ast.expr | ast.arg | None = None,
        *,
        code: str = "bad-tool",
        related: Sequence[Related] = (),
    ) -> None:
        self.sound = False
        span = self.names.name_span(self.function) if place is None else self.names.span(place)
        self.scope.add(code, f"`{self.function.name}` {what}", span, related=related, help=help)

    def tool(self, server: str | None, writer: SchemaWriter) -> Tool | None:
        function = self.function
        for decorator in function.decorator_list:
            written = self.names.written(decorator)
            self.fault(f"has the decorator `{written}`, of which nothing is known", "take it off", decorator)
        description, about = self.words()
        fields = self.fields(about)
        if not self.sound or self.scope.failed:  # a class of the stub may be missing
            return None
        parameters = Class(function.name, tuple(fields), False, None, self.names.name_span(function))
        try:
            schema = writer.schema(parameters)
        except SchemaTooLarge as error:
            what = f"has too large a schema: with those before it, {error}"
            self.fault(what, "let its classes use each other less often")
            return None
        key = function.name if server is None else f"{server}/{function.name}"
        return Tool(key, wire_name_of(key), server, function.name, description, schema)

    # -- parameters -------------------------------------------------------------------------------------------------

    def fields(self, about: dict[str, str]) -> list[Field]:
        """The parameters in the order of the signature. `about`: their descriptions; what none takes is a finding."""
        arguments = self.function.args
        for starred, stars, words in ((arguments.vararg, "*", "positional"), (arguments.kwarg, "**", "named")):
            if starred is not None:
                what = f"takes `{stars}{starred.arg}`, any number of {words} arguments"
                self.fault(what, "name each parameter; a list of values is one parameter of type `list[…]`", starred)
        positional = [*arguments.posonlyargs, *arguments.args]
        missing: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
        pairs = [
            *zip(positional, [*missing, *arguments.defaults], strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        seen: dict[str, ast.arg] = {}
        fields = []
        for argument, default in pairs:
            if argument.arg in seen:
                other = Related(self.names.span(seen[argument.arg]), "the other one")
                self.fault(f"has two parameters `{argument.arg}`", "rename one of the two", argument, related=[other])
            elif (field := self.field(argument, default, about.pop(argument.arg, None) or None)) is not None:
                fields.append(field)
            seen.setdefault(argument.arg, argument)
        for name in about:
            self.remark(f"describes `{name}`, which is no parameter", self.nearest(name, seen))
        self.note_names(seen)
        return fields

    def note_names(self, parameters: dict[str, ast.arg]) -> None:
        """Note the names that not every provider takes. Of what they do not take a name of Python has two things."""
        noted = [name for name in parameters if not name.isascii() or len(name) > 64]
        if noted:
            named = ", ".join(f"`{shortened(name)}`" for name in noted)
            headline = f"`{self.function.name}` has parameters whose names not every provider takes: {named}"
            notes = ("Anthropic takes up to 64 letters of ASCII, digits, `_`, `.`, `-`, and refuses the whole request",)
            help = "rename them, or leave them where no model of theirs is called"
            span = self.names.span(parameters[noted[0]])
            self.scope.add("tool-parameter-name", headline, span, notes=notes, help=help)

    def field(self, argument: ast.arg, default: ast.expr | None, about: str | None) -> Field | None:
        name = argument.arg
        if argument.annotation is None:
            help = f"write `{name}: type`"
            if name in ("self", "cls") and argument is [*self.function.args.posonlyargs, *self.function.args.args][0]:
                help = f"take `{name}` away: tools are functions and no methods"
            self.fault(f"has a parameter `{name}` without a type", help, argument)
            return None
        where = f"`{self.function.name}.{name}`"
        type = type_of(argument.annotation, self.names, where, self.scope)
        value: Any = NO_DEFAULT
        if default is not None:
            value = NOT_CONSTANT
            with bounded(default, self.names, where, self.scope):
                value = constant_of(default, self.names, where, self.scope)
            if value is NOT_CONSTANT:
                self.sound = False
            elif value is ...:
                value = UNKNOWN_DEFAULT
            elif value is not None and type is not None and (wrong := self.misfit(value, type, default)):
                what = f"has a default for `{name}` that is not {wrong}"
                self.fault(what, "give it a default of its type", default, code="bad-default")
        if type is None:
            self.sound = False
            return None
        if isinstance(type, Described) and about is not None:
            if about != type.description:
                self.remark(f"describes `{name}`, and so does `Annotated`, which counts", "keep one of the two")
            about = None
        return Field(name, type, value is NO_DEFAULT, value, about, self.names.span(argument))

    def misfit(self, value: Any, type: Type, node: ast.expr) -> str | None:
        with bounded(node, self.names, f"`{self.function.name}`", self.scope):
            return misfit(value, type, self.declared.classes, self.names.work)
        return None

    # -- docstrings -------------------------------------------------------------------------------------------------

    def words(self) -> tuple[str, dict[str, str]]:
        """What the docstring says of the tool, and of its parameters."""
        node = docstring(self.function.body)
        if node is None:
            return "", {}
        text = clean(str(node.value))
        if fault := text_fault(text):
            self.fault(f"has a docstring with {fault}", "write the character itself", node)
            return "", {}
        found = documented(text)
        for name in found.repeated:
            self.remark(f"describes `{name}` twice, and the first counts", "keep one of the two")
        return found.text, dict(found.parameters)

    def remark(self, what: str, help: str) -> None:
        span = self.names.name_span(self.function)
        self.scope.add("tool-docstring", f"the docstring of `{self.function.name}` {what}", span, help=help)

    def nearest(self, name: str, parameters: dict[str, ast.arg]) -> str:
        return did_you_mean(name, parameters, "take it out, or name it as the parameter is named")
