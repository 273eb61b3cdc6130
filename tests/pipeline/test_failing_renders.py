"""Whatever fails, wherever, in whichever template: jinja2's class and message, and the lines of jinja2's traceback.

Every mistake below stands in every place below, as a package of its own. All are built into one directory, and rendered
from its pack, from its objects, and from sources compiled in memory. jinja2 renders the same texts.
"""

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import frozenctx
import frozenctx_compiler
import jinja2
import pytest
from frozenctx.errors import FrozenctxError
from frozenctx_compiler.api import prompts
from handmade import files, package
from source_trees import write


class Own(Exception):
    """An exception of the host program."""


def _raise(*_given: Any) -> Any:
    raise Own("the host's words")


class Thing:
    """An object of the host program whose every way out fails."""

    fail = _raise

    @property
    def title(self) -> str:
        return str(_raise())

    def __str__(self) -> str:
        return str(_raise())

    def __iter__(self) -> Any:
        yield 1
        _raise()

    def __getitem__(self, key: Any) -> Any:
        return _raise()

    def __bool__(self) -> bool:
        return bool(_raise())


VARIABLES: dict[str, Any] = {
    "yes": True,
    "one": 1,
    "zero": 0,
    "name": "Acme",
    "title": "x",
    "item": {"title": "t", "count": 3},
    "items": [1, 2],
    "tree": [{"kids": [{"kids": [{"kids": []}]}]}],
    "thing": Thing(),
    "filter_name": "nope",
}
HOST: Any = {"filters": {"money": _raise}, "tests": {"vip": _raise}, "globals": {"site": _raise}}

MISTAKES = {
    "name": "{{ nam }}",
    "attribute-of-name": "{{ nam.x }}",
    "item-of-name": "{{ nam['x'] }}",
    "key": "{{ item.titel }}",
    "attribute": "{{ name.titel }}",
    "element": "{{ items[7] }}",
    "iterated": "{% for q in nam %}{{ q }}{% endfor %}",
    "compared": "{{ nam == 1 }}",
    "tested": "{% if nam %}x{% endif %}",
    "called": "{{ nam(1) }}",
    "added": "{{ one + nam }}",
    "joined": "{{ 'a' ~ nam }}",
    "contained": "{{ one in nam }}",
    "filtered": "{{ nam | upper }}",
    "measured": "{{ nam | length }}",
    "filter-argument": "{{ item | dictsort(by='x') }}",
    "filter-type": "{{ one | join }}",
    "filter-by-name": "{{ items | map(filter_name) | list }}",
    "lazy-filter": "{{ items | map(attribute='x') | join }}",
    "division": "{{ one // zero }}",
    "type": "{{ name + one }}",
    "no-function": "{{ one() }}",
    "loop-over-number": "{% for q in one %}{% endfor %}",
    "unpacked": "{% for a, b in items %}{% endfor %}",
    "set": "{% set q = nam.x %}",
    "multi-line": "{{ name ~\n one ~\n nam }}",
    "after-text": "text {{ name }}\n more {{ name }}\n and {{ nam }}",
    "host-filter": "{{ one | money }}",
    "host-test": "{{ one is vip }}",
    "host-global": "{{ site() }}",
    "method": "{{ thing.fail() }}",
    "property": "{{ thing.title }}",
    "text-of-object": "{{ thing }}",
    "items-of-object": "{% for q in thing %}{{ q }}{% endfor %}",
    "item-of-object": "{{ thing['x'] }}",
    "truth-of-object": "{{ 'a' if thing }}",
}

