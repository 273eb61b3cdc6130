"""What `Prompt.parse` makes of what models write: values, or one ReplyError that can be sent back."""

import copy
import json
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import pytest
from frozenctx.errors import ReplyError, SchemaError
from handmade import files, package, stored
from hypothesis import given, settings
from hypothesis import strategies as st

SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 8}},
        "rank": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    },
    "required": ["title"],
    "additionalProperties": False,
}


def prompt(**settings: Any) -> frozenctx.Prompt:
    return frozenctx.load(files(package("briefs/draft", "x", **settings)))["briefs/draft"]


DRAFT = prompt(reply_schema=SCHEMA)
ANY = prompt(reply_schema=True)


def refused(text: str, prose: Any = "error", by: frozenctx.Prompt = DRAFT) -> ReplyError:
    with pytest.raises(ReplyError) as caught:
        by.parse(text, prose)
    return caught.value


def said(text: str, prose: Any = "error", by: frozenctx.Prompt = ANY) -> str:
    ((pointer, message),) = refused(text, prose, by).problems
    assert pointer == ""
    return message


# Values


@pytest.mark.parametrize("prose", ["error", "strip"])
@pytest.mark.parametrize(
    "text",
    [
        '{"title": "x"}',
        ' \n{"title": "x"}\r\n',
        '\ufeff{"title": "x"}',
        '```json\n{"title": "x"}\n```',
        '\ufeff  ```json\n{"title": "x"}\n```\n\n',
        '```\r\n{"title": "x"}\r\n```',
        '~~~ JSON5 title="a"\n{"title":\n"x"}\n~~~~',
        '````\n{"title": "x"}\n````',
        '```json\n{"title": "x"}',
        '```{"title": "x"}```',
        '``` json {"title": "x"} ```',
        '\t```json\n\t{"title": "x"}\n\t```',
        '```json\n{"title":"x"}```',
        '```json\n{"title":"x"} ```',
        '```{\n"title":"x"}\n```',
        '```json {"title":\n"x"}\n```',
        '```json{"title":"x"}```',
        '```json\n\ufeff{"title":"x"}\n```',
        '{"title":"x"}\n```',
        '{"title":"x"}```\n',
        '```application/json\n{"title":"x"}\n```',
    ],
)
def test_json_is_read_with_or_without_a_fence_and_a_byte_order_mark(text: str, prose: Any) -> None:
    assert DRAFT.parse(text, prose) == {"title": "x"}


@pytest.mark.parametrize(
    "text",
    [
        'Here you are:\n```json\n{"title": "x"}\n```\nAnything else?',
        'Sure! {"title": "x"} I hope that helps.',
        '```python\nprint({"a": 1})\n```\nwhich gives\n```json\n{"title": "x"}\n```',
        '```\nnot json\n```\n{"title": "x"}',
        'As [1] says, and [{"title": "no"}] too: {"title": "x"} and {"title": "y"}',
        'With {braces} and [brackets], {"title": "x"}',
        '{"title": 5} or rather {"title": "x"}',
        '{"title": "x"}\n{"title": "y"}',
        'ends```\n```json\n{"title": "x"}\n```',
        'First {"title": "draft"}, then:\n```json\n{"title": "x"}\n```\nDone.',
        "```python\nwrong = {'title': '}'}\n```\nrather {\"title\": \"x\"}",
        'With \\frac{a_{1}}{b}, [the user\'s](there) and [1, 2,]: {"title": "x"}',
        '{"title": "x"} but not {"title": "y",}',
        '"} and ]: {"title": "x"}',
        '```json\n{"title": "y",}\n```\nSorry, rather:\n```json\n{"title": "x"}\n```',
        '```json\n{"title": 1}\n{"title": 2}\n```\nor:\n~~~\n{"title": "x"}\n~~~\nor {"title": "y"}',
        'As {"title": ..., "tags": ["a", ...]} or {"title": <words>}, so {"title": "x"}',
    ],
)
def test_json_inside_of_prose_is_found_on_request_alone(text: str) -> None:
    assert DRAFT.parse(text, "strip") == {"title": "x"}
    assert refused(text)


