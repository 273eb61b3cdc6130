"""A template that renders for every value of its types has no error; a mistake in a place that is certain is found."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import frozenctx_compiler
import jinja2
from contracts.random_inputs import Files, Pick, Piece, Schema, Templates, values, written
from frozenctx_compiler.diagnostics import Diagnostic
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CODES = ("undeclared-input", "unknown-attribute", "not-iterable")
QUIET = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]


MAIN = "p.ctx/prompt.j2"


def findings(schema: str, template: str) -> list[Diagnostic]:
    return findings_of(schema, {MAIN: template})


def findings_of(schema: str, files: dict[str, str]) -> list[Diagnostic]:
    with TemporaryDirectory() as directory:
        for name, text in {"p.ctx/settings.yaml": "model: a:b\n", "p.ctx/schema.pyi": schema, **files}.items():
            Path(directory, name).parent.mkdir(exist_ok=True)
            Path(directory, name).write_text(text)
        found = frozenctx_compiler.check(directory).report.diagnostics
    others = [each for each in found if each.level == "error" and each.code not in CODES]
    assert not others, (others, schema, files)
    return [each for each in found if each.code in CODES]


def renders(source: str, samples: list[dict[str, Any]], reached: set[int]) -> bool:
    return all_render({MAIN: source}, samples, reached)


def all_render(files: dict[str, str], samples: list[dict[str, Any]], reached: set[int]) -> bool:
    """Whether MAIN renders for all samples; `reached` hears which uses it came to."""

    def t(number: int, value: Any) -> Any:
        reached.add(number)
        return value

    def stored(number: int, value: Any) -> Any:
        if not isinstance(value, jinja2.Undefined):
            reached.add(number)
        return value

    def items(number: int, value: Any) -> Any:
        if isinstance(value, list | tuple) and len(value) > 1:
            reached.add(number)
        return value

    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"],
        loader=jinja2.DictLoader(files),
    )
    environment.globals.update(t=t, stored=stored, items=items)
    try:
        template = environment.get_template(MAIN)
        for sample in samples:
            template.render(sample)
    except Exception:
        return False
    return True


@given(st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=QUIET)
def test_a_template_that_renders_for_every_sample_has_no_error(data: st.DataObject) -> None:
    def pick(choices: list[Any]) -> Any:
        return choices[data.draw(st.integers(0, len(choices) - 1))]

    check_one(pick)


def check_one(pick: Pick) -> None:
    schema = Schema(pick)
    samples = [values(schema.input, pick, mode) for mode in ("full", "sparse", "objects", "mixed", "dicts", "full")]
    templates = Templates(schema, pick)
    scope = {name: of for name, (of, _required) in schema.input.members.items()}
    kept: list[Piece] = []
    for _ in range(5):
        piece = templates.statement(scope)
        if renders(written([*kept, piece], traced=True).text, samples, set()):
            kept.append(piece)
    if not kept:
        return
    reached: set[int] = set()
    assert renders(written(kept, traced=True).text, samples, reached)
    plain = written(kept, traced=False)
    at = {place: number for number, place in plain.places.items()}
    for found in findings(schema.source(), plain.text):
        assert found.span is not None
        number = at.get((found.span.line, found.span.column))
        assert number is not None, found
        assert number not in reached, (
            f"{found.code} at {found.span.line}:{found.span.column}: {found.headline}\n{schema.source()}\n{plain.text}"
        )


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=QUIET)
def test_templates_of_several_files_that_render_for_every_sample_have_no_error(data: st.DataObject) -> None:
    def pick(choices: list[Any]) -> Any:
        return choices[data.draw(st.integers(0, len(choices) - 1))]

    check_several(pick)


def check_several(pick: Pick) -> int:
    """Check one tree of templates; how many pieces it has."""
    schema = Schema(pick)
    samples = [values(schema.input, pick, mode) for mode in ("full", "sparse", "objects", "mixed", "dicts", "full")]
    files = Files(schema, pick, lambda text: renders(f"{{% set x = {text} %}}", samples, set()))
    for _ in range(9):
        before = files.copy()
        files.add()
        if not all_render(files.texts(traced=True), samples, set()):
            files.restore(before)
    reached: set[int] = set()
    assert all_render(files.texts(traced=True), samples, reached)
    texts, at = files.texts(traced=False), files.places()
    for found in findings_of(schema.source(), texts):
        assert found.span is not None
        number = at.get((found.span.file, found.span.line, found.span.column))
        shown = "\n".join(f"--- {name}\n{text}" for name, text in texts.items())
        assert number is not None, (found, shown)
        assert number not in reached, (
            f"{found.code} at {found.span.file}:{found.span.line}:{found.span.column}: {found.headline}\n"
            f"{schema.source()}\n{shown}"
        )
    return sum(len(pieces) for pieces in files.parts.values())


def certain_place(schema: Schema, pick: Pick) -> tuple[str, str, str] | None:
    """A template whose only use of an attribute cannot be right: its text with `§` before a name, the name as it should
    be, and a misspelt one. None where a type has nothing to misspell."""
    name, (of, _required) = pick(list(schema.input.members.items()))
    before, after, path, loops = "", "", name, 0
    while True:
        if of.kind == "class" and pick([True, False]):
            name, (below, _required) = pick(list(of.members.items()))
            if below.kind in ("scalar", "any", "union"):
                break
            path, of = f"{path}['{name}']", below
        elif of.kind == "list":
            loops += 1
            before += f"{{% for e{loops} in {path} %}}\n"
            after = "{% endfor %}\n" + after
            path, of = f"e{loops}", of.parts[0]
        elif of.kind == "dict":
            loops += 1
            loop = pick([f"k{loops}, e{loops} in {path}.items()", f"k{loops}, e{loops} in {path} | dictsort",
                         f"e{loops} in {path}.values()"])  # fmt: skip
            before += f"{{% for {loop} %}}\n"
            after = "{% endfor %}\n" + after
            path, of = f"e{loops}", of.parts[0]
        elif of.kind == "tuple":
            index = pick([0, 1])
            path, of = f"{path}[{index}]", of.parts[index]
        else:
            break
    if of.kind == "class":
        right = pick(list(of.members))
        if right in ("items", "values"):
            return None
    elif of.kind == "scalar" and of.text in ("str", 'Literal["x", "y"]'):
        right = "upper"
    else:
        return None
    used = pick(
        [
            f"{{{{ {path}.§NAME }}}}",
            f"{{{{ {path}[§'NAME'] }}}}",
            f"{{% set v = {path} %}}{{{{ v.§NAME ~ 'x' }}}}",
            f"{{% with v = {path} %}}{{{{ [v.§NAME] | join }}}}{{% endwith %}}",
            f"{{% macro m(v, w=1) %}}{{{{ v.§NAME }}}}{{% endmacro %}}{{{{ m({path}) }}}}",
            f"{{% macro m(v) %}}{{{{ caller(v) }}}}{{% endmacro %}}"
            f"{{% call(c) m({path}) %}}{{% if c.§NAME %}}x{{% endif %}}{{% endcall %}}",
            f"{{{{ [{path}] | map(attribute=§'NAME') | join }}}}",
            f"{{{{ [{path}, {path}] | sort(attribute=§'NAME') | length }}}}",
            f"{{% for v in [{path}] if v is defined %}}{{{{ loop.index }}}}{{{{ v.§NAME }}}}{{% endfor %}}",
            f"{{{{ {{'k': {path}}}.k.§NAME if true else '' }}}}",
            f"{{% if {path} is defined and {path} is not none %}}{{% set w = {path}.§NAME %}}{{{{ w }}}}{{% endif %}}",
        ]
    )
    return before + used + "\n" + after, right, right[:-1] + "_x"


@given(st.data())
@settings(max_examples=100, deadline=None, suppress_health_check=QUIET)
def test_a_misspelt_name_in_a_place_that_is_certain_is_found_there(data: st.DataObject) -> None:
    def pick(choices: list[Any]) -> Any:
        return choices[data.draw(st.integers(0, len(choices) - 1))]

    check_misspelt(pick)


def check_misspelt(pick: Pick) -> bool:
    schema = Schema(pick)
    made = certain_place(schema, pick)
    if made is None:
        return False
    template, right, wrong = made
    for name, expected in ((right, False), (wrong, True)):
        marked = template.replace("NAME", name)
        offset = marked.index("§")
        text = marked.replace("§", "")
        place = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
        found = findings(schema.source(), text)
        at = [(each.span.line, each.span.column) for each in found if each.span is not None]
        assert at == ([place] if expected else []), (found, schema.source(), text)
        assert all(each.code == "unknown-attribute" for each in found)
    return True