# Templates by name, `X` where the mistake stands. `main` is the package's own.
PLACES = {
    "root": {"main": "one\n{{ name }}\nX\n{{ name }}"},
    "loop": {"main": "\n{% for i in items %}\n\nX{% endfor %}"},
    "branch": {"main": "\n{% if one %}\n{% if zero %}{% else %}\n X\n{% endif %}{% endif %}"},
    "set-block": {"main": "\n{% set t %}\nX\n{% endset %}{{ t }}"},
    "filter-block": {"main": "\n{% filter upper %}\n\nX{% endfilter %}"},
    "with": {"main": "\n{% with z = 1 %}\n\nX{% endwith %}"},
    "macro": {"main": "{% macro m(name, items) %}\n\nX{% endmacro %}\n\n{{ m('a', [1]) }}"},
    "macro-in-macro": {
        "main": "{% macro a() %}\nX{% endmacro %}\n{% macro b() %}\n\n{{ a() }}{% endmacro %}\n{{ b() }}"
    },
    "imported": {
        "main": "{% import 'lib.j2' as lib with context %}\n\n{{ lib.m() }}",
        "lib.j2": "\n{% macro m() %}\nX\n{% endmacro %}",
    },
    "imported-by-name": {
        "main": "{% from 'lib.j2' import m with context %}\n\n{% if yes %}\n{{ m() | upper }}{% endif %}",
        "lib.j2": "\n{% macro m() %}{% for i in [1] %}\nX\n{% endfor %}{% endmacro %}",
    },
    "imported-twice": {
        "main": "\n{% from 'a.j2' import m with context %}\n{{ m() }}",
        "a.j2": "{% import 'b.j2' as b with context %}\n\n{% macro m() %}\n{{ b.n() }}{% endmacro %}",
        "b.j2": "\n\n{% macro n() %}X{% endmacro %}",
    },
    "import-itself": {"main": "\n\n{% import 'lib.j2' as lib with context %}", "lib.j2": "\n{{ name }}\nX"},
    "include": {"main": "\n{% include 'part.j2' %}", "part.j2": "\n\n{{ name }} X"},
    "include-in-loop": {"main": "{% for i in items %}\n{% include 'part.j2' %}\n{% endfor %}", "part.j2": "\n\n X"},
    "nested-include": {
        "main": "\n{% include 'a.j2' %}",
        "a.j2": "{{ name }}\n{% if yes %}\n{% include 'b.j2' %}{% endif %}",
        "b.j2": "\n\n\n\n X",
    },
    "macro-of-include": {
        "main": "\n{% include 'a.j2' %}",
        "a.j2": "{% import 'b.j2' as b with context %}\n{{ b.m() }}",
        "b.j2": "\n{% macro m() %}\n\nX{% endmacro %}",
    },
    "include-of-macro": {
        "main": "{% macro m() %}\n{% include 'a.j2' %}{% endmacro %}\n\n{{ m() }}",
        "a.j2": "\n X",
    },
    "own-block": {"main": "\n{% block b %}\n{{ name }}\nX{% endblock %}"},
    "nested-block": {"main": "\n{% block a %}\n{% block b %}\n\nX{% endblock %}{% endblock %}"},
    "self": {"main": "{% if zero %}{% block b %}\nX{% endblock %}{% endif %}\n\n{{ self.b() }}"},
    "child-block": {
        "main": "{% extends 'base.j2' %}\n\n{% block b %}\n{{ name }}\nX{% endblock %}",
        "base.j2": "\n\n\n{% block b %}{% endblock %}",
    },
    "base-block": {
        "main": "{% extends 'base.j2' %}\n{% block a %}{% endblock %}",
        "base.j2": "\n{% block a %}{% endblock %}\n\n{% block b %}\n X{% endblock %}",
    },
    "base-text": {"main": "\n{% extends 'base.j2' %}", "base.j2": "\n\n{{ name }} X"},
    "super": {
        "main": "{% extends 'base.j2' %}\n{% block b %}\n\n{{ super() }}{% endblock %}",
        "base.j2": "\n\n\n{% block b %}\nX{% endblock %}",
    },
    "grandparent": {
        "main": "{% extends 'middle.j2' %}\n{% block b %}\n{{ super() }}{% endblock %}",
        "middle.j2": "\n{% extends 'base.j2' %}\n\n{% block b %}\n\n{{ super() }}{% endblock %}",
        "base.j2": "\n\n\n{% block b %}\nX{% endblock %}",
    },
    "block-in-loop": {"main": "\n{% for i in items %}\n{% block b scoped %}\nX{% endblock %}{% endfor %}"},
    "caller": {
        "main": "{% macro m() %}\n({{ caller() }}){% endmacro %}\n{% call m() %}\n\nX{% endcall %}",
    },
    "imported-caller": {
        "main": "{% from 'lib.j2' import m %}\n\n{% call(v) m() %}\n{{ v }}\nX{% endcall %}",
        "lib.j2": "\n{% macro m() %}\n({{ caller(1) }}){% endmacro %}",
    },
    "called-macro": {
        "main": "{% from 'lib.j2' import m with context %}\n\n{% call m() %}\n{% endcall %}",
        "lib.j2": "\n{% macro m() %}{{ caller() }}\nX{% endmacro %}",
    },
    "recursive-loop": {
        "main": "\n{% for t in tree recursive %}\n{% if t.kids %}\n{{ loop(t.kids) }}{% else %}\n\n"
        "X{% endif %}{% endfor %}"
    },
    "loop-object": {"main": "\n{% for i in items %}\n{{ loop.index }} {{ loop.last }}\n\nX{% endfor %}"},
    "filtered-loop": {"main": "\n{% for i in items if yes %}\n{{ i }}\nX{% endfor %}"},
    "do": {"main": "\n{% macro m() %}\nX{% endmacro %}\n{% do m() %}"},
}