def test_text_inside_of_values_is_no_fence_and_no_prose() -> None:
    value = {"title": '```json\n{}\n``` {"a": 1} [2]'}
    assert DRAFT.parse(json.dumps(value), "strip") == value
    assert DRAFT.parse(f"Look: {json.dumps(value)} !", "strip") == value


@pytest.mark.parametrize("text", ["12", '"x"', "null", "-0.5e1", "[]", "true", '"```"'])
def test_a_schema_may_ask_for_any_value(text: str) -> None:
    for fenced in ("{}", "```\n{}\n```", "```json\n{}\n```", "```json {}```", "```{}```", "~~~ {} ~~~"):
        for prose in ("error", "strip"):
            assert ANY.parse(fenced.replace("{}", text), prose) == json.loads(text)


def test_without_a_schema_the_text_itself_is_the_reply() -> None:
    text = ' ```json\n{"a": 1}\n``` '
    assert prompt().parse(text) == prompt().parse(text, "strip") == text


def test_under_response_format_the_reply_is_an_object() -> None:
    as_object = prompt(response_format="json_object")
    assert as_object.parse('```json\n{"a": [1]}\n```') == {"a": [1]}
    error = refused("[1]", by=as_object)
    assert error.problems == (("", "expected an object, found an array"),)
    assert error.feedback.endswith("nothing but one JSON object.")


def test_a_reply_schema_is_stronger_than_response_format() -> None:
    assert prompt(response_format="json_object", reply_schema={"type": "array"}).parse("[1]") == [1]


def test_the_order_of_properties_is_that_of_the_reply() -> None:
    assert list(ANY.parse('{"b": 1, "a": 2}')) == ["b", "a"]


@settings(max_examples=200, deadline=None, database=None, derandomize=True)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.text(alphabet="abc .,:\n"),
    st.booleans(),
)
def test_what_json_writes_is_read_back_bare_fenced_and_inside_of_prose(value: Any, words: str, ascii: bool) -> None:
    value = {"value": value}
    text = json.dumps(value, ensure_ascii=ascii, indent=1 if ascii else None)
    assert ANY.parse(text) == ANY.parse(f"```json\n{text}\n```") == value
    assert ANY.parse(f"{words}{text}{words}", "strip") == value
    assert ANY.parse(f"{words}\n```json\n{text}\n```\n{words}", "strip") == value


