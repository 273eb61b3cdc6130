"""`!?` expressions: Yglu's results for what both read, Julep's literals, clear faults for the rest.

Yglu 1.1.2 is the oracle. It reads its environment from the process when YGLU_ENABLE_ENV is set, so the tests that
use it set both; yaql wants a module that current setuptools no longer bring, so a stand-in is put in its place.
"""

import io
import sys
import types
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import yaml
from frozenctx_compiler import expressions
from frozenctx_compiler.environment import Env
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from settings.one_package import outcome

Oracle = Callable[[str, Mapping[str, str]], object]


@pytest.fixture
def yglu(monkeypatch: pytest.MonkeyPatch) -> Oracle:
    if "pkg_resources" not in sys.modules:

        class DistributionNotFound(Exception):
            pass

        def get_distribution(name: str) -> None:
            raise DistributionNotFound(name)

        stand_in = types.ModuleType("pkg_resources")
        stand_in.__dict__.update(DistributionNotFound=DistributionNotFound, get_distribution=get_distribution)
        monkeypatch.setitem(sys.modules, "pkg_resources", stand_in)
    import yglu.expression
    import yglu.main  # noqa: F401  (registers $import)
    from yglu.builder import build

    monkeypatch.setenv("YGLU_ENABLE_ENV", "1")

    def evaluate(document: str, env: Mapping[str, str]) -> object:
        yglu.expression.contexts.clear()
        with monkeypatch.context() as patch:
            for name, value in env.items():
                patch.setenv(name, value)
            return data(build(io.StringIO(document)))

    return evaluate


def data(tree: object) -> object:
    """Plain data of a Yglu tree as its dumper writes it: null entries of mappings dropped."""
    if isinstance(tree, Mapping):
        return {str(key): data(value) for key, value in tree.items() if value is not None}
    if isinstance(tree, list):
        return [data(item) for item in tree]
    return str(tree) if isinstance(tree, str) else tree


NAMES = st.sampled_from(["FX_A", "FX_B", "FX_C", "FX_D"])
BLANK = st.sampled_from(["", " ", "  "])
LETTERS = st.characters(codec="utf-8", exclude_characters="'\"\\\x00", exclude_categories=["C", "Z"])
TEXT = st.text(LETTERS | st.just(" "))
ESCAPES = st.sampled_from(
    ["\\n", "\\t", "\\'", '\\"', "\\\\", "\\x41", "\\u00e9", "\\U0001f600", "\\101", "\\377", "\\q", "\\8"]
)
STRINGS = st.builds(
    lambda quote, parts: quote + "".join(parts) + quote, st.sampled_from("'\""), st.lists(TEXT | ESCAPES, max_size=4)
)
NUMBERS = st.integers(-(10**12), 10**12).map(str) | st.builds(
    lambda whole, part: f"{whole}.{part}", st.integers(-999, 999), st.integers(0, 9999)
)
WORDS = st.sampled_from(["true", "false", "null"])


def gets(defaults: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(
        lambda name, quote, a, b, c, default: f"$env.get({a}{quote}{name}{quote}{b},{c}{default}{a})",
        NAMES,
        st.sampled_from("'\""),
        BLANK,
        BLANK,
        BLANK,
        defaults,
    )


EXPRESSIONS = st.recursive(gets(STRINGS | NUMBERS | WORDS), gets, max_leaves=3)
ENVIRONMENTS = st.dictionaries(NAMES, st.text(st.characters(codec="ascii", exclude_characters="\x00")), max_size=2)


def value_of(expression: str, env: Mapping[str, str]) -> object:
    get = expressions.parse(expression)
    return expressions.evaluate(get, env, found=ignore, defaulted=ignore, missing=ignore).value


def ignore(get: expressions.Get) -> None:
    pass


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(EXPRESSIONS, ENVIRONMENTS)
def test_a_value_is_yglus(yglu: Oracle, expression: str, env: dict[str, str]) -> None:
    value = value_of(expression, env)
    expected = ["end"] if value is None else [value, "end"]
    assert repr(yglu(f"- !? {quoted(expression)}\n- end\n", env)) == repr(expected)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4), ENVIRONMENTS)
def test_documents_lose_the_keys_and_items_that_yglu_drops(
    yglu: Oracle, tmp_path_factory: pytest.TempPathFactory, several: list[str], env: dict[str, str]
) -> None:
    inner = "".join(f"  k{i}: !? {quoted(text)}\n" for i, text in enumerate(several))
    items = "".join(f"    - !? {quoted(text)}\n" for text in several)
    document = f"model: m\nmeta:\n{inner}  list:\n{items}    - last\n"
    result = outcome(document, Path(__file__).parent, env=env)
    assert {"model": "m", "meta": result.settings.meta} == yglu(document, env)


