"""Documents of every kind that Yglu is for give what Yglu 1.1.2 gives.

Yglu is the oracle. It reads its environment from the process when YGLU_ENABLE_ENV is set, keeps contexts for ever, and
opens imports by itself; so each document is given to it afresh, in the directory of its imports.
"""

import io
import shutil
import sys
import types
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.environment import Env
from frozenctx_compiler.package import Located, SettingsDocument
from frozenctx_compiler.resolve import evaluated
from frozenctx_compiler.sources import Sources
from frozenctx_compiler.yamltree import compose

DOCUMENTS = Path(__file__).parent / "documents"
ENVIRONMENT = {"REGION": "eu-west", "REPLICAS": "3", "EMPTY": "", "DEBUG": "yes"}
NAMES = sorted(path.stem for path in DOCUMENTS.glob("*.yaml"))

MERGED_IN_ANOTHER_ORDER = {"merge", "composition"}  # `<<` puts what is merged first, as in all settings; Yglu last


def stand_in_for_pkg_resources(monkeypatch: pytest.MonkeyPatch) -> None:
    """yaql wants to import it; current setuptools bring it no more."""
    if "pkg_resources" not in sys.modules:
        stand_in = types.ModuleType("pkg_resources")

        class DistributionNotFound(Exception):
            pass

        def get_distribution(name: str) -> None:
            raise DistributionNotFound(name)

        stand_in.__dict__.update(DistributionNotFound=DistributionNotFound, get_distribution=get_distribution)
        monkeypatch.setitem(sys.modules, "pkg_resources", stand_in)


def yglu(path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    """What Yglu makes of a document."""
    stand_in_for_pkg_resources(monkeypatch)
    import yglu.expression
    import yglu.functions
    import yglu.main  # noqa: F401  (registers $import)
    from yglu.builder import build

    monkeypatch.setenv("YGLU_ENABLE_ENV", "1")
    monkeypatch.setattr(yglu.functions, "base_dir", None)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    yglu.expression.contexts.clear()
    return as_written(build(io.StringIO(path.read_text("utf-8")), str(path)))


def as_written(tree: object) -> object:
    """Plain data as Yglu's dumper writes it: the nulls of its own mappings dropped."""
    from yglu.tree import Mapping as Own
    from yglu.tree import Scalar

    if isinstance(tree, Scalar):
        return as_written(tree.content())
    if isinstance(tree, Mapping):
        return {
            as_written(key): as_written(value)
            for key, value in tree.items()
            if value is not None or not isinstance(tree, Own)
        }
    if isinstance(tree, list | tuple):
        return [as_written(item) for item in tree]
    return str(tree) if isinstance(tree, str) else tree


def ours(path: Path, env: Mapping[str, str] = ENVIRONMENT) -> tuple[object, list[str]]:
    """What we make of it, and the codes of what was reported."""
    report = Report()
    scope = report.scoped("document")
    text = path.read_text("utf-8")
    node = compose(text, path.name, scope)
    document = SettingsDocument(path.name, text, node)  # type: ignore[arg-type]
    located, _ = evaluated(document, Env(env), Sources(str(path.parent)), scope)
    assert_located(located)
    return located.value, [found.code for found in report.diagnostics]


def assert_located(located: Located) -> None:
    """Every part of the data has a place, and there are no places of parts that are not there."""
    paths = set(parts(located.value, ()))
    assert paths <= set(located.spans)
    assert set(located.keys) <= paths


def parts(data: object, path: tuple[object, ...]) -> Iterable[tuple[object, ...]]:
    yield path
    if isinstance(data, dict):
        for name, part in data.items():
            yield from parts(part, (*path, name))
    if isinstance(data, list):
        for at, part in enumerate(data):
            yield from parts(part, (*path, at))


@pytest.mark.parametrize("name", NAMES)
def test_a_document_gives_what_yglu_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = DOCUMENTS / f"{name}.yaml"
    value, codes = ours(path)
    assert codes == []
    theirs = yglu(path, monkeypatch)
    assert value == theirs
    if name not in MERGED_IN_ANOTHER_ORDER:
        assert repr(value) == repr(theirs)  # the order of keys, and 1 is not true


WIDER = {
    "an if in a list": ("- a\n- !if 1 = 1:\n  - b\n  - c\n- !if 1 = 2: [d]\n", ["a", "b", "c"]),
    "an if with one item": ("- !if 1 = 1: a\n- !if 1 = 1: {b: 1}\n", ["a", {"b": 1}]),
    "a for of scalars in a list": ("- !for '[1, 2]': !() $ * 2\n", [2, 4]),
    "a computed key alone in an item": ("- !? \"'a'\": 1\n", [{"a": 1}]),
    "get gives a value": ("a: {b: 1}\nc: !? $_.a.get(b) + 1\nd: !? $_.get(e, 5)\n", {"a": {"b": 1}, "c": 2, "d": 5}),
    "a merged key, looked up": (
        "a:\n  !if 1 = 1:\n    b: !? 1 + 1\nc: !? $_.a.b + 1\n",
        {"a": {"b": 2}, "c": 3},
    ),
    "nulls that are written stay": ("a: ~\nb: [~, !? 1 + 1]\nc: !? null\n", {"a": None, "b": [None, 2]}),
    "a part of an import": ("a: !? $import('parts/shared.yaml').sizes.large\n", {"a": 100}),
    "an import that is one value": ("a: !? $import('parts/one.yaml') + 1\n", {"a": 42}),
    "an import that is empty": ("a: 1\nb: !? $import('parts/empty.yaml')\n", {"a": 1}),
    "a hidden base": ("base: !- &base {x: 1, y: !? 1 + 1}\nc:\n  <<: *base\n  z: 3\n", {"c": {"x": 1, "y": 2, "z": 3}}),
    "an import's import": ("a: !? $import('parts/shared.yaml').more[1]\n", {"a": "two"}),
    "literals of Julep": ("a: !? $env.get('N', True) and 1\nb: !? $env.get('N', None) = null\n", {"a": 1, "b": True}),
    "an empty block": ("a:\n  !if 1 = 1:\n  b: 1\n", {"a": {"b": 1}}),
}


@pytest.mark.parametrize(("text", "value"), WIDER.values(), ids=WIDER.keys())
def test_what_yglu_stumbles_over_works(text: str, value: object, tmp_path: Path) -> None:
    shutil.copytree(DOCUMENTS / "parts", tmp_path / "parts")
    (tmp_path / "document.yaml").write_text(text, "utf-8")
    assert ours(tmp_path / "document.yaml") == (value, [])


@pytest.mark.parametrize("name", NAMES)
def test_a_document_gives_the_same_twice(name: str) -> None:
    path = DOCUMENTS / f"{name}.yaml"
    assert repr(ours(path)) == repr(ours(path))