# Errors


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the reply is empty"),
        (" \n ", "the reply is empty"),
        ("```json\n```", "the reply is empty"),
        ("Sure!", 'expected a JSON value, found "Sure!" (line 1, column 1)'),
        ('{"a": 1} thanks', 'text follows the JSON value: "thanks"'),
        ('{"a": 1}\n{"a": 2}', 'text follows the JSON value: "{\\"a\\": 2}"'),
        ("```json\n{}\n```\nBye", 'text follows the code block: "Bye"'),
        ('{"a": ', "the JSON is cut off"),
        ('{"a": tr', "the JSON is cut off"),
        ('{"a"', "the JSON is cut off"),
        ("{", "the JSON is cut off"),
        ("[1, ", "the JSON is cut off"),
        ("[1, -", "the JSON is cut off"),
        ('{"a": "b', "the JSON is cut off inside a text"),
        ('{"a": "b\\', "the JSON is cut off inside a text"),
        ('{"a": "b\\u12', "the JSON is cut off inside a text"),
        ('```json\n{"a": [', "the JSON is cut off"),
        ('```json\n{"a": [\n```', "the JSON is cut off"),
        ('{"a": 1,}', 'a comma stands before a closing bracket, found ",}" (line 1, column 8)'),
        ("[1,\n2,\n]", 'a comma stands before a closing bracket, found ",\\n]" (line 2, column 2)'),
        ("{'a': 1}", "the name of a property must stand in double quotes, found \"'a': 1}\" (line 1, column 2)"),
        ("{a: 1}", 'the name of a property must stand in double quotes, found "a: 1}" (line 1, column 2)'),
        ('{"a" 1}', 'expected `:` after the name of a property, found "1}" (line 1, column 6)'),
        ('{"a": 1 "b": 2}', 'expected `,` or the end of an array or object, found "\\"b\\": 2}" (line 1, column 9)'),
        ('{"a": True}', 'expected a JSON value, found "True}" (line 1, column 7)'),
        ("[01]", 'expected `,` or the end of an array or object, found "1]" (line 1, column 3)'),
        ('"a\\q"', 'a backslash in a text begins no escape that JSON has, found "\\\\q\\"" (line 1, column 3)'),
        ('{"a": NaN}', "`NaN` is not JSON"),
        ("[-Infinity]", "`-Infinity` is not JSON"),
        ("[1e999]", "the number 1e999 is too large"),
        ("1" * 5000, "a number has 5000 digits"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', 'an object has the property "c" twice'),
        ("[" * 100_000, "the JSON is nested too deeply, in more than 200 levels"),
        ('{"a":' * 100_000, "the JSON is nested too deeply, in more than 200 levels"),
        ('"\\ud800"', 'half of a surrogate pair is no text, found "\\"\\\\ud800\\"" (line 1, column 1)'),
        ('{"\\udc00": 1}', 'half of a surrogate pair is no text, found "\\"\\\\udc00\\": 1}" (line 1, column 2)'),
        ('"\ud800"', 'half of a surrogate pair is no text, found "\\"\\ud800\\"" (line 1, column 1)'),
        ('{"a": 1.', "the JSON is cut off"),
        ('{"a": 1e', "the JSON is cut off"),
        ("[-1.5E+", "the JSON is cut off"),
        ('{"a": 12', "the JSON is cut off"),
        ('```\n{"a": "b\n```', "the JSON is cut off inside a text"),
        ("[1.x]", 'expected `,` or the end of an array or object, found ".x]" (line 1, column 3)'),
        ("{,}", 'the name of a property must stand in double quotes, found ",}" (line 1, column 2)'),
        ('\n\n```json\n{"a": x}\n```', 'expected a JSON value, found "x}\\n```" (line 4, column 7)'),
        ("\u200b{}", 'expected a JSON value, found "\\u200b{}" (line 1, column 1)'),
    ],
)
def test_what_is_no_json_is_named_in_words_that_are_the_same_on_every_python(text: str, message: str) -> None:
    assert said(text) == message


def test_a_line_break_in_a_text_is_named() -> None:
    assert said('{"a": "b\nc"}').startswith("a line break or another control character in a text must be an escape")


@pytest.mark.parametrize("blanks", range(1, 40))
@pytest.mark.parametrize("prose", ["error", "strip"])
def test_a_line_break_in_a_text_is_named_whatever_follows(blanks: int, prose: Any) -> None:
    for before in ("Dear Ada,", "Dear Ada", "[", ""):
        assert "a line break" in said(f'{{"text": "{before}\n{" " * blanks}thank you."}}', prose)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("I think so", 'expected a JSON value, found "I think so" (line 1, column 1)'),
        ('Here: {"title": "x", "tags": ["a", ', "the JSON is cut off"),
        ('Here: {"title": "x", "tags": [{"title": "inside"}, ', "the JSON is cut off"),
        ('Here: {"title": "x", "rank": NaN, "tags": {"title": "inside"}}', "`NaN` is not JSON"),
        ('See [1]: {"title": "x",, "tags": []}', "the name of a property must stand in double quotes, found"),
        ('See [1]: {"title": "All "about" it", "tags": []}', "expected `,` or the end of an array or object, found"),
        ('Here: {"tags": {"title": "inside"}, oops}', "the name of a property must stand in double quotes, found"),
    ],
)
def test_a_part_of_what_is_broken_is_never_taken_for_the_reply(text: str, message: str) -> None:
    assert said(text, "strip", DRAFT).startswith(message)


BROKEN = [
    '{"a": 0x1F, "b": IN}', '{"x": "a\nb", "y": IN}', '{"x": 1,, "y": IN}', '{"a": 1, "b": "say "hi" IN"}', "{x: IN}",
    "{'x': IN}", "{x: '}', y: IN}", "[1, 2 IN]", '{"s": "He said "no".", "meta": IN}', '{"x": "}" oops, "y": IN}',
    '{"t": "Use\n```json\nIN\n```\n"}', '```json\n{"t": "Use\n```\nIN\n```"}\n```', '"x": 1, "y": IN}', "1, [2], IN]",
    '{"b": "say ", hello } and", "y": IN}', '{"b": "say "}" x", "y": IN}',
    '{x ] IN}', '{"x": [IN, 01]}', "{“x”: “}”, “y”: IN}", '{"x": IN, "y": tru', "[[1, 2), IN]]",
    '{"title": "\\x", "y": IN}', '{"x": IN, "x": 2}', '{"x": 1e999, "y": IN}', "[" * 201 + "IN" + "]" * 201,
]  # fmt: skip


