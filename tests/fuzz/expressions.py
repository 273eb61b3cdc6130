"""Random expressions of a wanted sort, over the names that are in scope.

In: what is wanted (`text`, `number`, `list`, …). Out: a piece of source, and what is known about its value. Compound
expressions stand in parentheses, so that any one may take the place of any other. Values stay small: numbers that
repeat or raise to a power are literals.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from random import Random

from fuzz.catalogue import CHAT_FILTERS, FILTERS, METHODS, TESTS, Usage
from fuzz.kinds import (
    ANY,
    FLAG,
    FLOAT,
    INT,
    MAYBE,
    NAMES,
    NONE,
    PRINTABLE,
    TEXT,
    TEXTS,
    Kind,
    list_of,
)
from fuzz.pieces import Piece

Expression = tuple[Piece, Kind]
Way = Callable[[str, int], "Expression | None"]

DICT_ATTRIBUTES = frozenset(name for name in dir(dict) if name[0] != "_")
LOOP_NUMBERS = ("loop.index", "loop.index0", "loop.revindex", "loop.revindex0", "loop.depth", "loop.depth0")
ARGUMENT = re.compile(r"(?:[^,\[\]']|\[[^\]]*\]|'[^']*')+")
PLURAL = {"text": "texts", "number": "numbers", "int": "integers", "flag": "list", "any": "list"}

# Values that are there for one purpose, and the macro and module objects themselves.
SPECIAL_USES = {
    "both": (".name", "['name']", ".id", "['id']"), "failing": (".fine", ".broken|default('-')"), "html": ("",),
    "ticking": (".tick", ".other", "['tick']", "|length", "", " is true"),
    "grid": ("[1, 2]", "[(0, 0)]"), "pairs": ("", "[1]", "[none]", "[(1, 2)]", ".k"), "traced": (".taken()",),
    "macro": (".name", ".arguments", ".catch_kwargs", ".caller"), "module": ("",), "handed": (".index", ".last"),
}  # fmt: skip


def expression(*parts: str | Piece) -> Piece:
    return Piece("expression", parts)


def quoted(text: str, mark: str = "'") -> str:
    """Return `text` as a literal of the language."""
    escaped = text.replace("\\", "\\\\").replace(mark, "\\" + mark)
    for character, code in ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\u2028", "\\u2028"), ("\x85", "\\x85"):
        escaped = escaped.replace(character, code)
    return f"{mark}{escaped}{mark}"


def is_a(kind: Kind, want: str) -> bool:
    """Whether a value of `kind` serves where `want` is wanted."""
    name, item = kind.name, kind.item.name if kind.item else ""
    match want:
        case "number":
            return name in ("int", "float")
        case "texts":
            return name == "list" and item == "text"
        case "numbers":
            return name == "list" and item in ("int", "float")
        case "integers":
            return name == "list" and item == "int"
        case "records":
            return name == "list" and item in ("dict", "object")
        case "sized":
            return name in ("text", "list", "dict")
        case "plain":
            return name in ("int", "text", "none", "flag", "dict") or (name == "list" and item in ("int", "text"))
        case "any":
            return name in PRINTABLE
    return name == want


class Expressions:
    """`scope`: names that are bound for certain → what they hold."""

    def __init__(self, rng: Random, strict: bool, wild: float, chat: bool = False) -> None:
        self.rng = rng
        self.chat = chat
        self.filters = CHAT_FILTERS if chat else FILTERS
        self.strict = strict
        self.wild = wild
        self.scope: dict[str, Kind] = {}
        self.in_loop = False
        self.in_macro = False
        # Calls that give text here: caller(), super(), self.block().
        self.calls: list[str] = []
        self.unknown_filters = False
        self.underscores = False
        common: list[tuple[float, Way]] = [(5, self.variable), (3, self.filtered), (0.8, self.conditional)]
        numeric = [*common, (2, self.literal), (2, self.arithmetic), (2, self.loop_number), (0.5, self.method),
                   (0.6, self.function)]  # fmt: skip
        listed = [*common, (1.5, self.literal), (0.7, self.added), (0.7, self.sliced)]
        self.ways: dict[str, list[tuple[float, Way]]] = {
            "text": [*common, (2, self.literal), (1.6, self.concatenated), (0.5, self.added), (0.5, self.sliced),
                     (0.8, self.method), (1.4, self.macro), (0.6, self.function), (1, self.special), (0.4, self.cycle),
                     (0.3, self.percent), (0.3, self.repeated)],
            "number": numeric, "int": numeric, "float": [*common, (1, self.literal)],
            "flag": [(2, self.variable), (1, self.literal), (2.5, self.tested), (2, self.compared), (1.5, self.logical),
                     (1, self.contained), (2, self.loop_flag), (0.4, self.filtered), (0.4, self.method),
                     (0.5, self.conditional), (0.3, self.function)],
            "list": [*listed, (0.7, self.ranged), (0.8, self.listed), (0.4, self.method), (0.2, self.repeated)],
            "texts": [*listed, (0.5, self.method)], "numbers": listed, "integers": [*listed, (1, self.ranged)],
            "records": [(6, self.variable), (0.7, self.literal), (0.7, self.conditional)],
            "lazy": [(2, self.filtered), (1, self.method), (0.6, self.variable)],
            "dict": [(5, self.variable), (1.5, self.literal), (0.6, self.dictionary), (0.3, self.method)],
            "object": [(1, self.variable)],
            "any": [(3, self.variable), (0.3, self.literal), (1.6, self.subscript), (0.7, self.filtered),
                    (0.4, self.method), (0.5, self.cycle), (0.5, self.conditional), (0.4, self.without_else),
                    (0.3, self.neighbour), (4, self.other), (0.3, self.function), (0.3, self.guarded)],
            "maybe": [(2, self.variable), (2, self.absent), (1, self.neighbour), (0.5, self.without_else),
                      (1, self.other)],
            "sized": [(1, self.other)], "plain": [(3, self.variable), (1, self.literal), (1, self.other)],
        }  # fmt: skip

    # Choosing

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def wanted(self, want: str, depth: int = 2) -> Expression:
        """Return an expression of the sort `want`, at most `depth` levels deep above variables and literals."""
        if self.chance(self.wild):
            return self.wildcard(depth)
        ways = self.ways[want]
        for _ in range(4 if depth > 0 else 0):
            way = self.rng.choices([way for _, way in ways], [weight for weight, _ in ways])[0]
            found = way(want, depth - 1)
            if found is not None:
                return found
        found = self.variable(want, 0) if self.chance(0.6) else None
        return found or self.literal(want, 0)

    def piece(self, want: str, depth: int = 2) -> Piece:
        return self.wanted(want, depth)[0]

    def other(self, want: str, depth: int) -> Expression:
        """Return something more definite than `want`."""
        choices = {
            "sized": ("text", "text", "list", "dict"),
            "plain": ("text", "int", "flag", "texts", "integers"),
        }.get(want, ("text", "text", "text", "number", "number", "flag", "list", "dict"))
        return self.wanted(self.rng.choice(choices), depth)

    # Names

    def candidates(self, want: str) -> Iterator[Expression]:
        for name, kind in self.scope.items():
            if kind.name == "module":
                for field, inner in kind.fields:
                    if is_a(inner, want):
                        yield expression(f"{name}.{field}"), inner
                continue
            if want in ("any", "text") and not (kind.name == "macro" and self.rng.random() < 0.8):
                for use in SPECIAL_USES.get(kind.name, ()) if want == "any" else SPECIAL_USES.get(kind.name, ())[:1]:
                    yield expression("(", name, use, ")"), ANY
            if is_a(kind, want):
                yield expression(name), kind
            for field, inner in kind.fields if kind.name in ("dict", "object", "namespace") else ():
                if is_a(inner, want):
                    yield self.access(name, kind, field), inner
                for deeper, innermost in inner.fields if inner.name in ("dict", "object") else ():
                    if is_a(innermost, want):
                        yield self.access(self.access(name, kind, field), inner, deeper), innermost

    def access(self, base: str | Piece, kind: Kind, field: str) -> Piece:
        by_item = kind.name == "dict" and (field in DICT_ATTRIBUTES or self.rng.random() < 0.3)
        if kind.name == "namespace":
            by_item = False
        if self.chance(0.004 if by_item and field in DICT_ATTRIBUTES else 0.04):
            by_item = not by_item
        if not by_item:
            return expression(base, f".{field}")
        key = f"['{field}']" if self.rng.random() < 0.8 else f"['{field[:1]}' ~ '{field[1:]}']"
        return expression(base, key)

    def variable(self, want: str, depth: int) -> Expression | None:
        found = list(self.candidates(want))
        if not found:
            return None
        piece, kind = self.rng.choice(found)
        if kind.name == "traced":
            return expression(piece, ".iterator"), kind
        return piece, kind

    def absent(self, want: str, depth: int) -> Expression:
        """An undefined value: a name, an attribute or an item that is not there."""
        base = "nowhere"
        found = list(self.candidates("dict")) + list(self.candidates("object"))
        if found and self.chance(0.6):
            piece, _ = self.rng.choice(found)
            return expression(piece, self.rng.choice((".nowhere", "['nowhere']", "[7]"))), MAYBE
        return expression(self.rng.choice((base, base, *NAMES[:6]))), MAYBE

    def wildcard(self, depth: int) -> Expression:
        """Something that may well fail."""
        choice = self.rng.randrange(14 if self.chat else 12)
        if choice < 3:
            return self.absent("maybe", depth)
        if choice < 5:
            return self.wanted(self.rng.choice(("text", "number", "list", "dict", "any", "maybe")), depth)
        if choice == 5:
            return expression("(1 / ", self.piece("number", 0), ")"), FLOAT
        if choice == 6:
            return expression(self.absent("maybe", 0)[0], ".further"), MAYBE
        if choice == 7 and self.in_loop:
            return expression(self.rng.choice(("loop", "loop.nowhere", "loop['index']", "loop|length"))), ANY
        if choice == 8 and "fail" in self.scope:
            return expression(self.rng.choice(("fail()", "fail_with_own_class()", "fail_with_lookup_error()"))), ANY
        if choice == 9:
            base = self.piece("any", 0)
            return expression("(", base, ").", self.rng.choice(("name", "real", "nowhere", "imag", "extra"))), ANY
        if choice == 10 and self.unknown_filters:
            return expression("(", self.piece("text", 0), "|nosuch if ", self.piece("flag", 0), " else 0)"), ANY
        if choice == 11 and self.underscores:
            ending = self.rng.choice(("._private", "['_private']", "|attr('__class__')", ".__len__()", "['_' ~ 'p']"))
            return expression("(", self.piece("any", 0), ")", ending), ANY
        if choice == 12:
            return expression("raise_exception(", self.piece("text", 0), ")"), ANY
        if choice == 13:
            changed = self.rng.choice(("list", "list", "dict"))
            methods = (".append",) if changed == "list" else (".update", ".pop", ".clear", "['setdefault']")
            call = self.rng.choice(("", "(1)", " is defined"))
            return expression("((", self.piece(changed, 0), f"){self.rng.choice(methods)}{call})"), ANY
        return expression(self.rng.choice(("none", "''", "[]", "{}", "0", "()", "-1.0", "False"))), ANY

    # Literals

    def literal(self, want: str, depth: int) -> Expression:
        rng = self.rng
        match want:
            case "text":
                if self.chance(0.05):
                    return expression("'a' \"b\" 'c'"), TEXT
                if self.chat and self.chance(0.05):
                    return expression("strftime_now('%d %b %Y')"), TEXT
                return expression(quoted(rng.choice(TEXTS), rng.choice("'\""))), TEXT
            case "int" | "number":
                return expression(rng.choice(("0", "1", "2", "3", "7", "12", "1_000", "0x1f", "0b101", "(-4)"))), INT
            case "float":
                return expression(rng.choice(("1.5", "0.25", "2e3", "1.0", "(-0.5)", "1e-3"))), FLOAT
            case "flag":
                return expression(rng.choice(("true", "false", "True", "False"))), FLAG
            case "list":
                return self.sequence(rng.choice(("text", "number", "number", "any")), depth)
            case "texts":
                return self.sequence("text", depth)
            case "numbers":
                return self.sequence("number", depth)
            case "integers":
                return self.sequence("int", depth)
            case "records":
                texts = [self.piece("text", 0) for _ in range(rng.randint(1, 3))]
                rows = [expression("{'name': ", text, f", 'id': {index}}}") for index, text in enumerate(texts)]
                fields = (("name", TEXT), ("id", INT))
                return expression("[", Piece("series", tuple(rows)), "]"), list_of(Kind("dict", fields=fields))
            case "lazy":
                return expression("(", self.piece("texts", depth), "|map('upper'))"), Kind("lazy", TEXT)
            case "dict":
                names = rng.sample(("name", "id", "k", "items"), rng.randint(1, 3))
                entries = [(name, self.wanted(rng.choice(("text", "number")), depth)) for name in names]
                pairs = tuple(Piece("option", (f"'{name}': ", piece)) for name, (piece, _) in entries)
                kind = Kind("dict", fields=tuple((name, inner) for name, (_, inner) in entries))
                return expression("{", Piece("series", pairs), "}"), kind
            case "maybe" | "object":
                return self.absent(want, depth)
            case "none":
                return expression("none"), NONE
            case "sized":
                return self.literal(rng.choice(("text", "list")), depth)
        return self.literal(rng.choice(("text", "number", "flag", "none")), depth)

    def sequence(self, want: str, depth: int) -> Expression:
        items = [self.wanted(want, min(depth, 1)) for _ in range(self.rng.randint(0 if self.chance(0.2) else 1, 4))]
        kinds = {kind for _, kind in items}
        kind = list_of(kinds.pop() if len(kinds) == 1 else INT if want == "int" else TEXT if want == "text" else ANY)
        pieces = Piece("series", tuple(piece for piece, _ in items))
        if self.chance(0.2) and len(items) > 1:
            return expression("(", pieces, ",)"), kind
        return expression("[", pieces, "]"), kind

    # Operators

    def arithmetic(self, want: str, depth: int) -> Expression | None:
        operator = self.rng.choice(("+", "-", "*", "/", "//", "%", "**", "+", "-", "u-", "u+"))
        if want == "int" and operator in ("/", "**"):
            return None
        left = self.piece(want, depth)
        if operator[0] == "u":
            return expression(f"({operator[1]}", left, ")"), Kind(want)
        if operator in "+-" or (operator == "*" and self.chance(0.2)):
            right: str | Piece = self.piece(want, depth)
        else:
            right = self.rng.choice("1234")
        if operator == "**":
            left = expression(self.rng.choice(("2", "3", "(-1.5)", "10")))
        return expression("(", left, f" {operator} ", right, ")"), Kind("int" if want == "int" else "float")

    def concatenated(self, want: str, depth: int) -> Expression:
        parts: list[str | Piece] = ["(", self.piece("any", depth)]
        for _ in range(self.rng.randint(1, 3)):
            parts.append(Piece("option", (" ~ ", self.piece(self.rng.choice(("any", "text")), depth))))
        return expression(*parts, " ~ ''" if len(parts) == 2 else "", ")"), TEXT

    def added(self, want: str, depth: int) -> Expression:
        (left, kind), (right, _) = self.wanted(want, depth), self.wanted(want, depth)
        if want != "text":  # lists, tuples and ranges do not add up
            left, right = expression("(", left, "|list)"), expression("(", right, "|list)")
        return expression("(", left, " + ", right, ")"), kind._replace(item=kind.item)

    def repeated(self, want: str, depth: int) -> Expression:
        left, kind = self.wanted(want, depth)
        if want != "text":
            left = expression("(", left, "|list)")
        return expression("(", left, f" * {self.rng.randint(0, 3)})"), kind

    def percent(self, want: str, depth: int) -> Expression:
        pattern = self.rng.choice(("'%s'", "'<%s>'", '"%r"'))
        return expression(f"({pattern} % [", self.piece("text", depth), "][0])"), TEXT

    def sliced(self, want: str, depth: int) -> Expression:
        base, kind = self.wanted(want, depth)
        bounds: tuple[str | Piece, ...] = (self.rng.choice(("1:", ":2", "::2", "1:3", ":", "::-1", "-2:", "0:4:2")),)
        if self.chance(0.2):
            bounds = self.rng.choice(((self.piece("int", 0), ":"), (":", self.piece("int", 0)), ("::", "2")))
        return expression("(", base, ")[", *bounds, "]"), kind

    def subscript(self, want: str, depth: int) -> Expression | None:
        base, kind = self.wanted(self.rng.choice(("list", "text")), depth)
        index = self.rng.choice(("[0]", "[-1]", ".0", "[1]", "[0]"))
        item = kind.item or TEXT
        return (expression("(", base, f"){index}"), item if item.name in PRINTABLE else ANY)

    def compared(self, want: str, depth: int) -> Expression:
        operand = self.rng.choice(("number", "number", "text", "any"))
        operators = ("==", "!=") if operand == "any" else ("<", "<=", ">", ">=", "==", "!=")
        parts: list[str | Piece] = ["(", self.piece(operand, depth)]
        for _ in range(1 if self.chance(0.8) else 2):
            parts.append(Piece("option", (f" {self.rng.choice(operators)} ", self.piece(operand, depth))))
        return expression(*parts, ")"), FLAG

    def logical(self, want: str, depth: int) -> Expression:
        if self.chance(0.3):
            return expression("(not ", self.piece("flag", depth), ")"), FLAG
        operand = "flag" if self.chance(0.7) or want == "flag" and self.chance(0.5) else "any"
        left, right = self.piece(operand, depth), self.piece(operand, depth)
        return expression("(", left, self.rng.choice((" and ", " or ")), right, ")"), FLAG

    def contained(self, want: str, depth: int) -> Expression:
        item, whole = self.rng.choice((("text", "text"), ("any", "list"), ("text", "dict"), ("text", "texts")))
        operator = self.rng.choice((" in ", " not in "))
        return expression("(", self.piece(item, depth), operator, self.piece(whole, depth), ")"), FLAG

    def conditional(self, want: str, depth: int) -> Expression:
        (yes, kind), (no, other) = self.wanted(want, depth), self.wanted(want, depth)
        test = self.piece("flag", depth)
        return expression("(", yes, " if ", test, " else ", no, ")"), kind if kind == other else Kind(
            want if is_a(Kind(want), want) else kind.name, kind.item, ()
        )

    def without_else(self, want: str, depth: int) -> Expression:
        return expression("(", self.piece("any", depth), " if ", self.piece("flag", depth), ")"), MAYBE

    def guarded(self, want: str, depth: int) -> Expression:
        """What fails if it is evaluated, where it may not be."""
        name = self.absent("maybe", 0)[0]
        choice = self.rng.randrange(7 if self.chat else 5)
        if choice > 4:
            test, other = self.piece("number", 0), self.piece("any", depth)
            return expression("(raise_exception('no ' ~ ", other, ") if ", test, " == 7 else ", other, ")"), ANY
        if choice == 0:
            return expression("(", name, " is defined and ", name, ".name)"), ANY
        if choice == 1:
            return expression("(", name, " is undefined or ", name, ".a.b)"), ANY
        if choice == 2 and "fail" in self.scope:
            test, other = self.piece("number", 0), self.piece("any", depth)
            return expression("(fail() if ", test, " == 77 else ", other, ")"), ANY
        if choice == 3 and "failing" in self.scope:
            test = expression("(", self.piece("any", 0), " is sameas failing)")
            return expression("(", test, " and failing.broken)"), ANY
        return expression("(", name, " if ", name, " is defined else ", self.piece("text", 0), ")"), ANY

    # Filters, tests, methods

    def using(self, usages: list[Usage], depth: int, want: str) -> tuple[Piece, Piece, Usage, Kind] | None:
        """Return input, arguments (with their parentheses, or nothing), the usage, and the input's kind."""
        usage = self.rng.choice(usages)
        name, source, choices, output = usage
        if source[0] in "'[":
            return expression(source), self.arguments(self.rng.choice(choices), "name", depth), usage, TEXT
        if output == "item":
            source = PLURAL.get(want, source)
        if source == "object" and not any(self.candidates("object")):
            return None
        base, kind = self.wanted(source, depth)
        owner = kind.item if kind.item is not None and source == "records" else kind
        fields = [field for field, _ in owner.fields] or ["name"]
        return base, self.arguments(self.rng.choice(choices), self.rng.choice(fields), depth), usage, kind

    def arguments(self, template: str, field: str, depth: int) -> Piece:
        pieces = []
        for argument in ARGUMENT.findall(template):
            parts: list[str | Piece] = []
            for index, part in enumerate(re.split(r"\{(\w+)\}", argument.strip())):
                if index % 2 == 0:
                    parts.append(part)
                elif part == "small":
                    parts.append(str(self.rng.randint(1, 4)))
                elif part == "char":
                    parts.append(self.rng.choice(("'…'", "'.'", "''")))
                elif part == "field":
                    parts.append(quoted(field))
                else:
                    parts.append(self.piece(part, min(depth, 1)))
            pieces.append(Piece("option", tuple(parts)))
        if pieces and "=" not in template and self.chance(0.04):
            return Piece("fixed", ("(*[", Piece("series", tuple(pieces)), "])"))
        if len(pieces) == 1 and "=" in template and self.chance(0.1):
            name, value = str(pieces[0].parts[0]).split("=", 1)
            return Piece("fixed", (f"(**{{'{name}': {value}", *pieces[0].parts[1:], "})"))
        return Piece("fixed", ("(", Piece("series", tuple(pieces)), ")")) if pieces else Piece("fixed", ())

    def filtered(self, want: str, depth: int) -> Expression | None:
        outputs = {
            "number": ("number", "int", "item"), "text": ("text", "item"), "any": ("any", "item"),
            "list": ("list", "texts", "numbers", "lazy"), "texts": ("texts",), "numbers": ("numbers",),
            "integers": (), "float": (),
        }.get(want, (want,))  # fmt: skip
        found = self.using([usage for usage in self.filters if usage[3] in outputs], depth, want) if outputs else None
        if found is None:
            return None
        base, arguments, (name, source, _, output), kind = found
        result = expression("(", base, f"|{name}", arguments, ")")
        if output == "item":
            item = kind.item or ANY
            return result, item if is_a(item, want) else ANY
        if output == "lazy" and want != "lazy":
            return expression("(", result, "|list)"), list_of(ANY)
        if output == "list" and name in ("sort",):
            return result, kind
        plural = {"texts": list_of(TEXT), "numbers": list_of(FLOAT), "list": list_of(ANY), "lazy": Kind("lazy", ANY)}
        return result, plural.get(output, Kind(output if output != "number" else "float"))

    def tested(self, want: str, depth: int) -> Expression | None:
        found = self.using(list(TESTS), depth, want)
        if found is None:
            return None
        base, arguments, (name, *_), _ = found
        if not name[0].isalpha():
            # These have no syntax of their own.
            return expression("([", base, f"]|select('{name}', ", self.piece("number", 0), ")|list|length == 1)"), FLAG
        return expression("(", base, " is not " if self.chance(0.25) else " is ", name, arguments, ")"), FLAG

    def method(self, want: str, depth: int) -> Expression | None:
        outputs = {"number": ("int",), "list": ("texts", "lazy")}.get(want, (want,))
        usages = [usage for usage in METHODS if usage[3] in outputs]
        found = self.using(usages, depth, want) if usages else None
        if found is None:
            return None
        base, arguments, (name, _, _, output), kind = found
        result = expression("(", base, f").{name}", arguments if arguments.parts else "()")
        if output == "lazy" and want != "lazy":
            return expression("(", result, "|list)"), list_of(ANY)
        if output == "dict":
            return result, kind
        return result, {"texts": list_of(TEXT), "lazy": Kind("lazy", ANY)}.get(output, Kind(output))

    # Calls and globals

    def ranged(self, want: str, depth: int) -> Expression | None:
        if "range" in self.scope:
            return None
        length = expression("(", self.piece("sized", 0), "|length)")
        limits = self.rng.choice((("range(3)",), ("range(1, 4)",), ("range(5, 0, -2)",), ("range(", length, " % 5)")))
        return expression(*limits), list_of(INT)

    def dictionary(self, want: str, depth: int) -> Expression | None:
        if "dict" in self.scope:
            return None
        value, kind = self.wanted(self.rng.choice(("text", "number")), depth)
        options = (Piece("option", ("name=", value)), Piece("option", ("**{'id': ", self.piece("int", 0), "}")))
        return expression("dict(", Piece("series", options), ")"), Kind("dict", fields=(("name", kind),))

    def listed(self, want: str, depth: int) -> Expression:
        base, kind = self.wanted("lazy", depth)
        return expression("(", base, "|list)"), list_of(kind.item or ANY)

    def function(self, want: str, depth: int) -> Expression | None:
        functions = [name for name, kind in self.scope.items() if kind.name == "function" and kind.note == (name,)]
        give = {
            "text": ("upper", "kwargs", "see_context", "host_join", "host_sees"), "number": ("count", "add"),
            "int": ("count",), "flag": ("see_environment", "see_eval_context"),
            "any": () if self.strict else ("stop",),
        }.get(want, ())  # fmt: skip
        possible = [name for name in functions if name in give]
        if not possible:
            return None
        name = self.rng.choice(possible)
        call: tuple[str | Piece, ...]
        match name:
            case "upper":
                call = (self.rng.choice(("(", "(text=")), self.piece("text", depth), ")")
            case "add":
                a, b = self.piece("number", depth), self.piece("number", depth)
                call = self.rng.choice((("(", a, ", ", b, ")"), ("(*[", a, ", ", b, "])"), ("(", a, ", b=", b, ")")))
            case "kwargs":
                value = Piece("option", ("a=", self.piece("text", depth)))
                more = Piece("option", ("**{'Größe': ", self.piece("text", 0), "}"))
                call = ("(", Piece("series", (value, more)), ")")
            case "see_context" | "host_sees":
                call = (f"('{self.rng.choice(NAMES)}')",)
            case "host_join":
                call = ("(", self.piece("any", depth), ", ", self.piece("any", depth), ")")
            case _:
                call = ("()",)
        return expression(name, *call), Kind({"any": "maybe", "number": "int"}.get(want, want))

    def macro(self, want: str, depth: int) -> Expression | None:
        found = [
            (piece, kind)
            for piece, kind in self.candidates("macro")
            if "heavy" not in kind.note or not (self.in_macro or self.in_loop)
        ]
        if not found:
            return None
        piece, kind = self.rng.choice(found)
        return expression(piece, "(", self.macro_arguments(kind, depth), ")"), TEXT

    def macro_arguments(self, kind: Kind, depth: int) -> Piece:
        """Return arguments that fit the macro, or now and then do not."""
        needed = len(kind.fields) - sum("optional" in note for note in kind.note)
        given = self.rng.randint(needed, len(kind.fields))
        if self.chance(self.wild):
            given += self.rng.choice((-1, 1))
        pieces = []
        by_name = False
        for name, argument in kind.fields[: max(given, 0)]:
            by_name = by_name or self.chance(0.2)
            value = self.piece(argument.name if argument.name in self.ways else "any", depth)
            pieces.append(Piece("option", (f"{name}=" if by_name else "", value)))
        if "varargs" in kind.note and not by_name and given == len(kind.fields) and self.chance(0.6):
            pieces.append(Piece("option", (self.piece("text", 0),)))
        if "varargs" in kind.note and not by_name and given == len(kind.fields) and self.chance(0.3):
            pieces.append(Piece("option", ("*[1, 'two']",)))
        if "kwargs" in kind.note and self.chance(0.6):
            pieces.append(Piece("option", ("more=", self.piece("any", 0))))
            if self.chance(0.3):
                pieces.append(Piece("option", ("**{'other': 1}",)))
        return Piece("series", tuple(pieces))

    def special(self, want: str, depth: int) -> Expression | None:
        if not self.calls:
            return None
        call = self.rng.choice(self.calls)
        if "%" in call:
            before, after = call.split("%")
            return expression(before, self.piece("any", min(depth, 1)), after), TEXT
        return expression(call), TEXT

    def cycle(self, want: str, depth: int) -> Expression | None:
        found = [name for name, kind in self.scope.items() if kind.name in ("cycler", "joiner")]
        if found and self.chance(0.7):
            name = self.rng.choice(found)
            if self.scope[name].name == "joiner":
                return expression(name, "()"), TEXT
            return expression(name, self.rng.choice((".next()", ".next()", ".current"))), TEXT
        if not self.in_loop:
            return None
        options = tuple(self.piece("text", depth) for _ in range(self.rng.randint(1, 3)))
        return expression("loop.cycle(", Piece("series", options), ")"), TEXT

    # The loop

    def loop_number(self, want: str, depth: int) -> Expression | None:
        return (expression(self.rng.choice((*LOOP_NUMBERS, "loop.length"))), INT) if self.in_loop else None

    def loop_flag(self, want: str, depth: int) -> Expression | None:
        if not self.in_loop:
            return None
        if self.chance(0.2):
            return expression("loop.changed(", self.piece("any", min(depth, 1)), ")"), FLAG
        return expression(self.rng.choice(("loop.first", "loop.last"))), FLAG

    def neighbour(self, want: str, depth: int) -> Expression | None:
        if not self.in_loop:
            return None
        name = self.rng.choice(("loop.previtem", "loop.nextitem"))
        if want == "any" and self.strict:
            return expression("(", name, "|default('none'))"), ANY
        return expression(name), MAYBE
