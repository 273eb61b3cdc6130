"""YAQL 2.0.1: text → a tree that is checked, and the tree with a context → a value, within counted limits.

The only module that imports yaql. In: the text of an expression. Out: a `Parsed`, or `Unreadable` with the offset; then
the value of it. The invariants: only functions of `yaql_functions` are there, overloads are tried in one order (yaql
keeps them in sets, whose order changes from run to run), and what one evaluation writes, no other one sees.
"""

import re
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from .expressions import BadEscape, unescaped
from .limits import Budget, bounded
from .threads import one_at_a_time

if "pkg_resources" not in sys.modules:  # yaql asks it for its own version; current setuptools have it no more

    class _NotFound(Exception):
        pass

    def _get_distribution(name: str) -> None:
        raise _NotFound(name)

    _stand_in = types.ModuleType("pkg_resources")
    _stand_in.__dict__.update(DistributionNotFound=_NotFound, get_distribution=_get_distribution)
    sys.modules["pkg_resources"] = _stand_in
    try:
        import yaql
    finally:
        del sys.modules["pkg_resources"]
import yaql
from yaql.language import contexts, expressions, runner, specs, utils, yaqltypes
from yaql.language import exceptions as exceptions

from .yaql_functions import overload

NO_VALUE: Final = utils.NO_VALUE
LONGEST = 20_000  # characters of one expression
DEEPEST = 80  # calls in calls, as they are written
_MOST_DIGITS = 400  # of a number

_engine: Any = yaql.factory.YaqlFactory(allow_delegates=True).create(options={"yaql.convertInputData": False})
_parsing = one_at_a_time()  # ply keeps the state of a parse in its lexer and parser
_JULEP = {"True": True, "False": False, "None": None}  # literals of Julep, which YAQL takes for words


class Unreadable(Exception):
    """The text is not YAQL. `at` is the offset of what does not fit, the length of the text at its end."""

    def __init__(self, at: int, headline: str, length: int = 1, help: str | None = None) -> None:
        super().__init__(headline)
        self.at, self.headline, self.length, self.help = at, headline, length, help


@dataclass(frozen=True, slots=True)
class Token:
    kind: str  # ply's
    value: Any
    at: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """An expression: its tree, and its tokens with their offsets (yaql's trees have none)."""

    text: str
    tree: Any
    tokens: tuple[Token, ...]

    def calls(self) -> Iterator[Token]:
        """The names of functions that are called by name."""
        return (token for token in self.tokens if token.kind == "FUNC")


@lru_cache(1024)
def parse(text: str) -> Parsed:
    """Raises Unreadable. What is answered is never changed, so that a text need not be read twice."""
    if len(text) > LONGEST:
        raise Unreadable(0, f"the expression is longer than {LONGEST:,} characters", len(text))
    digits = 0
    for at, char in enumerate(text):
        digits = digits + 1 if char.isdigit() else 0
        if digits > _MOST_DIGITS:
            raise Unreadable(at - digits + 1, f"the number has more than {_MOST_DIGITS} digits")
        if "\ud800" <= char <= "\udfff":
            raise Unreadable(at, "the expression holds half of a surrogate pair", help="write the character itself")
    _look_at_strings(text)
    with _parsing:
        try:
            tokens = tuple(_tokens(text))
            tree = _engine.parser.parse(text, lexer=_engine.lexer)
        except exceptions.YaqlLexicalException as error:
            at = error.position or 0
            raise Unreadable(at, f"`{_shown(text, at)}` is no part of an expression") from None
        except exceptions.YaqlGrammarException as error:
            if error.position is None:
                raise Unreadable(len(text), "the expression ends too early") from None
            raise Unreadable(error.position, f"`{_shown(text, error.position)}` does not fit here") from None
    if tree is None:
        raise Unreadable(0, "the expression is empty")
    if _is_too_deep(tree):
        at, length = _deepest(tokens) or (0, len(text))
        raise Unreadable(at, f"the expression is nested more than {DEEPEST} levels deep", length)
    return Parsed(text, tree, tokens)


_QUOTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"|`(?:[^`\\]|\\.)*`")


def _look_at_strings(text: str) -> None:
    """Refuse escapes that are no characters: yaql decodes them with Python's tables, or not at all."""
    if "\\" not in text:
        return
    for quoted in _QUOTED.finditer(text):
        try:
            unescaped(quoted[1] or quoted[2] or "")
        except BadEscape as error:
            at = quoted.start() + 1 + error.at
            raise Unreadable(at, error.headline, error.length, error.help) from None


def _tokens(text: str) -> Iterator[Token]:
    _engine.lexer.input(text)
    while (token := _engine.lexer.token()) is not None:
        yield Token(token.type, token.value, token.lexpos)


def _shown(text: str, at: int) -> str:
    end = at + 1
    while end < min(len(text), at + 20) and text[end - 1].isalnum() and (text[end].isalnum() or text[end] == "."):
        end += 1
    return text[at:end]


def _deepest(tokens: tuple[Token, ...]) -> tuple[int, int] | None:
    """Where brackets go too deep, and the length of that; None when it is not brackets that do."""
    depth = 0
    for token in tokens:
        depth += token.kind in ("FUNC", "(", "INDEXER", "MAP")
        if depth > DEEPEST:
            return token.at, 1
        depth -= token.kind in (")", "]", "}")
    return None


