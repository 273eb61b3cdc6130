"""Random `Input` classes, values of them, and templates over them. Everything is drawn through `pick`.

A template is made of pieces that can be written in two ways: as it is, and with every use of a name or attribute handed
through `t(number, value)`, so that a rendering tells which of them it came to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

Pick = Callable[[list[Any]], Any]

FIELDS = ["name", "title", "count", "items", "kind", "values", "note", "index", "parts", "owner"]
WRONG = ["nmae", "titel", "owners", "zzz", "Kind", "first", "keys", "upper", "length"]


@dataclass
class Declared:
    """A type: how a stub writes it, what it is made of. `kind`: scalar, list, dict, tuple, union, any, class."""

    kind: str
    text: str
    parts: list[Declared] = field(default_factory=list)
    members: dict[str, tuple[Declared, bool]] = field(default_factory=dict)  # of a class: name → type, required
    mapping: bool = False


class Schema:
    def __init__(self, pick: Pick) -> None:
        self.pick = pick
        self.classes: list[tuple[Declared, str]] = []
        self.input = self.class_("Input", 3)

    def source(self) -> str:
        head = "from datetime import date\nfrom typing import Any, Literal, NotRequired, TypedDict\n"
        return head + "".join(f"\n\n{text}" for _declared, text in self.classes)

    def class_(self, name: str, depth: int) -> Declared:
        mapping = name != "Input" and self.pick([True, False])
        declared = Declared("class", name, mapping=mapping)
        lines = [f"class {name}(TypedDict):" if mapping else f"class {name}:"]
        fields = ["a", "b", "c", "d"] if name == "Input" else FIELDS
        for each in sorted({self.pick(fields) for _ in range(self.pick([2, 3, 4]))}):
            of = self.type(depth - 1)
            required = self.pick([True, True, True, False])
            if mapping:
                lines.append(f"    {each}: {of.text if required else f'NotRequired[{of.text}]'}")
            else:
                lines.append(f"    {each}: {of.text}" + ("" if required else " = ..."))
                required = required and not any(part.text == "None" for part in of.parts)
            declared.members[each] = of, required
        self.classes.append((declared, "\n".join(lines) + "\n"))
        return declared

    def type(self, depth: int) -> Declared:
        kinds = ["str", "str", "int", "float", "bool", "Literal", "date"]
        if depth > 0:
            kinds += ["list", "list", "dict", "tuple", "row", "union", "optional", "class", "class", "class", "Any"]
        kind = self.pick(kinds)
        if kind == "class":
            return self.class_(f"C{len(self.classes)}{depth}{self.pick(list('abcdefgh'))}", depth)
        if kind == "list":
            of = self.type(depth - 1)
            return Declared("list", f"list[{of.text}]", [of])
        if kind == "row":
            of = self.type(depth - 1)
            return Declared("list", f"tuple[{of.text}, ...]", [of])
        if kind == "dict":
            of = self.type(depth - 1)
            return Declared("dict", f"dict[str, {of.text}]", [of])
        if kind == "tuple":
            parts = [self.type(depth - 1), self.type(depth - 1)]
            return Declared("tuple", f"tuple[{parts[0].text}, {parts[1].text}]", parts)
        if kind == "union":
            parts = [self.type(depth - 1), self.type(depth - 1)]
            return Declared("union", " | ".join(part.text for part in parts), parts)
        if kind == "optional":
            parts = [self.type(depth - 1), Declared("scalar", "None")]
            return Declared("union", f"{parts[0].text} | None", parts)
        if kind == "Literal":
            return Declared("scalar", 'Literal["x", "y"]')
        return Declared("any" if kind == "Any" else "scalar", kind)


def values(declared: Declared, pick: Pick, mode: str) -> Any:
    """A value of a type. `mode`: "full" has everything, "sparse" as little as it may, "objects" and "mixed" vary."""
    match declared.kind:
        case "scalar":
            choices: dict[str, list[Any]] = {
                "str": ["", "text", "a,b"], "int": [0, 3], "float": [0.5, 2], "bool": [True, False],
                'Literal["x", "y"]': ["x", "y"], "None": [None], "date": ["2026-01-02"],
            }  # fmt: skip
            return pick(choices[declared.text])
        case "any":
            return pick(["text", 3, None, {"name": "n"}, [1]])
        case "list":
            count = 2 if mode == "full" else 0 if mode == "sparse" else pick([0, 1, 3])
            found = [values(declared.parts[0], pick, mode) for _ in range(count)]
            return tuple(found) if pick([False, False, True]) else found
        case "dict":
            full = ["k", "name"]
            keys = full if mode == "full" else [] if mode == "sparse" else pick([[], ["k"], ["name", "other"]])
            return {key: values(declared.parts[0], pick, mode) for key in keys}
        case "tuple":
            return tuple(values(part, pick, mode) for part in declared.parts)
        case "union":
            parts = declared.parts
            return values(parts[0] if mode == "full" else parts[-1] if mode == "sparse" else pick(parts), pick, mode)
    made = {}
    for name, (of, required) in declared.members.items():
        if required or mode == "full" or (mode != "sparse" and pick([True, False])):
            made[name] = values(of, pick, mode)
    if not declared.mapping and declared.text != "Input" and mode in ("objects", "mixed"):
        return SimpleNamespace(**made)
    return made


@dataclass
class Writing:
    """A text being written; `places`: number → (line, column) of the uses, in the plain writing."""

    traced: bool
    text: str = ""
    stored: bool = False  # whether what is written now is kept in a variable, which may be touched elsewhere or never
    places: dict[int, tuple[int, int]] = field(default_factory=dict)

    def here(self) -> tuple[int, int]:
        return self.text.count("\n") + 1, len(self.text) - (self.text.rfind("\n") + 1) + 1


Piece = Callable[[Writing], None]


class Templates:
    """Makes statements over the variables of a schema."""

    def __init__(self, schema: Schema, pick: Pick) -> None:
        self.pick = pick
        self.schema = schema
        self.number = 0
        self.fresh = 0
        self.macros: list[tuple[str, int]] = []

    # Pieces of text.

    def use(self, inner: Callable[[Writing, int], None]) -> Piece:
        self.number += 1
        number = self.number

        def write(to: Writing) -> None:
            if to.traced:
                to.text += f"{'stored' if to.stored else 't'}({number}, "
            inner(to, number)
            if to.traced:
                to.text += ")"

        return write

    def variable(self, name: str) -> Piece:
        def write(to: Writing, number: int) -> None:
            to.places[number] = to.here()
            to.text += name

        return self.use(write)

    def attribute(self, base: Piece, name: str, item: bool) -> Piece:
        def write(to: Writing, number: int) -> None:
            base(to)
            to.text += "[" if item else "."
            to.places[number] = to.here()
            to.text += f"'{name}']" if item else name

        return self.use(write)

    def position(self, base: Piece, index: int) -> Piece:
        def write(to: Writing, number: int) -> None:
            base(to)
            to.text += "["
            to.places[number] = to.here()
            to.text += f"{index}]"

        return self.use(write)

    def kept(self, piece: Piece) -> Piece:
        def write(to: Writing) -> None:
            before, to.stored = to.stored, True
            piece(to)
            to.stored = before

        return write

    def joined(self, *parts: str | Piece) -> Piece:
        def write(to: Writing) -> None:
            for part in parts:
                if isinstance(part, str):
                    to.text += part
                else:
                    part(to)

        return write

    # Expressions. `scope`: name → type.

    def path(self, scope: dict[str, Declared], wrong: bool = True) -> tuple[Piece, Declared]:
        unknown = wrong and self.pick([0] * 9 + [1])
        name = self.pick([*scope, *scope, "undeclared"] if unknown else [*scope])
        piece, of = self.variable(name), scope.get(name, Declared("any", "Any"))
        for _ in range(self.pick([0, 1, 1, 2, 3])):
            step = self.step(piece, of, wrong)
            if step is None:
                break
            piece, of = step
        return piece, of

    def step(self, piece: Piece, of: Declared, wrong: bool) -> tuple[Piece, Declared] | None:
        if wrong and self.pick([0] * 8 + [1]):
            return self.attribute(piece, self.pick(WRONG), self.pick([True, False])), Declared("any", "Any")
        match of.kind:
            case "class":
                name = self.pick([*of.members])
                return self.attribute(piece, name, self.pick([True, False])), of.members[name][0]
            case "union":
                return self.step(piece, self.pick(of.parts), wrong)
            case "list":
                return self.position(piece, self.pick([0, 1])), of.parts[0]
            case "tuple":
                index = self.pick([0, 1])
                return self.position(piece, index), of.parts[index]
            case "dict":
                return self.attribute(piece, self.pick(["k", "name"]), self.pick([True, False])), of.parts[0]
        return None

    def expression(self, scope: dict[str, Declared], depth: int = 2) -> Piece:
        piece, of = self.path(scope)
        if depth == 0:
            return piece
        text = of.kind == "scalar" and (of.text == "str" or of.text.startswith("Lit"))
        choices = ["path", "path", "default", "filter", "condition", "and", "or", "concat", "compare", "literal"]
        choices += ["first"] + (["method"] * 2 if text else []) + (["map"] * 3 if of.kind == "list" else [])
        match self.pick(choices):
            case "default":
                return self.joined("(", piece, " | default(", self.pick(['"-"', "none", "[]", "0", '"-", true']), "))")
            case "filter":
                known = {
                    "list": ["length", "first", "list", "sort", "join('-')", "last", "reverse | list", "unique | list"],
                    "dict": ["length", "items | list", "dictsort", "list"],
                    "tuple": ["length", "first", "list"],
                    "class": ["items | list", "length", "tojson"],
                }
                anything = ["string", "trim", "upper", "tojson", "default('')", "length", "list", "int", "first"]
                return self.filtered(piece, self.pick(known.get(of.kind, anything) + anything))
            case "condition":
                test, other = self.condition(scope), self.expression(scope, depth - 1)
                return self.joined("(", piece, " if ", test, " else ", other, ")")
            case "and" | "or" as word:
                return self.joined("(", self.condition(scope), f" {word} ", self.expression(scope, depth - 1), ")")
            case "concat":
                return self.joined("(", piece, " ~ ", self.expression(scope, depth - 1), ")")
            case "compare":
                return self.condition(scope)
            case "literal":
                made = self.joined("{'x': ", piece, ", 'y': [", self.expression(scope, depth - 1), "]}")
                return self.joined(made, self.pick([".x", ".y[0]", "['y'] | first", ".y | length", " | length"]))
            case "first":
                other = self.expression(scope, 0)
                return self.joined("([", piece, ", ", other, "] | ", self.pick(["first", "last"]), ")")
            case "method":
                method = self.pick(["upper()", "split(',')[0]", "strip()", "startswith('x')", "splitlines() | length"])
                name, rest = method.split("(", 1)
                return self.joined(self.attribute(piece, name, False), "(", rest)
            case "map":
                return self.mapped(piece, of.parts[0])
        return piece

    def filtered(self, piece: Piece, chain: str) -> Piece:
        def write(to: Writing, number: int) -> None:
            to.text += "("
            piece(to)
            to.text += " | "
            to.places[number] = to.here()
            to.text += chain + ")"

        return self.use(write)

    def mapped(self, piece: Piece, item: Declared) -> Piece:
        names = [*item.members] if item.kind == "class" else ["name"]
        name = self.pick([*names, *names, *names, self.pick(WRONG)])
        before, after = self.pick(
            [("map(attribute='", "') | list"), ("map(attribute='", "', default='-') | list"),
             ("selectattr('", "') | list"), ("selectattr('", "', 'defined') | list | length"),
             ("rejectattr('", "', 'undefined') | map(attribute='name', default=0) | list"),
             ("sort(attribute='", "') | list"), ("groupby('", "') | list"), ("map(attribute='", "') | first")]
        )  # fmt: skip

        self.number += 1
        number = self.number

        def write(to: Writing) -> None:
            to.text += f"(items({number}, " if to.traced else "("
            piece(to)
            to.text += ") | " if to.traced else " | "
            to.text += before
            line, column = to.here()
            to.places[number] = line, column - 1  # the quote
            to.text += name + after + ")"

        return write

    def condition(self, scope: dict[str, Declared], depth: int = 2) -> Piece:
        piece, _of = self.path(scope)
        match self.pick(["test", "test", "test", "truth", "equal", "not", "and", "or", "default"]):
            case "truth":
                return piece
            case "equal":
                ways = [" == 'x'", " != none", " == none", " in ['x', none]", " not in ('x',)", " != ''"]
                return self.joined("(", piece, self.pick(ways), ")")
            case "default":
                more = self.pick(["", " is not none", " != ''", " is string"])
                return self.joined("((", piece, " | default(", self.pick(["none", "''", "false"]), "))", more, ")")
            case "not" if depth:
                return self.joined("(not ", self.condition(scope, depth - 1), ")")
            case "and" | "or" as word if depth:
                left, right = self.condition(scope, depth - 1), self.condition(scope, depth - 1)
                return self.joined("(", left, f" {word} ", right, ")")
        tests = ["defined", "not defined", "undefined", "none", "not none", "string", "not string", "mapping", "number"]
        tests += ["not mapping", "sequence", "boolean", "integer", "true", "float", "not iterable", "iterable"]
        return self.joined("(", piece, f" is {self.pick(tests)})")

    # Statements, each on lines of its own.

    def statement(self, scope: dict[str, Declared], depth: int = 2, looping: bool = False) -> Piece:
        kinds = ["print", "print", "print", "set"]
        if depth:
            kinds += ["for", "for", "if", "if", "if", "with", "macro", "items", "namespace", "block"]
        if looping:
            kinds += ["loop"]
        match self.pick(kinds):
            case "set":
                name = self.pick(["x", "y", *scope])
                made = self.joined("{% set ", name, " = ", self.kept(self.expression(scope)), " %}\n")
                scope[name] = Declared("any", "Any")
                return made
            case "for":
                return self.for_(scope, depth)
            case "items":
                piece, of = self.path(scope)
                key, value = self.name(), self.name()
                below = of.parts[0] if of.kind == "dict" else Declared("any", "Any")
                inner = {**scope, key: Declared("scalar", "str"), value: below}
                method = self.joined(self.attribute(piece, "items", False), "()")
                piece = self.pick([method, method, self.joined(piece, self.pick([" | items", " | dictsort"]))])
                return self.joined(f"{{% for {key}, {value} in ", piece, " %}\n",
                                   self.body(inner, depth - 1, True), "{% endfor %}\n")  # fmt: skip
            case "if":
                return self.if_(scope, depth, looping)
            case "with":
                piece, of = self.path(scope)
                name = self.name()
                inner = {**scope, name: of}
                body = self.body(inner, depth - 1)
                return self.joined(f"{{% with {name} = ", self.kept(piece), " %}\n", body, "{% endwith %}\n")
            case "macro":
                return self.macro(scope, depth)
            case "namespace":
                name = self.name()
                first, then = self.kept(self.expression(scope)), self.kept(self.expression(scope))
                made = self.joined(f"{{% set {name} = namespace(v=", first, f") %}}\n{{% set {name}.v = ", then)
                return self.joined(made, f" %}}\n{{{{ {name}.v }}}}\n")
            case "block":
                name = self.name()
                made = self.joined(f"{{% set {name} %}}\n", self.body(dict(scope), depth - 1), "{% endset %}\n")
                scope[name] = Declared("scalar", "str")
                return made
            case "loop":
                return self.joined("{{ loop.", self.pick(["index", "first", "last", "length", "revindex0"]), " }}\n")
        return self.joined("{{ ", self.expression(scope), " }}\n")

    def name(self) -> str:
        self.fresh += 1
        return f"n{self.fresh}"

    def body(self, scope: dict[str, Declared], depth: int, looping: bool = False) -> Piece:
        return self.joined(*(self.statement(scope, depth, looping) for _ in range(self.pick([1, 1, 2]))))

    def for_(self, scope: dict[str, Declared], depth: int) -> Piece:
        piece, of = self.path(scope)
        name = self.name()
        below = of.parts[0] if of.kind in ("list", "tuple") else Declared("any", "Any")
        inner = {**scope, name: below}
        test = self.joined(" if ", self.condition(inner)) if self.pick([0, 0, 1]) else self.joined("")
        other = self.joined("{% else %}\n", self.body(dict(scope), 0)) if self.pick([0, 0, 1]) else self.joined("")
        return self.joined(f"{{% for {name} in ", piece, test, " %}\n", self.body(inner, depth - 1, True), other,
                           "{% endfor %}\n")  # fmt: skip

    def if_(self, scope: dict[str, Declared], depth: int, looping: bool) -> Piece:
        parts: list[str | Piece] = ["{% if ", self.condition(scope), " %}\n", self.branch(scope, depth, looping)]
        if self.pick([0, 1]):
            parts += ["{% elif ", self.condition(scope), " %}\n", self.branch(scope, depth, looping)]
        if self.pick([0, 1]):
            parts += ["{% else %}\n", self.branch(scope, depth, looping)]
        return self.joined(*parts, "{% endif %}\n")

    def branch(self, scope: dict[str, Declared], depth: int, looping: bool) -> Piece:
        if looping and self.pick([0, 0, 1]):
            return self.joined(self.pick(["{% continue %}\n", "{% break %}\n"]))
        return self.body(scope, depth - 1, looping)

    def macro(self, scope: dict[str, Declared], depth: int) -> Piece:
        name, parameter = self.name(), self.name()
        piece, of = self.path(scope)
        inner = {**scope, parameter: of}
        body = self.body(inner, depth - 1)
        default = self.kept(self.expression(dict(scope), 0))
        head = self.joined(f"{{% macro {name}({parameter}, more=", default, ") %}\n", body)
        if self.pick([0, 0, 1]):
            called = self.joined(head, "{{ caller(", parameter, ") }}\n{% endmacro %}\n")
            given = self.name()
            below = self.body({**scope, given: of}, 0)
            head = self.joined(called, f"{{% call({given}) {name}(", self.kept(piece), ") %}\n")
            return self.joined(head, below, "{% endcall %}\n")
        return self.joined(head, f"{{% endmacro %}}\n{{{{ {name}(", self.kept(piece), ") }}\n")


def written(pieces: Iterator[Piece] | list[Piece], traced: bool) -> Writing:
    to = Writing(traced)
    for piece in pieces:
        piece(to)
    return to


class Files:
    """Templates that pull each other in: a base and its blocks, a partial, a library with and without context.

    `parts`: of each place that pieces are put, the pieces. Every body is reached from one place alone.
    """

    def __init__(self, schema: Schema, pick: Pick, sets: Callable[[str], bool]) -> None:
        """`sets`: whether an expression has a value for all samples."""
        self.pick = pick
        self.made = Templates(schema, pick)
        self.inputs = {name: of for name, (of, _required) in schema.input.members.items()}
        self.extends = pick([True, False])
        self.places_of: dict[str, Writing] = {}
        self.parts: dict[str, list[Piece]] = {
            name: [] for name in ("main", "block", "scoped", "base", "base block", "partial", "context", "bare", "end")
        }
        some = list(self.inputs)
        self.over = self.pick(some)
        self.loop = self.made.kept(self.made.variable(self.over))
        self.looped = Declared("any", "Any")
        of = self.inputs[self.over]
        self.is_list = of.kind == "list" and schema.input.members[self.over][1]
        if self.is_list:
            self.looped = of.parts[0]
        self.arguments: list[tuple[Piece, Declared]] = []
        while len(self.arguments) < 4:
            piece, of = self.made.path(self.inputs, wrong=False)
            if not sets(written([self.made.kept(piece)], traced=True).text):
                name = self.pick(some)
                piece, of = self.made.variable(name), self.inputs[name]
            self.arguments.append((piece, of))
        self.use_loop, self.in_loop = pick([True, False]), pick([True, False])
        self.without = pick([True, False, False])
        self.named = pick([True, False])

    def copy(self) -> dict[str, list[Piece]]:
        return {name: list(pieces) for name, pieces in self.parts.items()}

    def restore(self, parts: dict[str, list[Piece]]) -> None:
        self.parts = parts

    def add(self) -> None:
        """Put a statement somewhere, with the names that are seen there."""
        name = self.pick([*self.parts])
        any_ = Declared("any", "Any")
        first, second, third, fourth = (of for _piece, of in self.arguments)
        scope = {
            "main": {**self.inputs, "set1": any_, "lib": any_},
            "block": {**self.inputs, "set1": any_, "base1": any_},
            "scoped": {**self.inputs, "item": self.looped, "set1": any_, "base1": any_, "loop": any_},
            "base": dict(self.inputs),
            "base block": {**self.inputs, "base1": any_, "set1": any_},
            "partial": {**self.inputs, "item": self.looped, "set1": any_, "loop": any_, "inner": any_},
            "context": {**self.inputs, "p": first, "q": second, "later": any_, "set1": any_},
            "bare": {"p": third, "q": fourth, **({} if self.pick([0, 0, 1]) else self.inputs)},
            "end": {**self.inputs, "item": self.looped, "set1": any_, "given": third},
        }[name]
        self.parts[name].append(self.made.statement(scope, self.pick([1, 2]), False))

    def texts(self, traced: bool) -> dict[str, str]:
        self.places_of = {name: Writing(traced) for name in ("p.ctx/prompt.j2", *_PARTIALS)}
        main, *others = self.places_of.values()
        self.main(main)
        for write, to in zip((self.base, self.partial, self.with_context, self.library), others, strict=True):
            write(to)
        return {name: to.text for name, to in self.places_of.items()}

    def places(self) -> dict[tuple[str, int, int], int]:
        """File, line and column → number, of what was written last."""
        return {
            (name, line, column): number
            for name, to in self.places_of.items()
            for number, (line, column) in to.places.items()
        }

    def body(self, to: Writing, name: str) -> None:
        for piece in self.parts[name]:
            piece(to)

    def main(self, to: Writing) -> None:
        if self.extends:
            to.text += "{% extends 'partials/base.j2' %}\n"
        to.text += "{% import 'partials/bare.j2' as lib %}\n{% set set1 = "
        self.made.kept(self.arguments[0][0])(to)
        to.text += " %}\n"
        if self.extends:
            to.text += "{% block one %}\n{{ super() }}\n"
            self.body(to, "block")
            self.contents(to)
            to.text += "{% endblock %}\n{% block two scoped %}\n"
            self.body(to, "scoped")
            to.text += "{% endblock %}\n"
        else:
            self.body(to, "main")
            self.contents(to)
            self.body(to, "block")

    def contents(self, to: Writing) -> None:
        """What is pulled in, from one place each."""
        before, after = "", ""
        if self.in_loop:
            to.text += "{% for item in "
            (self.loop if self.is_list else self.made.joined("[", self.loop, "]"))(to)
            to.text += " %}\n" + ("{{ loop.index }}\n" if self.use_loop else "")
            after = "{% endfor %}\n"
        else:
            before, after = "{% with item = 'x', inner = 3 %}\n", "{% endwith %}\n"
        to.text += f"{before}{{% include 'partials/part.j2'{' without context' if self.without else ''} %}}\n"
        to.text += "{% from 'partials/context.j2' import m as n with context %}\n{{ n("
        self.made.kept(self.arguments[0][0])(to)
        to.text += ", q=" if self.named else ", "
        self.made.kept(self.arguments[1][0])(to)
        to.text += ") }}\n"
        if not self.extends:
            to.text += "{% call(given) lib.c("
            self.made.kept(self.arguments[2][0])(to)
            to.text += ") %}\n"
            self.body(to, "end")
            to.text += "{% endcall %}\n{{ lib.m("
        else:
            to.text += "{% import 'partials/bare.j2' as own %}\n{{ own.m("
        self.made.kept(self.arguments[2][0])(to)
        to.text += ", q=" if self.named else ", "
        self.made.kept(self.arguments[3][0])(to)
        to.text += f") }}}}\n{after}"

    def base(self, to: Writing) -> None:
        to.text += "{% set base1 = 'text' %}\n"
        self.body(to, "base")
        to.text += "{% block one %}\n"
        self.body(to, "base block")
        to.text += "{% endblock %}\n{% for item in "
        (self.loop if self.is_list else self.made.joined("[", self.loop, "]"))(to)
        to.text += " %}\n{% block two scoped %}x{% endblock %}\n{% endfor %}\n"

    def partial(self, to: Writing) -> None:
        self.body(to, "partial")

    def with_context(self, to: Writing) -> None:
        to.text += "{% macro m(p, q=1) %}\n"
        self.body(to, "context")
        to.text += "{% endmacro %}\n{% set later = [p is defined] %}\n"

    def library(self, to: Writing) -> None:
        to.text += "{% macro c(p) %}\n{{ caller(p) }}\n{% endmacro %}\n{% macro m(p, q=1) %}\n"
        self.body(to, "bare")
        to.text += "{% endmacro %}\n"


_PARTIALS = ("partials/base.j2", "partials/part.j2", "partials/context.j2", "partials/bare.j2")
