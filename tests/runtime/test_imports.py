"""What is imported from `import frozenctx` to a rendered prompt: every module costs start-up."""

import subprocess
import sys
from pathlib import Path

import pytest
from handmade import files, package

RUNTIME = Path(__file__).parents[2] / "runtime"
OURS = {
    "frozenctx", "frozenctx.format", "frozenctx.pack", "frozenctx.prompt", "frozenctx.prompts",
    "frozenctx.source",
}  # fmt: skip
WITHOUT_PACK = {"frozenctx.errors", "frozenctx.objects", "frozenctx.words"}
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
def test_a_literal_prompt_is_rendered_with_the_loader_alone(tmp_path: Path, flags: tuple[str, ...]) -> None:
    write(tmp_path, files(package("a", literal="x")))
    code = f"import frozenctx; {{'x': 0}}[frozenctx.load({str(tmp_path)!r})['a'].system()]"
    assert modules(code, *flags) == OURS | WITHOUT_PACK | OF_THE_LIBRARY


def test_a_template_is_rendered_with_modules_of_the_runtime_and_no_other_of_the_standard_library(
    tmp_path: Path,
) -> None:
    system = "{% for i in items %}{{ loop.index }}{{ i.name | upper }}{% endfor %}{% include 'p.j2' %}"
    macro = "{% macro m(x) %}{{ x | default('-') | trim }}{% endmacro %}"
    partials = {"p.j2": macro + "{{ m(' a ') }}{{ [1, 2] | join(',') }}"}
    write(tmp_path, files(package("a", system, partials=partials)))
    code = f"import frozenctx; frozenctx.load({str(tmp_path)!r})['a'].messages(items=[{{'name': 'n'}}])"
    found = modules(code)
    templates = {name for name in found if name.startswith("frozenctx.template")}
    # `_operator` is part of every interpreter's binary.
    assert found - templates - {"_operator"} == OURS | WITHOUT_PACK | OF_THE_LIBRARY
    assert {"frozenctx.template.program", "frozenctx.template.engine"} <= templates


def write(out: Path, content: dict[str, bytes]) -> None:
    for name, data in content.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