def _is_too_deep(tree: Any) -> bool:
    """Whether an expression is written too deep; on the way, `$env.get` is given Julep's literals."""
    waiting = [(tree, 1)]
    while waiting:
        part, depth = waiting.pop()
        if depth > DEEPEST:
            return True
        if isinstance(part, expressions.MappingRuleExpression):
            waiting += [(part.source, depth + 1), (part.destination, depth + 1)]
        elif isinstance(part, expressions.Wrap):
            waiting.append((part.expr, depth + 1))
        elif isinstance(part, expressions.Function):
            if _is_get(part):
                part.args[1].args = tuple(_literal(arg) for arg in part.args[1].args)
            waiting += [(arg, depth + 1) for arg in part.args]
    return False


def _is_get(part: Any) -> bool:
    if not isinstance(part, expressions.BinaryOperator) or part.operator not in (".", "?."):
        return False
    left, right = part.args
    named = isinstance(left, expressions.GetContextValue) and left.path.value == "$env"
    return named and type(right) is expressions.Function and right.name == "get"


def _literal(arg: Any) -> Any:
    if isinstance(arg, expressions.KeywordConstant) and arg.value in _JULEP:
        return expressions.Constant(_JULEP[arg.value])
    return arg


# -- evaluating ----------------------------------------------------------------------------------------------------


class Definition(specs.FunctionDefinition):  # type: ignore[misc]
    """A function whose calls are paid for."""

    def get_delegate(self, receiver: Any, engine: Any, context: "Context", args: Any, kwargs: Any) -> Any:
        payload = bounded(self.name, self.payload, context.budget)
        kind = self.is_function, self.is_method, self.no_kwargs
        plain = specs.FunctionDefinition(self.name, payload, self.parameters, "", self.meta, *kind)
        return plain.get_delegate(receiver, engine, context, args, kwargs)


class Context(contexts.Context):  # type: ignore[misc]
    """yaql's context with a budget, and with overloads in the order they were registered in."""

    def __init__(self, parent: "Context | None" = None, budget: Budget | None = None) -> None:
        super().__init__(parent, convention=None if parent else _conventions())
        self.budget: Budget = budget or (parent.budget if parent is not None else Budget())

    def register_function(self, spec: Any, *args: Any, **kwargs: Any) -> None:
        kwargs.pop("exclusive", None)
        if not isinstance(spec, specs.FunctionDefinition):
            spec = specs.get_function_definition(spec, *args, convention=self._convention, **kwargs)
        if not isinstance(spec, Definition):
            kind = spec.is_function, spec.is_method, spec.no_kwargs
            spec = Definition(spec.name, spec.payload, spec.parameters, "", spec.meta, *kind)
        self._functions.setdefault(spec.name, []).append(spec)

    def get_functions(self, name: str, predicate: Any = None, use_convention: bool = False) -> tuple[list[Any], bool]:
        name = name.rstrip("_")
        if use_convention and self._convention is not None:
            name = self._convention.convert_function_name(name)
        found = self._functions.get(name, ())
        return [spec for spec in found if predicate is None or predicate(spec)], False

    def __call__(
        self,
        name: str,
        engine: Any,
        receiver: Any = NO_VALUE,
        data_context: Any = None,
        use_convention: bool = False,
        function_filter: Any = None,
    ) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            self.budget.enter()
            try:
                return runner.call(
                    name, self, args, kwargs, engine, receiver, data_context, use_convention, function_filter
                )
            finally:
                self.budget.leave()

        return call


def _conventions() -> Any:
    return yaql.conventions.CamelCaseConvention()


def _library() -> Context:
    """A context that holds every function of the table, registered in a fixed order. Nothing writes to it later."""
    stock: Any = yaql.create_context(delegates=True, yaqlized=False)
    levels: list[dict[str, Any]] = []
    while stock is not None:
        levels.append(stock._functions)
        stock = stock.parent
    context: Context | None = None
    for functions in reversed(levels):
        context = Context(context)
        for name in sorted(functions):
            for spec in sorted(functions[name], key=_order):
                allowed = overload(name, spec)
                if allowed is not None:
                    if name == "get":
                        default = allowed.parameters["default"]
                        default.value_type, default.default = _Later(), NO_VALUE
                    context.register_function(allowed)
    assert context is not None
    return context


class _Later(yaqltypes.Lambda):  # type: ignore[misc]
    """An argument as a function of nothing, which gives its value; None where there is no argument."""

    def convert(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if value is NO_VALUE:
            return None
        if value is None:
            return lambda: None
        return super().convert(value, *args, **kwargs)


def _order(spec: Any) -> tuple[str, str]:
    return spec.payload.__module__, spec.payload.__qualname__


_standard: Final = _library()


def known() -> tuple[str, ...]:
    """The names of the functions that may be called, sorted."""
    names: set[str] = set()
    level: Context | None = _standard
    while level is not None:
        names.update(name for name in level._functions if name[0].isalpha())
        level = level.parent
    return tuple(sorted(names))


def context(budget: Budget, names: Mapping[str, object]) -> Context:
    """A new context of one document, in which `names` ("$env") have values."""
    result = Context(_standard, budget)
    for name, given in names.items():
        result[name] = given
    return result


def value(parsed: Parsed, context: Context) -> Any:
    """The value, as yaql has it. Raises whatever yaql and its functions raise."""
    try:
        return parsed.tree(NO_VALUE, context, _engine)
    except exceptions.WrappedException as error:
        raise error.wrapped from None
