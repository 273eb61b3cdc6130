"""Loading the library costs no import, and a filter that needs a module loads it when it is used."""

import pathlib
import subprocess
import sys

import frozenctx.template
import pytest

HEAVY = ["re", "json", "typing", "functools", "collections", "enum", "textwrap", "random", "html", "string", "urllib",
         "inspect", "math", "pprint", "numbers", "dataclasses", "pathlib", "operator", "itertools"]  # fmt: skip
# Loaded as parts of a package that is not there: the package's own __init__ is not this test's subject.
PRELUDE = """
import sys, types
sys.path.insert(0, {root!r})
package = types.ModuleType("frozenctx")
package.__path__ = [{root!r} + "/frozenctx"]
sys.modules["frozenctx"] = package
from frozenctx.template import markup, tests, guard
from frozenctx.template.language import FILTERS, GLOBALS
dict(FILTERS)
"""


ROOT = str(pathlib.Path(frozenctx.template.__file__).parents[2])


def loaded(code: str) -> set[str]:
    """Return which of HEAVY are loaded after `code` in an interpreter without site."""
    program = PRELUDE.format(root=ROOT) + code + f"\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_loading_filters_tests_globals_and_markup_imports_no_other_module() -> None:
    assert loaded("") == set()


@pytest.mark.parametrize(
    "code",
    [
        "FILTERS['title']('a b')", "FILTERS['wordcount']('a b')", "FILTERS['urlencode']('a b')",
        "FILTERS['dedent'](' a')",
        "FILTERS['to_json']({'a': [1, 'é']})", "FILTERS['striptags']('<b>a</b>')", "FILTERS['round'](1.5)",
        "markup.Markup('<b>') + '<'", "markup.Markup('%s') % '<'", "tests.test_mapping([])", "tests.test_number(1)",
        "list(FILTERS['items']({}))", "FILTERS['as_codeblock']('x')", "FILTERS['as_xml']('x')",
        "guard.guarded_format(None, '{0.real}'.format, (1,), {})",
    ],
)  # fmt: skip
def test_common_filters_import_nothing_when_used(code: str) -> None:
    assert loaded(code) == set()


@pytest.mark.parametrize(
    ("code", "module"),
    [
        ("FILTERS['to_json']({1: 2}, 2)", "json"), ("FILTERS['from_json']('1')", "json"), ("FILTERS['pprint'](1)",
        "pprint"),
        ("FILTERS['striptags']('&amp;')", "html"), ("GLOBALS['lipsum']()", "random"),
        ("markup.Markup('{}').format(1)", "string"), ("FILTERS['round'](1.5, 0, 'ceil')", "math"),
    ],
)  # fmt: skip
def test_filter_imports_what_it_needs_at_first_use(code: str, module: str) -> None:
    assert module in loaded(code)