assert len(PLACES) % 4, "or some places would never be tried with limits"
PAIRS = [(mistake, place) for mistake in MISTAKES for place in PLACES]


def templates(mistake: str, place: str) -> dict[str, str]:
    """Texts by name; names are of this package alone."""
    texts = {name: text.replace("X", MISTAKES[mistake]) for name, text in PLACES[place].items()}
    return {
        name if name == "main" else f"partials/{mistake}.{place}.{name}": re.sub(
            r"'(\w+\.j2)'", rf"'partials/{mistake}.{place}.\1'", text
        )
        for name, text in texts.items()
    }


Ways = Mapping[str, Mapping[str, frozenctx.Prompt]]


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Ways:
    """All packages, served in each way there is."""
    root = tmp_path_factory.mktemp("failing")
    tree = {"frozenctx.toml": '[host]\nfilters = ["money"]\ntests = ["vip"]\nglobals = ["site"]\n'}
    for mistake, place in PAIRS:
        for name, text in templates(mistake, place).items():
            tree[f"{mistake}/{place}.ctx/prompt.j2" if name == "main" else name] = text
        tree[f"{mistake}/{place}.ctx/settings.yaml"] = "model: a/b\n"
    write(root / "src", tree)
    result = frozenctx_compiler.build(root / "src", root / "out")
    assert not result.report.diagnostics, result.report.diagnostics
    return {
        "pack": frozenctx.load(root / "out", pack="require", **HOST),
        "objects": frozenctx.load(root / "out", pack="never", **HOST),
        "memory": prompts(result.compilation, **HOST),
        "limited": frozenctx_compiler.load(
            root / "src",
            select=[f"{mistake}/{place}" for mistake, place in PAIRS[::4]],  # they are compiled once more
            limits=True,
            max_steps=10**9,
            max_output=10**9,
            **HOST,
        ),
    }


@cache
def jinjas(mistake: str, place: str) -> tuple[str, str, list[tuple[str, int]]]:
    """Class, message, and places innermost first, each once, by jinja2's own traceback."""
    texts = templates(mistake, place)

    def source(name: str) -> tuple[str, str, Callable[[], bool]]:
        return texts[name], f"{mistake}/{place}.ctx/prompt.j2" if name == "main" else name, lambda: True

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(source),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"],
    )
    environment.filters.update(HOST["filters"])
    environment.tests.update(HOST["tests"])
    environment.globals.update(HOST["globals"])
    with pytest.raises(Exception) as caught:  # noqa: PT011
        environment.get_template("main").render(VARIABLES)
    lines = []
    traceback = caught.value.__traceback__
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file.endswith((".j2", "main")):
            lines.append((file, traceback.tb_lineno))
        traceback = traceback.tb_next
    return type(caught.value).__name__, str(caught.value), list(dict.fromkeys(reversed(lines)))


def said(lines: list[tuple[str, int]]) -> str:
    """The lines in the words of a note, in which a file is named once while it stays the same."""
    files = [file for file, _ in lines]
    steps = zip(lines, ["", *files[:-1]], strict=True)
    return ", called from ".join(f"line {n}" if file == before else f"{file} line {n}" for (file, n), before in steps)


