"""Markup does what markupsafe's does: every method, operator and function, text and type and exception."""

import copy
import pickle
from typing import Any

import markupsafe
import pytest
from frozenctx.template import markup
from hypothesis import given, settings
from hypothesis import strategies as st
from templates_library.two_sides import Side, assert_same, sides
from templates_library.values import TEXTS, Html, Text, everything

METHODS: dict[str, list[tuple[Any, ...]]] = {
    "__add__": [("<x>",), (1,), (None,), (Html("<i>"),), (Text("<s>"),)],
    "__radd__": [("<x>",), (1,), (Html("<i>"),)],
    "__mul__": [(2,), (0,), (-1,), ("x",), (1.5,)],
    "__rmul__": [(2,), ("x",)],
    "__getitem__": [(0,), (-1,), (slice(1, 4),), (slice(None, None, -1),), (999,), ("x",)],
    "__contains__": [("<",), ("b",), (1,)],
    "__len__": [()],
    "__html__": [()],
    "__html_format__": [("",), ("x",)],
    "__repr__": [()],
    "__str__": [()],
    "capitalize": [(), (1,)],
    "casefold": [()],
    "center": [(20,), (20, "<"), (20, "ab"), (2,)],
    "count": [("a",)],
    "encode": [()],
    "endswith": [(">",), ("&gt;",)],
    "expandtabs": [(), (2,), ("x",)],
    "find": [("<",)],
    "format": [(), (1, 2), ("<x>",), (Html("<i>"),)],
    "format_map": [({"name": "<n>"},), ({},), ()],
    "isupper": [()],
    "join": [(["<a>", Html("<b>"), "c"],), ([1, None],), ("ab<",), (3,)],
    "ljust": [(20,), (20, "&"), (20, "ab")],
    "lower": [(), (1,)],
    "lstrip": [(), ("<",), (1,)],
    "partition": [("b",), ("",), ("zz",)],
    "removeprefix": [("<b>",), (1,)],
    "removesuffix": [("</b>",)],
    "replace": [("b", "<i>"), ("b", Html("<i>"), 1), ("<", ">"), ("a",), ("b", 3)],
    "rjust": [(20,), (20, '"')],
    "rpartition": [("b",), ("",)],
    "rsplit": [(), ("b",), ("b", 1), (None, 1), (1,)],
    "rstrip": [(), (">",)],
    "split": [(), ("b",), ("b", 1), (None, 1), ("",)],
    "splitlines": [(), (True,)],
    "startswith": [("<",)],
    "strip": [(), ("<>",)],
    "striptags": [(), (1,)],
    "swapcase": [()],
    "title": [()],
    "translate": [({98: "<x>", 60: None},), (3,)],
    "unescape": [()],
    "upper": [()],
    "zfill": [(20,)],
}
KEYWORDS: list[tuple[str, dict[str, Any]]] = [
    ("split", {"sep": "b", "maxsplit": 1}), ("rsplit", {"maxsplit": 1}), ("splitlines", {"keepends": True}),
    ("expandtabs", {"tabsize": 3}), ("removesuffix", {"suffix": "x"}), ("removeprefix", {"prefix": "x"}),
    ("format", {"name": "<n>", "x": 1}), ("strip", {"chars": "x"}), ("center", {"width": 3}), ("lower", {"x": 1}),
]  # fmt: skip
SAFE = (
    *TEXTS,
    "<b>bold</b>",
    "<!-- a > b -->c<!-- open",
    "a <b",
    "a<b>c<d",
    "<>",
    "&lt;b&gt;  x <br/>\n y",
    "{} {name!r:>5}",
)


def test_markup_defines_every_name_that_markupsafe_defines() -> None:
    missing = (
        set(vars(markupsafe.Markup))
        - set(vars(markup.Markup))
        - {"__getnewargs__", "__static_attributes__", "__firstlineno__"}
    )
    assert missing == set()
    assert {"escape", "escape_silent", "soft_str", "Markup"} <= set(vars(markup))
    assert set(METHODS) >= {name for name in vars(markupsafe.Markup) if not name.startswith("__")} - {"escape"}


@pytest.mark.parametrize("method", sorted(METHODS))
def test_method_equals_markupsafe(method: str) -> None:
    for text in SAFE:
        for args in METHODS[method]:
            assert_same(lambda side, t=text, a=args: getattr(side.Markup(t), method)(*a), sides(), (text, args))


def test_methods_take_the_keywords_that_markupsafe_takes() -> None:
    for text in SAFE:
        for method, keywords in KEYWORDS:
            assert_same(
                lambda side, t=text, m=method, k=keywords: getattr(side.Markup(t), m)(**k),
                sides(),
                (text, method, keywords),
            )


@pytest.mark.parametrize("function", ["escape", "escape_silent", "soft_str", "Markup"])
def test_function_equals_markupsafe_for_every_value(function: str) -> None:
    pair = sides()
    made = {side.name: everything(side) for side in pair}
    for index in range(len(made["jinja2"])):
        assert_same(
            lambda side, index=index: getattr(side.library, function)(made[side.name][index]),
            pair,
            index,
        )
    assert_same(lambda side: getattr(side.library, function)("a", "b", "c", "d"), pair)
    assert_same(lambda side: getattr(side.library, function)(s="a"), pair)


