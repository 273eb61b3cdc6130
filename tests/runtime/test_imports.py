"""What is imported from `import frozenctx` to a rendered prompt: every module costs start-up."""

import statistics
import subprocess
import sys
from pathlib import Path

import frozenctx_compiler
import pytest
from code_lines import code_lines
from handmade import files, package, stored

RUNTIME = Path(__file__).parents[2] / "runtime"
EXAMPLES = RUNTIME.parent / "examples" / "prompts"
OURS = {"frozenctx", "frozenctx.pack", "frozenctx.prompts"}
TEMPLATE_HALF = {"template", "template.sharing"}
WITHOUT_PACK = {
    f"frozenctx.{name}" for name in ("errors", "format", "loading", "objects", "template.text", "words")
}
WITH_OPTIONS = {"frozenctx.format", "frozenctx.loading"}
OF_THE_LIBRARY = {"_json", "_sha256" if sys.version_info < (3, 12) else "_sha2"}


def modules(code: str, *flags: str) -> set[str]:
    """The modules that a bare interpreter has after `code` and had not before."""
    script = (
        f"import sys; sys.path.insert(0, {str(RUNTIME)!r}); before = set(sys.modules)\n{code}\n"
        "print('\\n'.join(sorted(set(sys.modules) - before)))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", *flags, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_import_alone_loads_the_loader_and_no_module_of_the_standard_library() -> None:
    assert modules("import frozenctx") == OURS


@pytest.mark.parametrize("flags", [(), ("-B",), ("-OO",)])
def test_a_literal_prompt_in_a_pack_is_rendered_with_the_loader_alone(tmp_path: Path, flags: tuple[str, ...]) -> None:
    stored(tmp_path, package("a", literal="x"))
    code = f"import frozenctx; {{'x': 0}}[frozenctx.load({str(tmp_path)!r}, pack='require')['a'].system()]"
    assert modules(code, *flags) == OURS


@pytest.mark.parametrize("options", ["", ", profile='default'", ", profile='default', pack='require'"])
def test_options_that_only_say_which_release_load_nothing_more(tmp_path: Path, options: str) -> None:
    stored(tmp_path, package("a", literal="x"))
    assert modules(f"import frozenctx; frozenctx.load({str(tmp_path)!r}{options})['a'].messages()") == OURS
    assert modules(f"import frozenctx; frozenctx.load({str(tmp_path)!r}, extra='ignore')") == OURS | WITH_OPTIONS


SYSTEM = (
    "{% for i in items %}{{ loop.index }}. {{ i.name | upper }}{% if i.note is defined %}: {{ i.note }}{% endif %}"
    "{% endfor %}{{ title | default('none') }}{% include 'p.j2' %}"
)
PARTIALS = {"p.j2": "{% macro m(x) %}{{ x | default('-') }}{% endmacro %}{{ m('a') }}{{ [1, 2] | join(',') }}"}


@pytest.mark.parametrize("flags", [(), ("-B",), ("-OO",)])
def test_a_template_in_a_pack_is_rendered_with_exactly_these_modules(tmp_path: Path, flags: tuple[str, ...]) -> None:
    stored(tmp_path, package("a", SYSTEM, partials=PARTIALS))
    code = f"import frozenctx; frozenctx.load({str(tmp_path)!r}, pack='require')['a'].messages(items=[{{'name': 'n'}}])"
    assert modules(code, *flags) == OURS | {f"frozenctx.{name}" for name in TEMPLATE_HALF}


def test_without_a_pack_json_and_sha256_are_loaded_as_well(tmp_path: Path) -> None:
    write(tmp_path, files(package("a", SYSTEM, partials=PARTIALS)))
    code = f"import frozenctx; frozenctx.load({str(tmp_path)!r})['a'].messages(items=[{{'name': 'n'}}])"
    of_the_template_half = {f"frozenctx.{name}" for name in TEMPLATE_HALF}
    assert modules(code) == OURS | WITHOUT_PACK | OF_THE_LIBRARY | of_the_template_half


def test_to_json_adds_the_c_half_of_json_only(tmp_path: Path) -> None:
    stored(tmp_path, package("a", "{{ x | to_json }}"))
    code = f"import frozenctx; frozenctx.load({str(tmp_path)!r}, pack='require')['a'].system(x={{'é': [1]}})"
    assert {name for name in modules(code) if not name.startswith("frozenctx")} == {"_json"}


def test_the_code_on_the_way_to_a_rendered_prompt_stays_small() -> None:
    assert sum(map(code_lines, OURS)) <= 360


def test_half_of_the_example_prompts_load_at_most_900_lines_of_code(tmp_path: Path) -> None:
    built = frozenctx_compiler.build(EXAMPLES, tmp_path)
    assert built.written, built.report.diagnostics
    lines = []
    for compiled in built.compilation.packages:
        samples = compiled.lowered.checked.samples
        if samples:
            key, variables = compiled.lowered.checked.read.files.key, samples[0].variables
            load = f"import frozenctx; prompts = frozenctx.load({str(tmp_path)!r}, pack='require')"
            code = f"{load}; prompts[{key!r}].messages({variables!r})"
            lines.append(sum(code_lines(name) for name in modules(code) if name.startswith("frozenctx")))
    assert len(lines) > 20
    assert statistics.median(lines) <= 900


def write(out: Path, content: dict[str, bytes]) -> None:
    for name, data in content.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
