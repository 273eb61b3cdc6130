"""Every filter of jinja2 gives jinja2's result, or raises jinja2's exception, for whatever a template hands it."""

import pickle
import string
from typing import Any

import pytest
from frozenctx.template.language import FILTERS
from hypothesis import given, settings
from hypothesis import strategies as st
from jinja2.filters import FILTERS as DEFAULT_FILTERS
from templates_library.two_sides import Side, assert_same, sides
from templates_library.values import everything

CTX_FILTERS = {"to_json", "from_json", "as_xml", "as_codeblock", "numbered_list", "bulleted_list", "dedent"}

# Arguments to try with every value, for each filter: positional ones, then keywords.
A = tuple[tuple[Any, ...], dict[str, Any]]


def a(*args: Any, **kwargs: Any) -> A:
    return args, kwargs


ATTRIBUTES = [
    a(attribute="name"), a(attribute="age"), a(attribute="in.x"), a(attribute="x.y.z"), a(attribute=0),
    a(attribute="0"),
    a(attribute="nope"), a(attribute=""), a(attribute="upper"), a(attribute="broken"), a(attribute=None),
]  # fmt: skip
ARGUMENTS: dict[str, list[A]] = {
    "attr": [a(n) for n in ("name", "role", "upper", "broken", "failing", "dynamic", "item", "unset", "nope", "items",
                            "__class__", "_undefined_name", "x", 0, None, "")],
    "batch": [a(2), a(3, "-"), a(0), a(2, None), a("x"), a(linecount=2, fill_with=0)],
    "center": [a(), a(20), a(0), a("x"), a(width=9)],
    "default": [a(), a("d"), a("d", True), a(boolean=True), a(default_value=3, boolean=True)],
    "dictsort": [a(), a(True), a(False, "value"), a(by="value", reverse=True), a(by="neither"), a(True, "key", True)],
    "filesizeformat": [a(), a(True), a(binary=True)],
    "float": [a(), a("d"), a(default=1.5)],
    "format": [a(), a(1), a("<x>", 2), a(name="<n>"), a(1, name="n"), a("a", "b", "c")],
    "groupby": [a("name"), a("age"), a("in.x"), a("nope", default="none"), a("name", case_sensitive=True), a(0), a(1),
                a("age", 7), a("x", case_sensitive=True)],
    "indent": [a(), a(2), a("> "), a(2, True), a(2, True, True), a(blank=True), a(first=True), a("<t>"), a(None)],
    "int": [a(), a(7), a(7, 16), a(base=0), a(default="d"), a(0, 2), a(0, 99)],
    "join": [a(), a(", "), a("<br>"), a("&", "name"), a(attribute="age"), a(", ", attribute="nope"), a(None), a(1)],
    "map": [a(), a("upper"), a("int"), a("default", "x"), a("nope"), a("attr", "name"), a("replace", "a", "b"),
            a(attribute="name", default="D"), a(attribute="nope", default=0), a(attribute="name", x=1),
            a("join", attribute="x"), a(None), a("indent", width=2), *ATTRIBUTES],
    "max": [a(), a(True), a(case_sensitive=True), *ATTRIBUTES],
    "min": [a(), a(True), a(case_sensitive=True), *ATTRIBUTES],
    "replace": [a("a", "b"), a("a", "<i>", 1), a("<", "("), a("", "-"), a("1", 2), a(old="l", new="L", count=1),
                a("a", None), a(count=2)],
    "round": [a(), a(1), a(2, "floor"), a(-1, "ceil"), a(0, "ceil"), a(method="floor"), a(1, "other"), a(method=[])],
    "select": [a(), a("odd"), a("divisibleby", 2), a("none"), a("nope"), a("eq", 1), a(">", 1), a("string"), a(None)],
    "selectattr": [a(), a("name"), a("age", "gt", 2), a("name", "nope"), a("in.x", "defined"), a("nope", "undefined"),
                   a("x"), a(0, "eq", 1), a("age", "odd", 1), a(None)],
    "slice": [a(2), a(3, "-"), a(0), a(-1), a("x"), a(slices=2, fill_with=0)],
    "sort": [a(), a(True), a(case_sensitive=True), a(attribute="age,name"), a(True, attribute="name,nope"),
             a(reverse=True, case_sensitive=True), *ATTRIBUTES],
    "sum": [a(), a(start=10), a("age"), a("age", 1), a(start=""), *ATTRIBUTES],
    "tojson": [a(), a(2), a(indent=0), a(indent="--")],
    "trim": [a(), a("x"), a(" H"), a(chars="<>b"), a(3)],
    "truncate": [a(), a(10), a(10, True), a(10, False, "~"), a(5, True, "", 0), a(2), a(9, leeway=-1), a(3, end="…"),
                 a("x"), a(length=20, leeway=0)],
    "unique": [a(), a(True), a(case_sensitive=True), *ATTRIBUTES],
    "urlize": [a(), a(10), a(10, True), a(None, True, "_blank"), a(target="<t>"), a(rel="b a"), a(nofollow=True,
               rel="x"),
               a(extra_schemes=["tel:", "ftp://"]), a(extra_schemes=["bad"]), a(extra_schemes=[3])],
    "wordwrap": [a(), a(10), a(5, False), a(7, True, "<br>"), a(6, break_on_hyphens=False), a(0),
                 a(10, wrapstring="\r\n")],
    "xmlattr": [a(), a(False), a(autospace=True)],
}  # fmt: skip
ARGUMENTS["d"] = ARGUMENTS["default"]
ARGUMENTS["reject"] = ARGUMENTS["select"]
ARGUMENTS["rejectattr"] = ARGUMENTS["selectattr"]