@pytest.mark.parametrize("text", BROKEN)
def test_a_part_of_something_broken_is_no_reply(text: str) -> None:
    """Whatever is around it, and however much of the same."""
    for around in ("{}", "Sure: {} Done.", "```json\n{}\n```", "See [1] and {{braces}}:\n\n{}\n", "{0}\n{0}"):
        refused(around.format(text.replace("IN", '{"title": "x"}')), "strip")


@settings(max_examples=400, deadline=None, database=None, derandomize=True)
@given(
    st.recursive(
        st.just({"title": "inside"}) | st.text(alphabet="ab \"\\\n{}[]:,'`", max_size=8) | st.integers(0, 99),
        lambda inner: st.lists(inner, min_size=1, max_size=3) | st.dictionaries(st.text("ab{}[]'"), inner, min_size=1),
        max_leaves=6,
    ).filter(lambda value: isinstance(value, list | dict) and value != {"title": "inside"}),
    st.data(),
)  # fmt: skip
def test_a_part_of_an_object_that_was_broken_anywhere_is_no_reply(value: Any, data: st.DataObject) -> None:
    """One character is taken away, put in or replaced. What then is still JSON, or begins and ends elsewhere, does not
    count: the brackets at the ends stay what they are."""
    text = json.dumps({"outer": value}, indent=data.draw(st.sampled_from([None, 1])))
    at = data.draw(st.integers(1, len(text) - 2))
    put = data.draw(st.sampled_from(["", '"', "'", "\\", ",", ":", "x", "0", "\n", "`", "{", "["]))
    text = text[:at] + put + text[at + data.draw(st.integers(0, 1)) :]
    try:
        json.loads(text)
    except ValueError:
        for around in ("{}", "Sure: {} Done.", "```json\n{}\n```"):
            refused(around.replace("{}", text), "strip")


@settings(max_examples=1000, deadline=None, database=None, derandomize=True)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=5,
    ),
    st.lists(
        st.tuples(st.integers(0, 200), st.integers(0, 2), st.text('{}[]",:\\ntruefals 0-1.eE+u\n\ud800', max_size=2)),
        max_size=2,
    ),
    st.booleans(),
)  # fmt: skip
def test_json_is_read_as_json_reads_it(value: Any, edits: list[tuple[int, int, str]], ascii: bool) -> None:
    """But for names given twice, numbers beyond floats, NaN and half characters, which this refuses."""
    text = json.dumps(value, ensure_ascii=ascii)
    for at, left, put in edits:
        text = text[:at] + put + text[at + left :]
    refuse: Any = None

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        nonlocal refuse
        refuse = refuse or len(dict(pairs)) != len(pairs)
        return dict(pairs)

    try:
        expected = json.loads(text, object_pairs_hook=once)
        written = json.dumps(expected, ensure_ascii=False, allow_nan=False)
        written.encode()
    except ValueError:
        refuse = True
    try:
        found = ANY.parse(text)
    except ReplyError:
        assert refuse
    else:
        assert not refuse
        assert json.dumps(found, ensure_ascii=False) == written


def test_of_several_values_in_prose_the_one_that_fits_best_says_what_is_wrong() -> None:
    error = refused('See [1]. {"unrelated": {}} {"title": "x", "rank": "first"}', "strip")
    assert error.problems == (("/rank", 'expected an integer or null, found "first"'),)


