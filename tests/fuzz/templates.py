"""Random templates: whole cases, of one template or several that include, import and extend each other.

In: a seed, a dialect. Out: `Case`: a tree of source for each template, and the variables as tagged JSON. Templates
refer only to templates of a later role (`ROLES`), blocks and macros only to others of a kind that cannot come back, so
that rendering ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from fuzz.expressions import DICT_ATTRIBUTES, Expressions, quoted
from fuzz.kinds import (
    ANY,
    FUNCTIONS,
    INT,
    MAYBE,
    NAMES,
    TEXT,
    TREE,
    Kind,
    list_of,
    random_kind,
    scalar,
    value,
)
from fuzz.pieces import NOTHING, Piece
from fuzz.settings import Setting

ROLES = ("main", "base", "root", "part", "item", "lib", "tools")
PARENTS = {"main": "base", "base": "root", "part": "item", "lib": "tools"}
BLOCKS = ("head", "body", "list", "foot", "ñ_1")
DATA = (
    "text ", "a", "\n", "\n\n", "  ", "  \n", "\n  ", "\t", " <p>&amp;</p> ", "it's \"quoted\"", "\\n \\", "日本 é",
    "100% {x} ", "{ } ", "%} ", "one\ntwo\n", "# not a comment\n", "\r\n", "'''", '"""', "%s {0} ", "- item\n",
    "\u2028", "x\x85y", "$ ",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """`trees`: template name → source. `internals`: it reaches for names that the guard keeps away."""

    trees: dict[str, Piece]
    variables: dict[str, Any]
    internals: bool

    @property
    def sources(self) -> dict[str, str]:
        return {name: str(tree) for name, tree in self.trees.items()}


def case(seed: str, setting: Setting) -> Case:
    """Return the case of `seed`: the same one on every machine."""
    return Templates(Random(seed), setting).case()