SETTINGS = [("StrictUndefined", False), ("Undefined", True), ("DebugUndefined", False), ("ChainableUndefined", True)]


def test_every_filter_of_jinja2_and_of_the_format_is_there_and_no_other() -> None:
    assert set(FILTERS) == set(DEFAULT_FILTERS) | CTX_FILTERS
    assert len(DEFAULT_FILTERS) == 54


def shown(value: Any) -> str:
    try:
        return f"{value!r:.60}"
    except Exception:
        return f"a {type(value).__name__}"


@pytest.mark.parametrize(("undefined", "autoescape"), SETTINGS)
@pytest.mark.parametrize("name", sorted(DEFAULT_FILTERS))
def test_filter_equals_jinja2_for_every_value_and_argument(name: str, undefined: str, autoescape: bool) -> None:
    pair = sides(undefined, autoescape)
    # Too many and unknown arguments are part of it.
    for args, kwargs in [*ARGUMENTS.get(name, [a()]), a(1, 2, 3, 4, 5, 6, 7), a(no_such=1)]:
        # Made once for all values of a side: each is used once.
        values = {side.name: everything(side) for side in pair}
        for index, value in enumerate(everything(pair[0])):

            def call(side: Side, index: int = index, args: Any = args, kwargs: Any = kwargs) -> Any:
                return side.filter(name, values[side.name][index], *args, **dict(kwargs))  # noqa: B023

            assert_same(call, pair, f"{shown(value)} | {name}{args}{kwargs}")


@pytest.mark.parametrize(
    ("name", "args"),
    [("batch", (2,)), ("first", ()), ("groupby", (0,)), ("join", ("-",)), ("list", ()), ("map", ("upper",)), ("max",
     ()),
     ("min", ()), ("reverse", ()), ("select", ("string",)), ("slice", (2,)), ("sort", ()), ("sum", (None, "")),
     ("unique", ()), ("last", ()), ("length", ()), ("random", ())],
)  # fmt: skip
def test_filter_uses_up_a_generator_as_jinja2_does(name: str, args: tuple[Any, ...]) -> None:
    for items in ((), ("a",), ("b", "a", "B", "c")):
        for undefined, autoescape in SETTINGS:

            def call(side: Side, items: tuple[str, ...] = items) -> Any:
                source = (item for item in items)
                result = side.filter(name, source, *args)
                if name in ("map", "select", "unique", "batch"):
                    # Lazy: what was not asked for is still in the generator.
                    return [next(result, "none"), list(source)]
                return [list(result) if name in ("slice", "reverse") else result, list(source)]

            assert_same(call, sides(undefined, autoescape), f"{items} | {name}")


def test_group_of_groupby_is_a_pair_with_names() -> None:
    def story(side: Side) -> Any:
        (group,) = side.filter("groupby", [{"n": 1}], "n")
        again = pickle.loads(pickle.dumps(group)) if side.name == "frozenctx" else group
        grouper, items = again
        missing = side.environment.getattr(group, "nope")
        return [group.grouper, group.list, grouper, items, repr(group), str(group), group == (1, [{"n": 1}]), missing]

    assert_same(story, sides())


def test_wordwrap_uses_the_newline_of_the_environment() -> None:
    pair = sides()
    for side in pair:
        side.environment.newline_sequence = "\r\n"
    assert_same(lambda side: side.filter("wordwrap", "one two three\nfour five", 8), pair)