def test_construction_from_bytes_and_without_argument_equals_markupsafe() -> None:
    for args in [(), (b"\xc3\xa9<", "utf-8"), (b"\xff", "ascii", "replace"), (b"\xff", "ascii"), ("x", "utf-8")]:
        assert_same(lambda side, args=args: side.Markup(*args), sides(), args)
    assert_same(lambda side: side.Markup(object=b"x", encoding="ascii", errors="strict"), sides())


FORMATS = ["%s", "%r", "%d", "%5.1f", "%s %s", "%(a)s", "%(a)r %(b)s", "<%s>", "%x", "%%", "plain", "%i%%", "%c", "%a"]


def operands(side: Side) -> list[Any]:
    return [
        1, 2.5, "<a>", None, True, (), ("<a>",), ("<a>", "<b>"), (side.Markup("<m>"),), (1, Html("<h>")), {"a": "<x>",
        "b": 1},
        {"a": side.Markup("<m>"), "b": Html("<h>")}, ["<a>"], Html("<h>"), Text("<t>"), ({"a": "<t>"},), (["<l>"],),
        b"<b>",
    ]  # fmt: skip


@pytest.mark.parametrize("text", FORMATS)
def test_percent_operator_equals_markupsafe(text: str) -> None:
    for index in range(len(operands(sides()[0]))):
        assert_same(lambda side, index=index: side.Markup(text) % operands(side)[index], sides(), (text, index))


class Formatted:
    def __html_format__(self, format_spec: str) -> str:
        return f"<f {format_spec}>"


@pytest.mark.parametrize(
    "text",
    ["{}", "{0}", "{0!r}", "{0!s:>9}", "{0:>9}", "{0:{1}}", "{0.real}", "{0[0]}", "{a}", "{a[b]}", "{a.nope}", "{", "}",
     "{{{0}}}", "{0!x}", "{0:spec}", "{} {0}", "{0} {}", "{:{}}", "{9}", "{zz}"],
)  # fmt: skip
def test_format_equals_markupsafe(text: str) -> None:
    for args in [(1, 8), ("<x>", ">6"), (Html("<h>"),), (Formatted(), "y"), (["<i>"],), (None,), ()]:
        for keywords in ({}, {"a": {"b": "<ab>"}}, {"a": Html("<h>")}):

            def call(side: Side, args: Any = args, keywords: Any = keywords) -> Any:
                return side.Markup(text).format(*args, **keywords)

            assert_same(call, sides(), (text, args, keywords))
            assert_same(lambda side, k=keywords: side.Markup(text).format_map(k), sides(), (text, keywords))
    assert_same(lambda side: side.Markup(text).format(side.Markup("<m>"), side.Markup("8")), sides(), text)


def test_a_subclass_stays_a_subclass_in_every_operation() -> None:
    class Loud(markup.Markup):
        @classmethod
        def escape(cls, s: Any, /) -> "Loud":
            return super().escape(str(s).upper() if not hasattr(s, "__html__") else s)

    loud = Loud("<b>a b</b>")
    assert Loud("<i>") + "x<" == "<i>X&lt;"
    results = [loud + "x", "x" + loud, loud * 2, loud % (), loud.upper(), loud[1:], loud.split()[0],
    loud.partition("a")[0],
               loud.join(["x"]), loud.format(), Loud.escape("<")]  # fmt: skip
    assert {type(result) for result in results} == {Loud}


def test_text_of_another_library_with_html_counts_as_markup() -> None:
    assert markup.escape(markupsafe.Markup("<b>")) == "<b>"
    assert markup.Markup("<i>") + markupsafe.Markup("<b>") == "<i><b>"
    assert markupsafe.Markup("<i>") + markup.Markup("<b>") == "<i><b>"


def test_escape_of_an_object_that_prints_markup_without_being_markup_escapes_it() -> None:
    class Printing:
        def __init__(self, side: Side) -> None:
            self.side = side

        def __str__(self) -> str:
            text: str = str.__new__(self.side.Markup, "<&>")
            return text

    assert_same(lambda side: side.library.escape(Printing(side)), sides())


def test_markup_can_be_copied_and_pickled() -> None:
    value = markup.Markup("<b>")
    for again in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert type(again) is markup.Markup
        assert again == value


@settings(max_examples=300, deadline=None)
@given(
    st.text(st.sampled_from(list("ab <>&'\";!-/=#x3\n\u00a0é")), max_size=30),
    st.text(st.sampled_from(list("a<>&'\" ")), max_size=4),
)
def test_escaping_and_stripping_equal_markupsafe_on_any_text(text: str, other: str) -> None:
    pair = sides()
    assert_same(lambda side: side.library.escape(text), pair)
    assert_same(lambda side: side.Markup(text).striptags(), pair)
    assert_same(lambda side: side.Markup(text).unescape(), pair)
    assert_same(lambda side: side.Markup(text) + other, pair)
    assert_same(lambda side: other + side.Markup(text), pair)
    assert_same(lambda side: side.Markup(other).join([text, side.Markup(text)]), pair)
    assert_same(lambda side: side.Markup(text).replace(other, text), pair)
    assert_same(lambda side: side.library.escape(side.library.escape(text)), pair)