@given(st.text(st.sampled_from(list("$env.get('A\", )N1-tTrue\\ \n")), max_size=14) | EXPRESSIONS)
def test_any_text_is_an_expression_or_is_told_where_it_stops_being_one(text: str) -> None:
    problem = None
    try:
        get = expressions.parse(text)
    except expressions.NotYet as not_yet:
        problem = not_yet
    if problem is not None:
        assert 0 <= problem.at <= len(text)
        assert problem.expected
    else:
        assert get.name in text[get.start : get.end] or "\\" in text


@pytest.mark.parametrize(
    ("default", "value"),
    [
        ("true", True),
        ("True", True),
        ("false", False),
        ("False", False),
        ("null", None),
        ("None", None),
        ("5", 5),
        ("-5", -5),
        ("0", 0),
        ("1.50", 1.5),
        ("-0.5", -0.5),
        (".5", 0.5),
        ("1.", 1.0),
        ("1e3", 1000.0),
        ("-2.5E-1", -0.25),
        ("012", 12),
        ("'x'", "x"),
        ('"it\'s"', "it's"),
        ("''", ""),
        (r"'a\nb'", "a\nb"),
        (r"'a\qb'", r"a\qb"),
        ("$env.get('SET')", "s"),
        ("$env.SET", "s"),
        ("$env.get('NO', $env.get('NO', None))", None),
    ],
)
def test_literals_mean_what_julep_means(default: str, value: object) -> None:
    assert repr(value_of(f"$env.get('NO', {default})", {"SET": "s"})) == repr(value)


def test_given_values_stay_strings_and_win_over_defaults(tmp_path: Path) -> None:
    text = 'model: m\nmeta: {a: !? \'$env.get("N", 5)\', b: !? $env.N, c: !? \'$env.get("EMPTY", "x")\'}\n'
    assert outcome(text, tmp_path, env={"N": "012", "EMPTY": ""}).settings.meta == {"a": "012", "b": "012", "c": ""}


@pytest.mark.parametrize(
    "expression",
    [
        "1 + 1",
        "upper('x')",
        "$env",
        "$env.get",
        "$env.get()",
        "$env.get(A)",
        "$env.get('A',)",
        "$env.get('A', x)",
        "$env.get('A', 'b', 'c')",
        "$env.get('A', `b`)",
        "$env.get('A') + 'b'",
        "$env.pop('A')",
        "$_.model",
        ".model",
        "$",
        "'text'",
        "5",
        "",
        "$env.get('A",
        "$env.get('A', -true)",
        "$env.get('A', $_.x)",
        r"$env.get('A', '\ud800')",
        r"$env.get('\ud800', 1)",
        r"$env.get('A', '\N{BULLET}')",
        r"$env.get('A', '\xzz')",
        r"$env.get('A', '\400')",
        r"$env.get('A', '\U00110000')",
        "$env.get('A', 'a\\\nb')",
        "$env.get('A', default => 1)",
        "$ENV.A",
        "$env?.A",
        "$env.get('A', 'b' ))",
        "$env.get('A' 'b')",
        "$env.get('A', " * 30,
    ],
)
def test_everything_else_is_left_to_yglu_from_where_it_stops_being_direct(expression: str) -> None:
    if expression == "$env.get":
        assert expressions.parse(expression).name == "get"  # a variable called get
        return
    with pytest.raises(expressions.NotYet) as problem:
        expressions.parse(expression)
    assert 0 <= problem.value.at <= len(expression)


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ("a: !? {b: 1}", "misplaced-tag"),
        ("a: !? [1]", "misplaced-tag"),
        ("a: !if {b: 1}", "misplaced-tag"),
        ("a: !if x", "misplaced-tag"),
        ("a: !for x", "misplaced-tag"),
        ("a: !apply x", "misplaced-tag"),
        ("!- a: 1", "misplaced-tag"),
        ("!() a: 1", "misplaced-tag"),
        ("!if [a]: 1", "misplaced-tag"),
        ("a: !env X", "unknown-tag"),
        ("a: !!python/name:os.system x", "unknown-tag"),
        ("a: !!map 1", "misplaced-tag"),
        ("a: !!str {b: 1}", "misplaced-tag"),
        ("a: !!seq {b: 1}", "misplaced-tag"),
        ("? !foo x\n: 1", "unknown-tag"),
    ],
)
def test_tags_that_are_not_evaluated_are_faults_with_their_place(document: str, code: str, tmp_path: Path) -> None:
    result = outcome("model: m\nmeta:\n  " + document.replace("\n", "\n  ") + "\n", tmp_path)
    assert result.codes == [code]
    assert result.found[0].span is not None
    assert result.found[0].span.line == 3


