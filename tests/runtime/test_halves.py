"""Classes in two halves look whole, whenever their other half is loaded, or whether it can be loaded at all."""

import inspect
import subprocess
import sys
from pathlib import Path

import pytest
from handmade import package, stored

RUNTIME = Path(__file__).parents[2] / "runtime"


def run(out: Path, code: str) -> str:
    path = f"import sys; sys.path.insert(0, {str(RUNTIME)!r})"
    load = f"import frozenctx; prompts = frozenctx.load({str(out)!r})"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", f"{path}\n{load}\n{code}"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout.strip()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    stored(tmp_path, package("a", literal="x"), package("b", "{{ y }}"))
    return tmp_path


WHOLE = "held.key, 'b' in prompts, list(prompts), repr(prompts), held.model, held.settings.model, 'digest' in dir(held)"
PURGE = "for name in [n for n in sys.modules if n.startswith('frozenctx')]: del sys.modules[name]"


@pytest.mark.parametrize(
    "change",
    [
        PURGE,
        f"{PURGE}\nimport frozenctx",
        "import importlib; importlib.reload(sys.modules['frozenctx.pack'])",
        "type(held).__module__ = 'app'",
        "type(held).__name__ = 'Held'",
    ],
)
def test_held_prompts_are_whole_after_modules_were_reloaded_or_classes_renamed(out: Path, change: str) -> None:
    expected = run(out, f"held = prompts['a']; print({WHOLE})")
    assert run(out, f"held = prompts['a']\n{change}\nprint({WHOLE})") == expected


def test_a_prompt_says_which_one_it_is_when_nothing_can_be_imported_any_more(out: Path) -> None:
    nothing = "sys.meta_path[:] = []; sys.path[:] = []"
    told = run(out, f"held = prompts['a']; {nothing}; print(held.key, held.name, held.version, held)")
    key, name, version, shown = told.split(" ", 3)
    assert (key, name) == ("a", "a")
    assert version.startswith("a@v")
    assert shown == f"<frozenctx.Prompt {version}>"


@pytest.mark.parametrize("name", ["key", "version", "model", "settings", "nope"])
@pytest.mark.parametrize("loaded", [False, True])
def test_a_prompt_that_was_never_made_lacks_attributes_without_end_of_recursion(
    out: Path, name: str, loaded: bool
) -> None:
    load = "prompts['a'].model" if loaded else ""
    code = f"{load}\nhalf_made = type(prompts['a']).__new__(type(prompts['a']))\nprint(hasattr(half_made, {name!r}))"
    assert run(out, code) == "False"


def test_all_members_of_prompts_can_be_looked_at(out: Path) -> None:
    import frozenctx

    prompts = frozenctx.load(str(out))
    assert {"digest", "named", "profile"} <= dict(inspect.getmembers(prompts)).keys()
    assert {"identity", "version", "meta"} <= dict(inspect.getmembers(prompts["a"])).keys()
    assert not [name for name in vars(type(prompts)) if name == "__weakref__"]