class Templates(Expressions):
    """Writes statements. `budget`: how many may still come."""

    def __init__(self, rng: Random, setting: Setting) -> None:
        super().__init__(rng, setting.strict, wild=rng.choice((0.0, 0.002, 0.004, 0.01)), chat=setting.dialect.chat)
        self.setting = setting
        self.dialect = setting.dialect
        # Whitespace control would take the line break in front of a line statement.
        self.strips = int(self.dialect.line_statement_prefix is None)
        self.unknown_filters = not self.dialect.strict_names
        self.underscores = self.chance(0.03)
        self.variables: dict[str, Kind] = {}
        self.trees: dict[str, Piece] = {}
        self.exports: dict[str, dict[str, Kind]] = {}
        self.role = 0
        self.budget = 0
        # What belongs to the template being written:
        self.blocks_used: list[str] = []
        self.block_above = -1
        self.exported: dict[str, Kind] = {}
        self.extends = False
        self.at_top = True
        self.can_break = False
        # Whether the template being written prints here what it prints, with nothing in between.
        self.direct = False

    def case(self) -> Case:
        for name in self.rng.sample(NAMES, self.rng.randint(5, 9)):
            self.variables[name] = random_kind(self.rng)
        for name in self.rng.sample(FUNCTIONS, self.rng.randint(2, 6)):
            self.variables[name] = Kind("function", note=(name,))
        if self.chance(0.3):
            self.variables["tree"] = TREE
        for name in ("html", "failing", "both", "grid", "pairs"):
            if self.chance(0.08):
                self.variables[name] = Kind(name)
        self.template("main")
        variables = {name: value(self.rng, kind) for name, kind in self.variables.items()}
        return Case(dict(sorted(self.trees.items())), variables, self.underscores)

    # Tags

    def tag(self, *parts: str | Piece) -> Piece:
        """Return a block tag, now and then with whitespace control or with line breaks inside."""
        if self.dialect.line_statement_prefix is not None and self.chance(0.3):
            begin = self.rng.choice(("\n", "\n  ")) + self.dialect.line_statement_prefix
            return Piece("fixed", (begin, " ", *parts, "\n"))
        begin = self.dialect.block_start_string + self.rng.choices(("", "-", "+"), (24, 2, 1))[0]
        end = self.rng.choices(("", "-", "+"), (24, 2 * self.strips, 1))[0] + self.dialect.block_end_string
        gap = self.rng.choices((" ", "\n  ", ""), (30, 1, 1))[0]
        return Piece("fixed", (begin, gap, *parts, " ", end))

    def printed(self, *parts: str | Piece) -> Piece:
        begin = self.dialect.variable_start_string + self.rng.choices(("", "-"), (16, 1))[0]
        end = self.rng.choices(("", "-"), (16, self.strips))[0] + self.dialect.variable_end_string
        return Piece("fixed", (begin, self.rng.choices((" ", "\n"), (40, 1))[0], *parts, " ", end))

    # Scopes

    @contextmanager
    def kept(self, **changes: Any) -> Iterator[None]:
        """Leave the scope, and the attributes named by `changes`, as they were."""
        before = {name: getattr(self, name) for name in changes}
        scope = self.scope
        self.scope = dict(scope)
        for name, new in changes.items():
            setattr(self, name, new)
        try:
            yield
        finally:
            self.scope = scope
            for name, old in before.items():
                setattr(self, name, old)

    def bind(self, name: str, kind: Kind) -> None:
        self.scope[name] = kind
        if self.at_top and not name.startswith("_"):
            self.exported[name] = kind

    def branch(self, depth: int, *extra: str | Piece) -> tuple[Piece, dict[str, Kind]]:
        """Return a body that may be skipped, and the scope at its end."""
        with self.kept(at_top=False):
            return self.body(depth), self.scope

    def join_branches(self, ends: list[dict[str, Kind]]) -> None:
        """What was bound in some branches only may be unbound after them."""
        names: dict[str, None] = {}
        for end in ends:
            names.update(dict.fromkeys(end))
        for name in names:
            kinds = {end.get(name) for end in ends}
            if len(kinds) == 1:
                self.scope[name] = ends[0][name]
            elif None in kinds or any(kind is None or kind.name in ("lazy", "macro", "module") for kind in kinds):
                self.scope[name] = MAYBE
            else:
                self.scope[name] = ANY

    # Templates

    def template(self, role: str) -> str:
        """Write the template of `role`, if it is not written yet. Return its name."""
        name = f"{role}.j2"
        if name in self.trees:
            return name
        self.trees[name] = NOTHING
        fresh: dict[str, Any] = {
            "role": ROLES.index(role), "budget": self.rng.randint(3, 18), "in_loop": False, "in_macro": False,
            "blocks_used": [], "block_above": -1, "exported": {}, "extends": False, "at_top": True, "can_break": False,
            "calls": [], "direct": role == "main",
        }  # fmt: skip
        with self.kept(**fresh):
            self.scope = {} if role in ("lib", "tools") else dict(self.variables)
            for name_of_host in ("host_join", "host_sees"):
                self.scope[name_of_host] = Kind("function", note=(name_of_host,))
            if role in PARENTS and self.chance(0.4 if role == "main" else 0.3 if role == "base" else 0.1):
                self.direct = False
                tree = self.child(PARENTS[role])
            elif role in ("lib", "tools"):
                tree = self.library()
            elif role in ("base", "root"):
                tree = self.layout()
            else:
                tree = self.body(3)
            self.exports[name] = self.exported
        self.trees[name] = tree
        return name

    def child(self, parent: str) -> Piece:
        self.extends = True
        above = self.template(parent)
        before = [self.statement(1) for _ in range(self.rng.randint(0, 2))]
        target: str | Piece = quoted(above)
        choice = self.rng.random()
        if choice < 0.1:
            target = Piece("fixed", ("(", quoted(above), " if ", self.piece("flag", 1), " else ", quoted(above), ")"))
        elif choice < 0.2:
            target = f"'{parent}' ~ '.j2'"
        extends = self.tag("extends ", target)
        if self.chance(0.06):
            # Then what stands outside of blocks may count.
            self.extends = False
            extends = Piece("fixed", (self.tag("if ", self.piece("flag", 1)), extends, self.tag("endif")))
        after = [self.block(2) if self.chance(0.6) else self.statement(1) for _ in range(self.rng.randint(1, 4))]
        return Piece("body", (*before, extends, *after))

    def layout(self) -> Piece:
        blocks = [self.block(2) for _ in range(self.rng.randint(1, 3))]
        pieces: list[Piece] = []
        for block in blocks:
            pieces += [self.statement(2) for _ in range(self.rng.randint(0, 2))]
            pieces.append(block)
        return Piece("body", tuple(pieces))

    def library(self) -> Piece:
        pieces = []
        for _ in range(self.rng.randint(1, 3)):
            if self.chance(0.4):
                pieces.append(self.statement(1))
            pieces.append(Piece("statement", (self.macro_statement(2),)))
        return Piece("body", tuple(pieces))

    # Statements

    def body(self, depth: int) -> Piece:
        count = self.rng.randint(1, 3 + depth)
        return Piece("body", tuple(self.statement(depth) for _ in range(count)))

    def statement(self, depth: int) -> Piece:
        ways: list[tuple[float, Callable[[int], Piece | None]]] = [
            (3, self.data), (5, self.output), (0.3, self.comment), (0.25, self.raw), (0.15, self.print_tag),
            (0.5, self.do),
        ]  # fmt: skip
        if depth > 0 and self.budget > 0:
            ways += [
                (2.2, self.condition), (2.6, self.loop), (1.6, self.assignment), (0.5, self.assignment_block),
                (0.9, self.namespace), (1, self.macro_statement), (0.7, self.call_block), (0.4, self.filter_block),
                (0.6, self.with_block), (0.35, self.autoescape), (0.6, self.include), (0.5, self.imports),
                (0.25, self.recursive_loop), (0.4, self.block), (0.25, self.cyclers),
                (0.01 if self.chat else 0.15, self.growing_loop),
                (0.3, self.tuple_assignment), (0.15, self.traced_loop), (0.15, self.handed_loop),
                (0.5, self.handed_block),
            ]  # fmt: skip
            if self.chat and self.direct:
                ways.append((1.5, self.generation))
        if self.can_break:
            ways.append((0.5, self.leave))
        while True:
            way = self.rng.choices([way for _, way in ways], [weight for weight, _ in ways])[0]
            self.budget -= way not in (self.data, self.output)
            piece = way(depth - 1)
            if piece is not None:
                return Piece("statement", (piece,))

    def data(self, depth: int) -> Piece:
        return Piece("fixed", tuple(self.rng.choice(DATA) for _ in range(self.rng.randint(1, 3))))

    def output(self, depth: int) -> Piece:
        outputs: list[Piece] = []
        for _ in range(self.rng.choices((1, 2, 3), (6, 3, 1))[0]):
            want = self.rng.choices(("text", "any", "number", "flag", "maybe"), (5, 5, 2, 1, 0.2 if self.strict else 1))
            piece = self.printed(self.piece(want[0], self.rng.choice((0, 1, 2, 3))))
            outputs.append(Piece("option", (piece, self.rng.choice(("", "", " ", ",")))))
        return Piece("fixed", tuple(outputs))

    def generation(self, depth: int) -> Piece:
        # To jinja2 the body is a macro's.
        with self.kept(direct=False, in_macro=True, at_top=False, can_break=False, calls=[]):
            self.scope.pop("kwargs", None)
            body = self.body(depth)
            if self.chance(0.15):
                asked = self.rng.choice(("kwargs", "varargs|length", "caller is defined", "kwargs.more|default('-')"))
                body = Piece("body", (body, Piece("statement", (self.printed(asked),))))
        return Piece("fixed", (self.tag("generation"), body, self.tag("endgeneration")))

    def comment(self, depth: int) -> Piece:
        sign, text = self.rng.choice(("", "-", "+")), self.rng.choice((" note ", " {% if %} {{ x }} ", "\n\n", " 日 "))
        end = self.rng.choice(("", "-" * self.strips))
        if self.dialect.line_comment_prefix is not None and self.chance(0.5):
            return Piece("fixed", (self.dialect.line_comment_prefix, " a remark\n"))
        return Piece("fixed", (self.dialect.comment_start_string, sign, text, end, self.dialect.comment_end_string))

    def raw(self, depth: int) -> Piece:
        begin, end = self.dialect.block_start_string, self.dialect.block_end_string
        text = self.rng.choice(("{{ a }}", " {% if %}\n", "plain", "\n{# #}\n", "{{ '{{' }}"))
        first, second = self.rng.choice(("", "-")), self.rng.choice(("", "-" * self.strips, "+"))
        left = self.rng.choice(("", "-"))
        return Piece("fixed", (f"{begin}{left} raw {first}{end}", text, f"{begin}{left} endraw {second}{end}"))

    def print_tag(self, depth: int) -> Piece:
        items = Piece("series", tuple(self.piece("any", 1) for _ in range(self.rng.randint(1, 2))))
        return self.tag("print ", items)

    def do(self, depth: int) -> Piece | None:
        lists = [name for name, kind in self.scope.items() if kind.name == "list" and self.variables.get(name) != kind]
        if self.chat and self.chance(0.85):  # there nothing can be changed
            return self.tag("do ", self.piece("any", 1))
        choice = self.rng.random()
        # Where it may be repeated (a block, too, may stand in a loop), the list may be one that is looped over.
        once = not (self.in_loop or self.in_macro) and self.block_above < 0 and ROLES[self.role] in ("main", "base")
        if lists and choice < 0.6 and once:
            return self.tag("do ", self.rng.choice(lists), ".append(", self.steady("text"), ")")
        dicts = [(name, kind) for name, kind in self.scope.items() if kind.name == "dict" and kind.fields]
        if dicts and choice < 0.85:
            name, kind = self.rng.choice(dicts)
            field = self.rng.choice([field for field, _ in kind.fields])
            change = (f".update({{'{field}': ", self.steady("text"), "})")
            if field not in DICT_ATTRIBUTES and self.chance(0.2):
                change = (f".pop('{field}', ", self.piece("text", 0), ")")
                self.scope[name] = kind._replace(fields=tuple(f for f in kind.fields if f[0] != field))
            return self.tag("do ", name, *change)
        return self.tag("do ", self.piece("any", 1))

    def steady(self, want: str) -> Piece:
        """What is added to something again and again must not grow with it."""
        with self.kept(calls=[]):
            self.scope = {name: kind for name, kind in self.scope.items() if name in ("count", "host_join")}
            return self.piece(want, 1)

    def condition(self, depth: int) -> Piece:
        head = self.tag("if ", self.piece("flag", 2))
        first, end = self.branch(depth)
        parts: list[str | Piece] = [head, first]
        ends = [end]
        for _ in range(self.rng.choices((0, 1, 2), (6, 2, 1))[0]):
            head = self.tag("elif ", self.piece("flag" if self.chance(0.8) else "any", 2))
            branch, end = self.branch(depth)
            parts.append(Piece("option", (head, branch)))
            ends.append(end)
        if self.chance(0.45):
            branch, end = self.branch(depth)
            parts.append(Piece("option", (self.tag("else"), branch)))
            ends.append(end)
        else:
            ends.append(self.scope)
        self.join_branches(ends)
        return Piece("fixed", (*parts, self.tag("endif")))

    # Loops

    def name(self) -> str:
        return self.rng.choice(NAMES)

    def loop(self, depth: int) -> Piece:
        choice = self.rng.random()
        targets: dict[str, Kind]
        target: str
        if choice < 0.72:
            want = self.rng.choices(("list", "records", "lazy", "texts", "text"), (4, 4, 2, 2, 0.5))[0]
            iterable, kind = self.wanted(want, 2)
            target = self.name()
            targets = {target: kind.item or (TEXT if kind.name == "text" else ANY)}
        elif choice < 0.9:
            base, kind = self.wanted("dict", 1)
            way = self.rng.choice((").items()", ")|items", ")|dictsort"))
            iterable = Piece("expression", ("(", base, way))
            first, second = self.rng.sample(NAMES, 2)
            target, targets = f"{first}, {second}", {first: TEXT, second: ANY}
        else:
            first, second, third = self.rng.sample(NAMES, 3)
            rows = [("(", self.piece("text", 1), ", (", self.piece("int", 1), ", 'x'))") for _ in range(2)]
            iterable = Piece("expression", ("[", Piece("series", tuple(Piece("option", row) for row in rows)), "]"))
            target, targets = f"{first}, ({second}, {third})", {first: TEXT, second: INT, third: TEXT}
        outer = self.in_loop
        test: str | Piece = ""
        if self.chance(0.25):
            with self.kept(in_loop=False):
                self.scope.update(targets)
                test = Piece("option", (" if ", self.piece("flag", 2)))
        with self.kept(in_loop=True, at_top=False, can_break=True):
            self.scope.update(targets)
            body = self.body(depth)
        other: str | Piece = ""
        if self.chance(0.25):
            with self.kept(at_top=False, in_loop=outer):
                other = Piece("option", (self.tag("else"), self.body(depth)))
        return Piece("fixed", (self.tag(f"for {target} in ", iterable, test), body, other, self.tag("endfor")))

    def recursive_loop(self, depth: int) -> Piece | None:
        if self.scope.get("tree") != TREE:
            return None
        test = Piece("option", (" if node.name != ", self.piece("text", 0))) if self.chance(0.3) else ""
        with self.kept(direct=False, in_loop=True, in_macro=True, at_top=False, can_break=True):
            self.scope["node"] = Kind("dict", fields=(("name", TEXT),))
            before = self.body(min(depth, 1))
            after = self.body(min(depth, 0))
        call = self.rng.choice((
            "loop(node.kids)", "loop(node.kids)|upper", "loop(node.kids) if node.kids", "(loop(node.kids)|length)",
            "'<' ~ loop(node.kids) ~ '>'", "loop(node.kids)",
        ))  # fmt: skip
        inner: Piece = Piece("statement", (self.printed(call),))
        if self.chance(0.15):
            inner = Piece("fixed", (self.tag("set inner = loop"), self.tag("for x in [1, 2]"),
                                    self.printed("inner.index ~ loop.index"), self.tag("endfor"), inner))  # fmt: skip
        if self.chance(0.2):
            inner = Piece("fixed", (self.tag("set below"), inner, self.tag("endset"), self.printed("below|trim")))
        other = Piece("option", (self.tag("else"), self.data(0))) if self.chance(0.3) else ""
        head = self.tag("for node in tree", test, " recursive")
        return Piece("fixed", (head, before, inner, after, other, self.tag("endfor")))

    def growing_loop(self, depth: int) -> Piece:
        """A list that gets longer while it is looped over, and a loop object that is handed on."""
        name, item = self.rng.sample(NAMES, 2)
        add = self.tag(f"do {name}.append(3)")
        macro: tuple[Piece, ...] = ()
        if self.chance(0.4):
            macro = (self.tag("macro grow()"), add, self.tag("endmacro"))
            add = self.printed("grow()")
        test = self.tag(f"if {item} == 1", self.rng.choice((" and loop.first", "")))
        asked = self.printed(self.rng.choice(("loop.last", "loop.length", "loop.revindex", "loop.nextitem is defined")))
        growth = [Piece("statement", (test, add, self.tag("endif"))), Piece("statement", (asked,))]
        self.rng.shuffle(growth)
        with self.kept(in_loop=True, at_top=False, can_break=True):
            self.scope[item] = INT
            self.scope.pop(name, None)
            body = self.body(min(depth, 1))
        parts = (
            self.tag(f"set {name} = [1, 2]"), *macro, self.tag(f"for {item} in {name}"), *growth, body,
            self.tag("endfor"),
        )  # fmt: skip
        self.bind(name, list_of(INT))
        return Piece("fixed", parts)

    def traced_loop(self, depth: int) -> Piece | None:
        traced = [name for name, kind in self.scope.items() if kind.name == "traced"]
        if not traced:
            return None
        name, item = self.rng.choice(traced), self.name()
        if name == item:
            return None
        with self.kept(in_loop=True, at_top=False, can_break=True):
            self.scope[item] = self.scope[name].item or ANY
            body = self.body(min(depth, 1))
        taken = self.printed(f"{name}.taken()")
        head = self.tag(f"for {item} in {name}.iterator")
        inside = taken if self.chance(0.5) else NOTHING
        return Piece("fixed", (head, inside, body, inside, self.tag("endfor"), taken))

    def handed_loop(self, depth: int) -> Piece:
        """A loop object that a macro gets, and one that an inner loop sees."""
        item, inner = self.rng.sample(NAMES, 2)
        asked = self.rng.choice(("index", "length", "last", "nextitem|default('-')", "previtem is defined", "depth"))
        macro = (self.tag("macro at(l)"), self.printed(f"l.{asked}"), self.tag("endmacro"))
        with self.kept(direct=False, in_loop=True, in_macro=True, at_top=False, can_break=True, calls=["at(loop)"]):
            self.scope[item] = TEXT
            body = self.body(min(depth, 1))
            self.scope["outer"] = Kind("handed")
            self.scope[inner] = INT
            deeper = self.body(min(depth, 1))
        second = Piece("statement", (
            self.tag("set outer = loop"), self.tag(f"for {inner} in [1, 2]"), deeper, self.tag("endfor")))  # fmt: skip
        call = Piece("statement", (self.printed("at(loop)"),))
        head = self.tag(f"for {item} in ", self.piece("texts", 1))
        return Piece("fixed", (*macro, head, call, body, second, self.tag("endfor")))

    def leave(self, depth: int) -> Piece:
        statement = self.tag(self.rng.choice(("break", "continue")))
        if self.chance(0.15):
            return statement
        return Piece("fixed", (self.tag("if ", self.piece("flag", 1)), statement, self.tag("endif")))

    # Assignments

    def assignment(self, depth: int) -> Piece:
        macros = list(self.candidates("macro"))
        if macros and self.chance(0.08):
            piece, kind = self.rng.choice(macros)
            name = self.name()
            self.bind(name, kind._replace(note=(*kind.note, "heavy")))
            return self.tag(f"set {name} = ", piece)
        want = self.rng.choices(("text", "number", "list", "dict", "flag", "any", "records"), (4, 3, 3, 2, 1, 2, 1))[0]
        piece, kind = self.wanted(want, 2)
        name = self.name()
        self.bind(name, kind)
        return self.tag(f"set {name} = ", piece)

    def tuple_assignment(self, depth: int) -> Piece:
        first, second = self.rng.sample(NAMES, 2)
        (left, kind), (right, other) = self.wanted("text", 1), self.wanted("number", 1)
        self.bind(first, kind)
        self.bind(second, other)
        return self.tag(f"set {first}, {second} = ", left, ", ", right)

    def assignment_block(self, depth: int) -> Piece:
        name = self.name()
        filters = self.rng.choice(("", "", " | upper", " | trim | replace('a', 'b')", " | length", " | default('x')"))
        with self.kept(direct=False, at_top=False):
            body = self.body(depth)
        self.bind(name, INT if "length" in filters else TEXT)
        return Piece("fixed", (self.tag(f"set {name}{filters}"), body, self.tag("endset")))

    def namespace(self, depth: int) -> Piece:
        found = [name for name, kind in self.scope.items() if kind.name == "namespace"]
        if not found or self.chance(0.1):
            name = self.name()
            number, text = self.piece("number", 1), self.piece("text", 1)
            self.bind(name, Kind("namespace", fields=(("count", Kind("int")), ("text", TEXT))))
            return self.tag(f"set {name} = namespace(count=", number, ", text=", text, ")")
        name = self.rng.choice(found)
        number, text = self.steady("number"), self.steady("text")
        choice = self.rng.randrange(5)
        if choice < 2:
            return self.tag(f"set {name}.count = {name}.count + ", number)
        if choice == 2:
            return self.tag(f"set {name}.text = {name}.text ~ ", text)
        if choice == 3:
            return Piece("fixed", (self.tag(f"set {name}.text"), self.data(0), self.tag("endset")))
        first = self.name()
        self.bind(first, TEXT)
        return self.tag(f"set {first}, {name}.count = ", text, ", ", number)

    def cyclers(self, depth: int) -> Piece:
        # Names of their own: these objects print their addresses where a name means something else by chance.
        name = self.rng.choice(("turn", "comma"))
        if self.chance(0.5):
            self.bind(name, Kind("joiner"))
            return self.tag(f"set {name} = joiner(", self.rng.choice(("", "' | '", "'<br>'")), ")")
        items = Piece("series", tuple(self.piece("text", 1) for _ in range(self.rng.randint(1, 3))))
        self.bind(name, Kind("cycler"))
        return self.tag(f"set {name} = cycler(", items, ")")

    def with_block(self, depth: int) -> Piece:
        names = self.rng.sample(NAMES, self.rng.choice((0, 1, 1, 2)))
        values = [self.wanted(self.rng.choice(("text", "number", "list", "dict")), 1) for _ in names]
        pairs = tuple(Piece("option", (f"{name} = ", piece)) for name, (piece, _) in zip(names, values, strict=True))
        with self.kept(at_top=False):
            self.scope.update({name: kind for name, (_, kind) in zip(names, values, strict=True)})
            body = self.body(depth)
        return Piece("fixed", (self.tag("with ", Piece("series", pairs)), body, self.tag("endwith")))

    # Macros and calls

    def macro_statement(self, depth: int) -> Piece:
        name = self.rng.choice(("show", "row", "field", *NAMES[:4]))
        arguments = [(argument, scalar(self.rng)) for argument in self.rng.sample(NAMES, self.rng.randint(0, 3))]
        optional = self.rng.randint(0, len(arguments))
        notes = ["optional"] * optional
        heavy = False
        budget = min(self.budget, 4)
        self.budget -= budget
        uses_caller = self.chance(0.35)
        changes = {"in_macro": True, "at_top": False, "can_break": False, "calls": self.inner_calls(), "budget": budget}
        with self.kept(direct=False, **changes):
            self.scope.pop(name, None)
            pieces = []
            for index, (argument, kind) in enumerate(arguments):
                if index < len(arguments) - optional:
                    pieces.append(Piece("option", (argument,)))
                else:
                    default = self.piece(kind.name, 1)
                    pieces.append(Piece("option", (f"{argument}=", default)))
                self.scope[argument] = kind
            if uses_caller:
                notes.append("caller")
                arity = self.rng.choice((0, 1, 1))
                notes.append(f"caller{arity}")
                call = "(caller(%) if caller is defined else 'none')" if arity else (
                    "(caller() if caller is defined else 'none')")  # fmt: skip
                self.calls = [call]
                if self.chance(0.05):
                    pieces.append(Piece("option", ("caller=none",)))
            extra: list[Piece] = []
            if self.chance(0.2):
                notes.append("varargs")
                extra.append(self.printed("varargs", self.rng.choice(("", "|length", "|join('+')"))))
                self.scope["varargs"] = list_of(ANY)
            if self.chance(0.2):
                notes.append("kwargs")
                extra.append(self.printed("kwargs", self.rng.choice(("", "|dictsort", "['more']|default('-')"))))
            body = self.body(min(depth, 2))
            if uses_caller:
                extra.append(self.printed(call.replace("%", "1")))
            source = str(body)
            heavy = self.in_loop or " for " in source or "show(" in source or "row(" in source or "field(" in source
        if heavy:
            notes.append("heavy")
        self.bind(name, Kind("macro", fields=tuple(arguments), note=tuple(notes)))
        head = self.tag(f"macro {name}(", Piece("series", tuple(pieces)), ")")
        return Piece("fixed", (head, body, *(Piece("option", (e,)) for e in extra), self.tag("endmacro")))

    def call_block(self, depth: int) -> Piece | None:
        found = [(p, k) for p, k in self.candidates("macro") if "heavy" not in k.note or not self.in_macro]
        if not found or (not any("caller" in kind.note for _, kind in found) and self.chance(0.9)):
            if self.scope.get("call_caller", ANY).name != "function":
                return None
            head: tuple[str | Piece, ...] = ("call call_caller(", self.piece("text", 1), ")")
            return Piece("fixed", (self.tag(*head), self.caller_body(depth), self.tag("endcall")))
        takers = [(p, k) for p, k in found if "caller" in k.note] or found
        piece, kind = self.rng.choice(takers)
        arguments: dict[str, Kind] = {self.name(): ANY} if "caller1" in kind.note else {}
        listed = f"({', '.join(arguments)})" if arguments or self.chance(0.2) else ""
        if arguments and self.chance(0.15):
            listed = f"({', '.join(arguments)}, extra='more')"
        with self.kept():
            self.scope.update(arguments)
            body = self.caller_body(depth)
        head = (f"call{listed} ", piece, "(", self.macro_arguments(kind, 1), ")")
        return Piece("fixed", (self.tag(*head), body, self.tag("endcall")))

    def caller_body(self, depth: int) -> Piece:
        with self.kept(direct=False, at_top=False, can_break=False, calls=self.inner_calls(), in_macro=True):
            return self.body(min(depth, 1))

    def inner_calls(self) -> list[str]:
        """Return which blocks a macro or the body of a call block calls."""
        of_blocks = [call for call in self.calls if call.startswith(("self.", "super("))]
        return of_blocks if self.chance(0.3) and not self.in_macro else []

    def filter_block(self, depth: int) -> Piece:
        filters = self.rng.choice((
            "upper", "trim", "replace('a', 'bb')", "indent(2)", "escape", "safe", "title | center(20)", "host_shout",
            "wordwrap(6)", "striptags", "host_peek",
        ))  # fmt: skip
        with self.kept(direct=False, at_top=False):
            body = self.body(depth)
        return Piece("fixed", (self.tag(f"filter {filters}"), body, self.tag("endfilter")))

    def autoescape(self, depth: int) -> Piece:
        setting: str | Piece = self.rng.choice(("true", "true", "false"))
        if self.chance(0.2):
            setting = self.piece("flag", 1)
        with self.kept(at_top=False):
            body = self.body(depth)
        return Piece("fixed", (self.tag("autoescape ", setting), body, self.tag("endautoescape")))

    # Other templates

    def later(self, *roles: str) -> list[str]:
        return [role for role in roles if ROLES.index(role) > self.role]

    def include(self, depth: int) -> Piece | None:
        roles = self.later("part", "item")
        if not roles:
            return None
        name = self.template(self.rng.choice(roles))
        target: tuple[str | Piece, ...] = (quoted(name),)
        ignore = self.chance(0.25)
        choice = self.rng.random()
        if choice < 0.15:
            target = ("[", Piece("series", ("'absent.j2'", quoted(name))), "]")
        elif choice < 0.2:
            target = ("(", quoted(name), " if ", self.piece("flag", 1), " else ", quoted(name), ")")
        elif choice < 0.25:
            target = ("['none', ", quoted(name), "][1]")
        elif choice < 0.35 and (ignore or self.chance(0.1)):
            undefined = "''" if self.strict else "nowhere"
            target = (self.rng.choice(("'absent.j2'", "['absent.j2', 'away.j2']", undefined)),)
        # In a macro jinja2's `without context` gives no text but a generator, which prints its address.
        alone = 0 if self.in_macro else 2
        context = self.rng.choices(("", " with context", " without context"), (6, 1, alone))[0]
        return self.tag("include ", *target, " ignore missing" if ignore else "", context)

    def imports(self, depth: int) -> Piece | None:
        roles = self.later("lib", "tools")
        if not roles:
            return None
        role = self.rng.choice(roles)
        name = self.template(role)
        exports = self.exports.get(name, {})
        context = self.rng.choices(("", " with context", " without context"), (4, 2, 1))[0]
        if self.chance(0.5):
            alias = self.rng.choice(("tools", "lib", *NAMES[:3]))
            self.bind(alias, Kind("module", fields=tuple(exports.items())))
            return self.tag("import ", quoted(name), f" as {alias}", context)
        names = self.rng.sample(sorted(exports), min(len(exports), self.rng.randint(1, 2)))
        pieces = []
        for exported in names:
            alias = self.rng.choice((exported, exported, self.name()))
            if exported.startswith("_"):
                continue
            self.bind(alias, exports[exported])
            pieces.append(f"{exported} as {alias}" if alias != exported else exported)
        if self.chance(0.1) or not pieces:
            pieces.append("nowhere")
        return self.tag("from ", quoted(name), " import ", ", ".join(pieces), context)

    def block(self, depth: int) -> Piece:
        """A block; it refers to blocks that come later in `BLOCKS` only, as do those inside it."""
        possible = [b for i, b in enumerate(BLOCKS) if b not in self.blocks_used and i > self.block_above]
        if not possible or self.in_macro:
            return self.data(0)
        name = self.rng.choice(possible[:2])
        self.blocks_used.append(name)
        place = BLOCKS.index(name)
        required = ROLES[self.role] in ("base", "root") and self.chance(0.08)
        scoped = " scoped" if self.chance(0.6 if self.in_loop else 0.2) else ""
        head = self.tag(f"block {name}{scoped}{' required' if required else ''}")
        end = self.tag("endblock", self.rng.choice(("", f" {name}")))
        if required:
            return Piece("fixed", (head, end))
        calls = []
        if self.extends or ROLES[self.role] == "base":
            calls += ["super()"] * 2 if self.extends else []
        calls += [f"self.{later}()" for later in self.blocks_used if BLOCKS.index(later) > place]
        if self.extends and self.chance(0.1):
            calls.append("super.super()")
        if self.chance(0.1):
            asked = ("super", "self.head", "self.nowhere", "super.super")
            calls.append(self.rng.choice(("self", *(f"({value} is defined)" for value in asked))))
        changes = {"block_above": place, "at_top": False, "can_break": False, "calls": calls, "in_loop": False,
                   "direct": False}  # fmt: skip
        with self.kept(**changes):
            outside = self.scope
            if not scoped:
                self.scope = dict(self.variables)
                self.scope.update({name: outside[name] for name in self.exported if name in outside})
            body = self.body(depth)
        if self.block_above < 0 and not self.in_macro and self.chance(0.3):
            self.calls = [*self.calls, f"self.{name}()"]
        return Piece("fixed", (head, body, end))

    def handed_block(self, depth: int) -> Piece | None:
        """A block, or all of them, as a value."""
        calls = [call for call in self.calls if call.startswith(("self.", "super(")) and call.endswith("()")]
        if not calls:
            return None
        call = self.rng.choice(calls)
        value, _, rest = call.partition("." if call.startswith("self.") and self.chance(0.5) else "(")
        name = "taken"  # another name than all else has: some print where they are in memory
        call = f"{name}{call[len(value):]}"
        if self.chance(0.3):
            macro = (self.tag(f"macro hand({name})"), self.printed(call), self.tag("endmacro"))
            return Piece("fixed", (*macro, self.printed(f"hand({value})")))
        return Piece("fixed", (self.tag(f"set {name} = {value}"), self.printed(call)))
