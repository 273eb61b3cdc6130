"""What the generator knows about values, and random values of each kind.

In: a source of randomness. Out: `Kind`s, and values of them as tagged JSON (`template_corpus.contexts`). Knowing kinds
is what lets most random templates render.
"""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple


class Kind(NamedTuple):
    """`item`: of what a list or iterator yields. `fields`: what a dict, an object or a macro has. `note`: more."""

    name: str
    item: Kind | None = None
    fields: tuple[tuple[str, Kind], ...] = ()
    note: tuple[str, ...] = ()


INT, FLOAT, FLAG, NONE, TEXT, ANY, MAYBE = map(Kind, ("int", "float", "flag", "none", "text", "any", "maybe"))
LOUD = Kind("loud")
TREE = Kind("tree")
TICKING = Kind("ticking")
SCALARS = (INT, INT, FLOAT, FLAG, TEXT, TEXT, TEXT)
PRINTABLE = ("int", "float", "flag", "none", "text", "any", "list", "dict", "object", "loud", "tree", "namespace")

# Names that mean something to dicts, to Python, or to programs are among them.
FIELDS = ("name", "id", "title", "items", "count", "value", "get", "Größe", "index", "content", "class")
NAMES = (
    "a", "b", "c", "user", "rows", "item", "items", "text", "write", "out", "context", "str", "missing", "engine",
    "ñ", "x1", "class", "range", "dict", "l_0_a", "isinstance", "undefined", "escape", "_hidden",
    "template", "resolve", "len",
)  # fmt: skip
FUNCTIONS = (
    "count", "count", "upper", "add", "kwargs", "stop", "call_caller", "see_context", "see_environment",
    "see_eval_context", "fail", "fail_with_own_class", "fail_with_lookup_error",
)  # fmt: skip

INTEGERS = (0, 1, 2, 3, 5, 7, 10, 42, -1, -3, 100, 999, 1024, 123456789, 10**20)
FLOATS = (0.0, 1.5, -2.25, 3.0, 0.1, 1e20, 2.5, 1e-7)
TEXTS = (
    "", "a", "abc", "Hello World", "<b>bold</b> & 'q' \"d\"", "  padded\t", "one\ntwo\n\nthree\n", "日本語 👩‍👧 é",
    "ß ǅ İ", "42", " 1.5 ", "%s", "{0}", "{{ no }}", "{% no %}", "a,b,c", "back\\slash \\n", "x-y (z)", "nan",
    "http://example.com/?a=1&b=2 me@example.com", "&lt;i&gt;&amp;", "word " * 8, "\u2028\x85\x0b", "Zebra", "apple",
    "\r\n", "None", "it's", "'", '"', "a'b\"c",
)  # fmt: skip


def list_of(item: Kind) -> Kind:
    return Kind("list", item)


def scalar(rng: Random) -> Kind:
    return rng.choice(SCALARS)


def record(rng: Random, name: str | None = None) -> Kind:
    fields = sorted(rng.sample(FIELDS, rng.randint(1, 4)))
    return Kind(name or rng.choice(("dict", "dict", "dict", "object")), fields=tuple((f, scalar(rng)) for f in fields))


def random_kind(rng: Random, depth: int = 2) -> Kind:
    """Return the kind of one variable."""
    choice = rng.random()
    if choice < 0.4 or depth == 0:
        return scalar(rng)
    if choice < 0.62:
        return list_of(scalar(rng))
    if choice < 0.76:
        return list_of(record(rng))
    if choice < 0.92:
        whole = record(rng)
        if rng.random() < 0.4:
            inner = (rng.choice(("part", "keys", "more")), random_kind(rng, depth - 1))
            whole = whole._replace(fields=(*whole.fields, inner))
        return whole
    if choice < 0.96:
        return list_of(list_of(scalar(rng)))
    special = (NONE, LOUD, MAYBE, Kind("lazy", scalar(rng)), Kind("traced", scalar(rng)))
    return rng.choice((*special, TICKING) if depth == 2 else special)


def value(rng: Random, kind: Kind) -> Any:
    """Return a random value of `kind`, as tagged JSON."""
    match kind.name:
        case "int":
            return rng.choice(INTEGERS)
        case "float":
            return {"$float": rng.choice(("nan", "inf", "-inf"))} if rng.random() < 0.05 else rng.choice(FLOATS)
        case "flag":
            return rng.random() < 0.5
        case "text":
            word = rng.choice(TEXTS)
            return {"$markup": word} if rng.random() < 0.12 else word
        case "any":
            return value(rng, scalar(rng))
        case "loud":
            return {"$loud": rng.choice(("ding", "<dong>"))}
        case "maybe":
            return {"$undefined": rng.choice(("gone", "lost"))}
        case "list" | "lazy" | "traced":
            assert kind.item is not None
            items = [value(rng, kind.item) for _ in range(rng.choice((0, 1, 2, 2, 3, 3, 4)))]
            if kind.name != "list":
                return {{"lazy": "$generator", "traced": "$traced"}[kind.name]: items}
            if kind.item == INT and rng.random() < 0.2:
                return {"$range": [rng.randint(0, 3), rng.randint(2, 6)]}
            return {"$tuple": items} if rng.random() < 0.2 else items
        case "dict" | "object":
            fields = {name: value(rng, field) for name, field in kind.fields}
            if kind.name == "dict":
                return {"$dictsub": fields} if rng.random() < 0.25 else fields
            return {"$object": fields}
        case "tree":
            return [node(rng, 2) for _ in range(rng.randint(1, 2))]
        case "function":
            return {"$callable": kind.note[0]}
        case "ticking":
            return {"$ticking": rng.randint(0, 9)}
        case "html":
            return {"$html": {"html": "<i>", "text": "i"}}
        case "failing":
            failure = rng.choice(("AttributeError", "KeyError", "ValueError"))
            return {"$failing": {"attribute": failure, "str": rng.random() < 0.3}}
        case "both":
            return {"$both": {"attributes": {"name": "attribute"}, "entries": {"name": "entry", "id": 1}}}
        case "grid":
            return {"$grid": {"1,2": "cell", "0,0": "origin"}}
        case "pairs":
            return {"$pairs": [[1, "one"], [None, "nothing"], [{"$tuple": [1, 2]}, "pair"], ["k", 2.5]]}
    return None


def node(rng: Random, depth: int) -> dict[str, Any]:
    kids = [node(rng, depth - 1) for _ in range(rng.randint(0, 2))] if depth else []
    return {"name": rng.choice(TEXTS), "kids": kids}