def test_all_problems_are_told_with_their_places() -> None:
    error = refused('{"tags": ["fine", "much too long", 3], "rank": 1.5, "tittle": "x"}')
    assert error.problems == (
        ("/tags/1", "expected at most 8 characters, found 13"),
        ("/tags/2", "expected a string, found 3"),
        ("/rank", "expected an integer or null, found 1.5"),
        ("", 'the property "title" is missing'),
        ("", 'the property "tittle" is not allowed; did you mean `title`?'),
    )
    assert (error.key, error.version) == (DRAFT.key, DRAFT.version)
    assert str(error) == (
        "the reply to `briefs/draft` cannot be used: /tags/1: expected at most 8 characters, found 13 (and 4 more)"
    )
    assert error.feedback == (
        "Your reply cannot be used:\n"
        "- /tags/1: expected at most 8 characters, found 13\n"
        "- /tags/2: expected a string, found 3\n"
        "- /rank: expected an integer or null, found 1.5\n"
        '- the property "title" is missing\n'
        '- the property "tittle" is not allowed; did you mean `title`?\n'
        "Reply again, with nothing but one JSON value that fits the schema."
    )


def test_feedback_is_short_and_printable_whatever_was_replied() -> None:
    wild = "\x07\u202e\u2028" + "x" * 10_000
    for reply in (
        {wild: 1, "tags": [5] * 10_000},
        {"title": {wild: wild}, **{wild + str(i): 0 for i in range(500)}},
        {"title": "x", "tags": [wild]},
    ):
        error = refused(json.dumps(reply))
        assert len(error.feedback) < 4500
        assert all(line.isprintable() for line in error.feedback.split("\n"))
        assert "\n" not in str(error)
    assert "- and 10492 more problems" in refused(json.dumps({"title": "x", "tags": [5] * 10_502})).feedback


def test_the_error_can_be_copied_and_pickled() -> None:
    error = refused("[]")
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (other.problems, other.feedback, str(other), other.key) == (
            error.problems, error.feedback, str(error), error.key,
        )  # fmt: skip


@settings(max_examples=500, deadline=None, database=None, derandomize=True)
@given(
    st.one_of(
        st.text(), st.text(alphabet='{}[]",:`~\\ntruefals 0-1.eu\n\ud800', max_size=60),
        st.lists(st.sampled_from(["```json\n", "```", "~~~\n", '{"title": ', '"x"', "}", "[", "]", ",", "\n", " "]))
        .map("".join),
    ),
    st.sampled_from(["error", "strip"]),
)  # fmt: skip
def test_no_text_raises_anything_else(text: str, prose: Any) -> None:
    for one in (DRAFT, ANY):
        try:
            one.parse(text, prose)
        except ReplyError as error:
            found = error
        else:
            continue
        assert found.problems


@pytest.mark.parametrize(
    "text",
    [
        "[x" * 200_000, "{" * 200_000, '["' * 200_000, "[1," * 200_000, "[1]" * 200_000, "```\n" * 100_000,
        "```json\n" * 50_000, "`" * 500_000, "```\n" + "`\n" * 200_000, " " * 500_000 + "[", "[ " * 200_000 + "x",
        "[" + " " * 500_000, '{"title":' + " " * 500_000 + "x", '{"a": "' * 100_000, "~~~" * 200_000, "\n" * 500_000,
        "{x}" * 1000 + " " * 3_000_000, '[1,"a",]' * 200_000, "]" * 500_000, "```\n[1]\n" * 100_000, '{"a b"' * 200_000,
        "```\n1 x\n" * 100_000, '["' + "\\u0041" * 200_000, "{'" * 200_000, '{"a":' * 199 + "[1,", "`\n" * 300_000,
    ],
    ids=range(26),
)  # fmt: skip
@pytest.mark.parametrize("prose", ["error", "strip"])
def test_hostile_texts_take_no_time(text: str, prose: Any) -> None:
    started = time.process_time()
    assert refused(text, prose)
    assert time.process_time() - started < 2  # they take hundredths; what is quadratic takes minutes


def test_huge_replies_with_huge_names_take_no_time() -> None:
    names = {f"{number}{'title' * 1000}": number for number in range(2000)}
    started = time.process_time()
    assert len(refused(json.dumps(names)).problems) == 2001
    assert time.process_time() - started < 2