@pytest.mark.parametrize(
    ("policy", "value"),
    [("truncate.leeway", 0), ("urlize.rel", None), ("urlize.rel", "b a"), ("urlize.target", "_top"),
     ("urlize.extra_schemes", ["tel:"]), ("json.dumps_kwargs", {}), ("json.dumps_kwargs", {"ensure_ascii": False}),
     ("json.dumps_function", lambda value, **options: f"<{value}{sorted(options)}>")],
)  # fmt: skip
def test_filter_follows_the_policies_of_the_environment(policy: str, value: Any) -> None:
    pair = sides()
    for side in pair:
        side.environment.policies[policy] = value
    for name, text in (
        ("truncate", "0123456789 " * 24),
        ("urlize", "tel:1 http://a.com"),
        ("tojson", {"b": "é<", "a": 1}),
    ):
        assert_same(lambda side, name=name, text=text: side.filter(name, text), pair, name)


def test_character_classes_of_title_wordcount_xmlattr_and_trim_are_those_of_re_for_all_of_unicode() -> None:
    pair = sides()
    for start in range(0, 0x110000, 0x400):
        letters = [chr(code) for code in range(start, start + 0x400) if not 0xD800 <= code < 0xE000]
        text = "".join(f"a{letter}bC" for letter in letters)
        for name in ("title", "wordcount", "trim", "upper", "lower", "capitalize"):
            assert_same(lambda side, name=name, text=text: side.filter(name, text), pair, name)
    for code in range(0x3000):
        key = f"a{chr(code)}"
        assert_same(lambda side, key=key: side.filter("xmlattr", {key: 1}), pair, key)


# Properties

PIECES = [
    *"aBé ,.-_&<>\"'()[]{}%/:@\n\t\r\u00a0ßΣ日0",
    "&amp;",
    "&gt;",
    "&lt;",
    "www.",
    ".com",
    "http://",
    "mailto:",
    "a@b.de",
]
TEXT = st.one_of(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.text(max_size=30))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
TEXT_CALLS = [
    (name, args)
    for name in ("capitalize", "center", "escape", "forceescape", "indent", "replace", "reverse", "striptags", "title",
                 "trim", "truncate", "upper", "urlencode", "urlize", "wordcount", "wordwrap", "list", "unique", "sort")
    for args, kwargs in ARGUMENTS.get(name, [a()]) if not kwargs
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(TEXT, st.booleans(), st.booleans())
def test_filters_of_text_equal_jinja2_on_any_text(text: str, safe: bool, autoescape: bool) -> None:
    pair = sides("StrictUndefined", autoescape)
    for name, args in TEXT_CALLS:
        assert_same(
            lambda side, name=name, args=args: side.filter(name, side.Markup(text) if safe else text, *args),
            pair,
            f"{name}{args}",
        )


@settings(max_examples=150, deadline=None)
@given(st.lists(JSON, max_size=6), st.integers(-3, 5))
def test_filters_of_lists_equal_jinja2_on_any_list(items: list[Any], number: int) -> None:
    pair = sides()
    for name, args in [
        ("batch", (number, "f")), ("slice", (number, "f")), ("sort", ()), ("unique", ()), ("max", ()), ("min", ()),
        ("sum", ()), ("join", ("-",)), ("groupby", (0,)), ("map", ("string",)), ("select", ("number",)), ("tojson", ()),
        ("tojson", (2,)), ("pprint", ()), ("first", ()), ("last", ()), ("random", ()), ("length", ()), ("string", ()),
    ]:  # fmt: skip
        assert_same(lambda side, name=name, args=args: side.filter(name, items, *args), pair, f"{name}{args}")


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.integers(), st.floats(), st.text(string.digits + "+-._eExXabinf ", max_size=6)), st.integers(-4, 6))
def test_filters_of_numbers_equal_jinja2_on_any_number(value: Any, number: int) -> None:
    pair = sides()
    for name, args in [
        ("abs", ()), ("int", (number,)), ("int", (0, 16)), ("float", ()), ("round", (number,)), ("round", (number,
        "ceil")),
        ("round", (number, "floor")), ("filesizeformat", ()), ("filesizeformat", (True,)), ("tojson", ()),
    ]:  # fmt: skip
        assert_same(lambda side, name=name, args=args: side.filter(name, value, *args), pair, f"{name}{args}")


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(max_size=4), JSON, max_size=5), st.booleans())
def test_filters_of_mappings_equal_jinja2_on_any_mapping(mapping: dict[str, Any], autoescape: bool) -> None:
    pair = sides("Undefined", autoescape)
    for name, args in [
        ("dictsort", ()), ("dictsort", (True, "value")), ("items", ()), ("list", ()), ("tojson", ()), ("urlencode", ()),
        ("xmlattr", ()), ("length", ()), ("map", ("upper",)),
    ]:  # fmt: skip
        assert_same(lambda side, name=name, args=args: side.filter(name, mapping, *args), pair, f"{name}{args}")