@pytest.mark.parametrize("way", ["pack", "objects", "memory", "limited"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_as_by_jinja2_with_every_line_that_led_to_it(mistake: str, way: str, ways: Ways) -> None:
    for place in PLACES:
        prompt = ways[way].get(f"{mistake}/{place}")
        if prompt is None and way == "limited":
            continue
        assert prompt is not None
        kind, message, lines = jinjas(mistake, place)
        with pytest.raises(Exception) as caught:  # noqa: PT011
            prompt.messages(VARIABLES)
        error = caught.value
        assert (type(error).__name__, str(error)) == (kind, message), place
        (note,) = error.__notes__
        assert note.partition(";")[0] == f"in {prompt.version}, role system, {said(lines)}", place
        if isinstance(error, FrozenctxError):
            assert (error.key, error.version, error.role) == (prompt.key, prompt.version, "system")
            assert (error.file, error.line) == lines[0]
        else:
            assert type(error) is Own or type(error).__module__ == "builtins"
            assert not hasattr(error, "key")


# What a name may have meant


def note_of(template: str, /, partials: Mapping[str, str] | None = None, **variables: Any) -> str:
    """The end of the note of a template that fails, after its place."""
    prompt = frozenctx.load(files(package("p", template, partials=partials)))["p"]
    with pytest.raises(frozenctx.errors.UndefinedError) as caught:
        prompt.messages(variables)
    (note,) = caught.value.__notes__
    return note.partition("; ")[2]


def test_an_undefined_name_is_told_with_the_nearest_that_was_given() -> None:
    assert note_of("{{ nam }}", name="Acme", title="x") == "did you mean `name`?"
    assert note_of("{{ nam.first }}", name="Acme") == "did you mean `name`?"
    assert note_of("{% for m in mesages %}{% endfor %}", messages=[]) == "did you mean `messages`?"


def test_where_nothing_is_near_the_names_that_were_given_are_told_and_no_value() -> None:
    assert note_of("{{ ghost }}", title="a secret", topic="another") == "given: `title`, `topic`"
    assert note_of("{{ ghost }}") == "given: no variables"
    many: dict[str, Any] = {f"v{n}": n for n in range(12)}
    assert note_of("{{ ghost }}", **many) == f"given: {', '.join(f'`v{n}`' for n in range(10))} and 2 more"


def test_names_that_the_template_sets_are_near_where_they_have_a_value() -> None:
    assert note_of("{% for item in items %}{{ itme }}{% endfor %}", items=[1]) == "did you mean `item`?"
    assert note_of("{% set total = 1 %}{{ totl }}", a=1) == "did you mean `total`?"
    assert note_of("{% macro m(heading) %}{{ headin }}{% endmacro %}{{ m(1) }}", a=1) == "did you mean `heading`?"
    assert note_of("{{ totl }}{% set total = 1 %}", a=1) == "given: `a`"
    chain = "{% for item in items %}{{ rows | selectattr('a', 'ge', itme) | map(attribute='a') | list }}{% endfor %}"
    assert note_of(chain, items=[1], rows=[{"a": 1}]) == "did you mean `item`?"


def test_a_name_that_was_given_but_is_not_seen_by_an_import_is_said_to_be_given() -> None:
    partials = {"lib": "{% macro m() %}{{ title }}{% endmacro %}"}
    assert note_of("{% import 'lib' as lib %}{{ lib.m() }}", partials, title="x") == (
        "`title` was given, but does not reach this place"
    )


class Row:
    def __init__(self) -> None:
        self.title = "t"
        self._titel = "private"


@pytest.mark.parametrize(
    "item", [{"title": 1, "_titel": 2}, OrderedDict(title=1), Row()], ids=["dict", "ordered", "object"]
)
def test_an_undefined_key_or_attribute_is_told_with_the_nearest_that_there_is(item: Any) -> None:
    assert note_of("{{ item.titel }}", item=item) == "did you mean `title`?"
    assert note_of("{{ item['titel'] | upper }}", item=item) == "did you mean `title`?"
    assert note_of("{{ item.nothing_like_it }}", item=item) == ""


def test_methods_namespaces_and_what_a_template_exports_have_near_names_too() -> None:
    assert note_of("{{ name.uper() }}", name="x") == "did you mean `upper`?"
    assert note_of("{% set ns = namespace(total=1) %}{{ ns.totl }}") == "did you mean `total`?"
    lib = {"lib": "{% macro greet() %}{% endmacro %}"}
    assert note_of("{% import 'lib' as lib %}{{ lib.grete() }}", lib) == "did you mean `greet`?"


def test_a_missing_argument_of_a_macro_is_no_wrong_name() -> None:
    assert note_of("{% macro m(a) %}{{ a }}{% endmacro %}{{ m() }}", b=1) == ""


def test_values_that_defend_themselves_change_neither_the_error_nor_the_time_it_takes() -> None:
    class Hostile(dict[Any, Any]):
        def __iter__(self) -> Iterator[Any]:
            while True:
                yield "titles"

        def __getitem__(self, key: Any) -> Any:
            raise KeyError(key)

    assert note_of("{{ item.titel }}", item=Hostile()) == "did you mean `titles`?"
    assert note_of("{{ item.k500x }}", item={f"k{n}": n for n in range(100_000)}) == "did you mean `k500`?"

    class Hidden:
        def __dir__(self) -> list[str]:
            raise ValueError("no")

    assert note_of("{{ item.titel }}", item=Hidden()) == ""

    class Name(str):
        def __len__(self) -> int:
            raise ValueError("no")

        def __hash__(self) -> int:
            return 1

    assert note_of("{{ item.titel }}", item={Name("title"): 1}) == ""


# The rest


def test_the_lines_are_those_of_the_file_in_every_layout(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "single.ctx": "---\nmodel: a/b\n---\n{# about #}\n\n<<<role:system>>>\n\nA\n{{ sys }}\n"
            "<<<role:user>>>\n\nB\n{{ usr }}",
            "parts.ctx/settings.yaml": "model: a/b\n",
            "parts.ctx/messages/1-system.yaml": "role: system\ncontent: |\n  A\n\n  {{ sys }}\n",
            "parts.ctx/messages/2-user.yaml": "role: user\ncontent: |\n  A\n  {{ usr }}\n",
        },
    )
    loaded = frozenctx_compiler.load(tmp_path)
    places = {}
    for key in ("single", "parts"):
        for role, variables in {"system": {}, "user": {"sys": 1}}.items():
            with pytest.raises(frozenctx.errors.UndefinedError) as caught:
                loaded[key].messages(variables)
            error = caught.value
            assert error.role == role
            places[key, role] = (error.file, error.line)
            assert error.__notes__[0].startswith(f"in {error.version}, role {role}, {error.file} line {error.line}; ")
    assert places == {
        ("single", "system"): ("single.ctx", 9),
        ("single", "user"): ("single.ctx", 13),
        ("parts", "system"): ("parts.ctx/messages/1-system.yaml", 5),
        ("parts", "user"): ("parts.ctx/messages/2-user.yaml", 4),
    }


def test_a_template_that_is_not_there_at_render_is_told_where_it_was_asked_for() -> None:
    prompt = frozenctx.load(files(package("p", "\n{% include 'a' %}", partials={"a": "\n\n{% include 'gone' %}"})))["p"]
    with pytest.raises(frozenctx.errors.TemplateNotFound) as caught:
        prompt.messages()
    assert str(caught.value) == "gone"
    assert (caught.value.file, caught.value.line, caught.value.key) == ("partials/a", 3, "p")
    assert caught.value.__notes__ == [
        f"in {prompt.version}, role system, partials/a line 3, called from p.ctx/prompt.j2 line 2"
    ]


def test_endless_recursion_is_told_in_few_words() -> None:
    macro = "{% macro m(n) %}\n{{ m(n + 1) }}{% endmacro %}\n\n{{ m(0) }}"
    prompt = frozenctx.load(files(package("p", macro)))["p"]
    with pytest.raises(RecursionError) as caught:
        prompt.messages()
    assert caught.value.__notes__ == [f"in {prompt.version}, role system, p.ctx/prompt.j2 line 2, called from line 4"]


def test_a_long_way_is_told_by_its_ends() -> None:
    partials = {f"p{n}": "\n" * n + f"{{% include 'p{n + 1}' %}}" for n in range(20)} | {"p20": "{{ ghost }}"}
    prompt = frozenctx.load(files(package("p", "{% include 'p0' %}", partials=partials)))["p"]
    with pytest.raises(frozenctx.errors.UndefinedError) as caught:
        prompt.messages()
    assert caught.value.__notes__ == [
        f"in {prompt.version}, role system, partials/p20 line 1, called from partials/p19 line 20,"
        " called from partials/p18 line 19, called from partials/p17 line 18, called from 17 more places,"
        " called from p.ctx/prompt.j2 line 1; given: no variables"
    ]


def test_an_exception_that_takes_no_note_passes_as_it_is() -> None:
    class Closed(Exception):
        def __setattr__(self, name: str, value: Any) -> None:
            raise AttributeError(name)

    class Noted(Exception):
        __notes__: Any = None

    for raised in (Closed("mine"), Noted("mine")):
        _passes(raised)


def _passes(raised: Exception) -> None:
    def fail(_value: Any) -> Any:
        raise raised

    prompt = frozenctx.load(files(package("p", "{{ 1 | money }}")), filters={"money": fail})["p"]
    with pytest.raises(type(raised)) as caught:
        prompt.messages()
    assert caught.value is raised