def test_alternatives_that_contain_one_another_take_no_time() -> None:
    sides = {side: {"$ref": "#/$defs/any"} for side in ("left", "right")}
    operators = [
        {"type": "object", "properties": {"op": {"const": op}, **sides}, "required": ["op"]} for op in ("and", "or")
    ]
    leaf = {"type": "object", "properties": {"term": {"type": "string"}}, "required": ["term"]}
    anything = {"anyOf": [*operators, leaf]}
    by = prompt(reply_schema={"$ref": "#/$defs/any", "$defs": {"any": anything}})
    value: Any = {"term": 7}
    for _ in range(151):
        value = {"op": "and", "left": value, "right": {"term": "x"}}
    started = time.process_time()
    assert refused(json.dumps(value), by=by).problems == (("/left" * 151 + "/term", "expected a string, found 7"),)
    assert time.process_time() - started < 2


def test_how_deep_a_reply_may_be_nested_does_not_depend_on_the_caller() -> None:
    linked = {"anyOf": [{"type": "null"}, {"type": "object", "properties": {"next": {"$ref": "#"}}}]}
    by = prompt(reply_schema=linked)

    def below(frames: int, levels: int) -> Any:
        return below(frames - 1, levels) if frames else by.parse('{"next":' * levels + "null" + "}" * levels)

    for frames in (0, sys.getrecursionlimit() - 300):
        assert below(frames, 200)["next"]
        with pytest.raises(ReplyError, match="nested too deeply, in more than 200 levels"):
            below(frames, 201)


# Mistakes of the caller and of the author


def test_what_is_no_text_is_a_type_error() -> None:
    wrong: Any
    for wrong in (None, b"{}", {}):
        with pytest.raises(TypeError, match="a reply is text, not "):
            DRAFT.parse(wrong)
    with pytest.raises(ValueError, match="prose is 'error' or 'strip', not 'keep'"):
        DRAFT.parse("{}", "keep")  # type: ignore[arg-type]


def test_a_schema_with_a_keyword_that_is_not_known_is_refused_by_name() -> None:
    unsure = prompt(reply_schema={"type": "object", "properties": {"a": {"nullable": True, "typ": "x"}}})
    for text in ("{}", "no json"):
        with pytest.raises(SchemaError) as caught:
            unsure.parse(text)
        assert str(caught.value) == (
            "no reply can be compared with the reply schema of `briefs/draft`: the keyword `nullable` is not known, at"
            ' "/properties/a/nullable"; write `null` in `type` (and 1 more)'
        )
        assert [pointer for pointer, _ in caught.value.keywords] == ["/properties/a/nullable", "/properties/a/typ"]
        assert caught.value.key == "briefs/draft"


# Where it runs


def test_a_pack_parses_as_objects_do_and_nothing_but_the_standard_library_is_loaded(tmp_path: Path) -> None:
    stored(tmp_path, package("a", "x", reply_schema=SCHEMA))
    runtime = Path(frozenctx.__file__).parents[1]
    code = f"""if True:
        import sys; sys.path.insert(0, {str(runtime)!r})
        import frozenctx
        prompt = frozenctx.load({str(tmp_path)!r}, pack="require")["a"]
        prompt.messages()
        assert not [name for name in sys.modules if name.startswith("frozenctx.") and name[10:] in
                    ("replies", "validation", "keywords", "patterns", "values")]
        print(prompt.parse('```json\\n{{"title": "x"}}\\n```'))
        try:
            prompt.parse("[]")
        except frozenctx.errors.ReplyError as error:
            print(error)
    """
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "{'title': 'x'}", "the reply to `a` cannot be used: expected an object, found an empty array",
    ], done.stderr  # fmt: skip


def test_the_output_of_a_stub_is_what_a_reply_is_compared_with(tmp_path: Path) -> None:
    source = tmp_path / "a.ctx"
    source.mkdir()
    (source / "settings.yaml").write_text("model: openai/gpt-5\n")
    (source / "prompt.j2").write_text("Answer.")
    stub = "class Output:\n    text: str\n    sources: list[str]\n    open: str | None = None\n"
    (source / "schema.pyi").write_text(stub)
    answer = frozenctx_compiler.load(tmp_path)["a"]
    assert answer.parse('{"text": "x", "sources": [], "open": null}') == {"text": "x", "sources": [], "open": None}
    assert refused('{"text": 1, "open": 2}', by=answer).problems == (
        ("/text", "expected a string, found 1"),
        ("/open", "expected a string or null, found 2"),
        ("", 'the property "sources" is missing'),
    )