def test_an_unset_name_is_named_with_the_nearest_given_one(tmp_path: Path) -> None:
    text = 'name: n\nmodel: !? $env.get("DRAFT_MODLE")\n'
    result = outcome(text, tmp_path, env={"DRAFT_MODEL": "openai/secret-model", "OTHER": "x"})
    found = result.finding("env-unset")
    assert "`DRAFT_MODLE`" in found.headline
    assert found.help == "did you mean `DRAFT_MODEL`?"
    assert found.span is not None
    assert text.split("\n")[1][found.span.column - 1 : found.span.end_column - 1] == '"DRAFT_MODLE"'
    assert "secret" not in result.words


def test_an_unset_name_without_a_near_one_is_told_how_to_be_optional(tmp_path: Path) -> None:
    found = outcome("model: !? $env.M\n", tmp_path).finding("env-unset")
    assert "--env M=" in str(found.help)
    assert '`$env.get("M", null)`' in str(found.help)


def test_a_null_default_says_that_a_name_may_be_unset(tmp_path: Path) -> None:
    result = outcome('model: m\nmax_tokens: !? $env.get("MAX", null)\n', tmp_path)
    assert result.codes == []
    assert result.settings.max_tokens is None


def test_the_names_asked_for_are_recorded_without_values(tmp_path: Path) -> None:
    text = (
        'name: !? $env.get("NAME", $env.get("NEVER", "x"))\nmodel: !? $env.get("M1", $env.get("M2", "claude"))\n'
        'temperature: !? $env.get("T", 0.5)\ncontext: !? $env.get("UNSET")\n'
    )
    result = outcome(text, tmp_path, env={"NAME": "n", "UNUSED": "u"})
    assert result.resolved is not None
    use = result.resolved.env
    assert use.found == ("NAME",)
    assert use.defaulted == {"M1": '$env.get("M2", "claude")', "M2": '"claude"', "T": "0.5"}
    assert use.missing == ("UNSET",)


@pytest.mark.parametrize(
    "line",
    [
        "max_tokens: !? $env.get('S')",
        "temperature: !? $env.get('S')",
        "agent: !? $env.get('S')",
        "context: !? $env.get('S')",
        "reasoning_effort: !? $env.get('S')",
        "tools: !? $env.get('S')",
        "name: !? $env.get('S')",
        "model: !? $env.get('S')",
        "sub: {shape: !? $env.S}",
        "skills: [!? $env.S, !? $env.S]",
        "tools: [!? $env.BLANK]",
        "response_format: {type: !? $env.S}",
        "meta: !? $env.get('S')",
        "reply_schema: !? $env.get('S')",
        "schema_file: !? $env.get('S')",
    ],
)
def test_no_message_holds_a_value_of_the_environment(line: str, tmp_path: Path) -> None:
    env = {"S": "hunter2,@/", "BLANK": " "}
    result = outcome(f"{'' if line.startswith('model') else 'model: m'}\n{line}\n", tmp_path, env=env)
    if line.startswith("model"):
        env = {"S": "/hunter2"}
        result = outcome(line, tmp_path, env=env)
    assert result.checked is None
    assert "hunter2" not in result.words


def test_two_builds_never_see_each_others_environment(tmp_path: Path) -> None:
    text = 'model: !? $env.get("M", "none")\n'
    models = [outcome(text, tmp_path, env=env).settings.model for env in ({"M": "a"}, {}, {"M": "b"})]
    assert models == ["a", "none", "b"]


def test_the_process_environment_is_never_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FX_ONLY_IN_THE_PROCESS", "x")
    monkeypatch.setenv("YGLU_ENABLE_ENV", "1")
    result = outcome("model: !? $env.FX_ONLY_IN_THE_PROCESS\n", tmp_path, default_model=None)
    assert result.codes == ["env-unset"]


def test_env_shows_names_and_no_values() -> None:
    env = Env({"A": "hunter2"}, "prod.env").with_values({"B": "hunter3"}, "--env")
    assert dict(env) == {"A": "hunter2", "B": "hunter3"}
    assert (env.origin("A"), env.origin("B")) == ("prod.env", "--env")
    assert "hunter" not in repr(env)


def test_env_refuses_what_is_no_string() -> None:
    with pytest.raises(TypeError, match="must be strings"):
        Env({"A": 1})  # type: ignore[dict-item]
    with pytest.raises(ValueError, match="'A' is not text"):
        Env({"A": "hunter2\udcff"})


def quoted(text: str) -> str:
    """`text` as a double-quoted YAML scalar on one line."""
    return str(yaml.safe_dump(text, default_style='"', allow_unicode=False, width=10**6)).strip()
