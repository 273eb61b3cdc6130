"""`load_ctx_evals`: the one function that executes code of a package.

In: a package's directory and an explicit environment. Out: Evals. The invariants: everything is checked as
`frozenctx check --evals` checks it before any of it is executed; while `eval.py` is executed, modules stand in for the
absent `dotctx`; the process is as before afterwards, modules that were really imported excepted.
"""

import inspect
import itertools
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any, Literal

from ..api import env_files_of, environment_of
from ..check_evals import PARAMETERS, check_evals, read_evals
from ..diagnostics import Diagnostic, Report
from ..diagnostics.text import render_text
from ..discover import PROMPTS, SETTINGS
from ..package import EnvUse, PackageFiles
from ..project import Project, read_project
from ..secrets import Secrets
from ..shapes import without_pasted
from ..sources import SourceFault, Sources
from .config import EvalConfig, config_of
from .error import EvalError
from .package_code import PackageCode
from .process import kept, turn
from .standing_in import MODULES, NAMES, importable

Sampler = Callable[[int], Any]
Scorer = Callable[[Any, Any, Any], Any]

_OF_PACKAGES = (*SETTINGS, *PROMPTS, "eval.py", "eval.yaml", "eval.yml")  # a directory with one of these is one
_numbers = itertools.count()


@dataclass(frozen=True, slots=True)
class Evals:
    """The evals of one package. `file`: the absolute path of its `eval.py`; None, like `sample` and `score`, when there
    is none. `config`: what `eval.yaml` says, with the defaults of what it leaves out, also when there is none.
    `env`: the names that `eval.yaml` asked the environment for. `findings`: what is worth knowing and stopped nothing.

    `sample(limit)` gives the samples; `score(input, output, expected)` a number from 0 to 1, or such a number and a
    mapping of further figures. Both may be coroutine functions. What they return is the author's and is not checked.
    What imports something of the package, or `dotctx`, when it is called is called in `stand_ins(evals)`.
    """

    package: str
    sample: Sampler | None
    score: Scorer | None
    config: EvalConfig
    file: str | None = None
    env: EnvUse = EnvUse()
    findings: tuple[Diagnostic, ...] = ()
    code: PackageCode | None = field(default=None, repr=False, compare=False)


def stand_ins(*evals: Evals) -> AbstractContextManager[None]:
    """A context in which functions of `evals` find what their `eval.py` found: `dotctx` and the modules below it, the
    files beside it, and its own module by name, as `pickle` and `typing.get_type_hints` want it. Contexts may overlap,
    in threads and in coroutines."""
    return importable(*(each.code for each in evals if each.code is not None))


def load_ctx_evals(
    package_dir: str | bytes | os.PathLike[str] | os.PathLike[bytes],
    env: Mapping[str, str] | None = None,
    *,
    profile: str | None = None,
    env_files: Sequence[str | os.PathLike[str]] = (),
    secret_env: Collection[str] = (),
    require_env: bool = False,
    links: Literal["inside", "follow"] = "inside",
) -> Evals:
    """Load `eval.py`, which executes it, and `eval.yaml` of the package in `package_dir`; either may be absent.

    `env` is what `$env` reads in `eval.yaml`, over `env_files` and `[env]` of frozenctx.toml, as in a build; the
    environment of the process never is. `profile`: which of the `profiles` of `eval.yaml` counts. Raises EvalError;
    what `eval.py` raised is its `__cause__`.
    """
    given = os.fsdecode(package_dir)
    if not os.path.isdir(given):
        raise EvalError(*_no_directory(given))
    report = Report()
    report.conceal(without_pasted)
    project = read_project(given, report)
    sources = Sources(project.root, project.mounts, links)
    named = env_files_of(project, env_files)
    environment = environment_of(project, named, env, report)
    secrets = Secrets(environment.layers, {*project.secret, *secret_env}, project.public)
    hide: Callable[[str], str] = lambda text: without_pasted(secrets.hidden(text))  # noqa: E731
    report.conceal(hide)
    shown = _Shown(given, sources, hide, {file for file, _ in named})
    files = _files(project, sources, report)
    shown.stop_if_faulty(report)
    if not (files.path.endswith(".ctx") or any(name in files.entries for name in _OF_PACKAGES)):
        raise EvalError("it is no package", given, note=_no_package(files.entries))
    scope = report.scoped(files.key)
    document = read_evals(files, sources, scope)
    shown.stop_if_faulty(report)
    assert document is not None  # or else it is reported that it cannot be read
    data, use = check_evals(document, environment, sources, scope, require_env)
    shown.stop_if_faulty(report)
    directory, name = os.path.abspath(given), document.file.rpartition("/")[2]
    config = config_of(data.value, os.path.join(directory, name)) if name in files.entries else EvalConfig()
    if profile is not None:
        config = config.with_profile(profile)
    if "eval.py" not in files.entries:
        return Evals(given, None, None, config, env=use, findings=report.diagnostics)
    code = PackageCode(f"{NAMES}{next(_numbers)}", files.path, directory, sources)
    module = _executed(given, code)
    sample, score = (_callable(module, name, given) for name in PARAMETERS)
    file = os.path.join(directory, "eval.py")
    return Evals(given, sample, score, config, file, use, report.diagnostics, code)


def _no_directory(given: str) -> tuple[str, str, str | None, None, str]:
    if os.path.isfile(given):
        note = "a package that is a single file has no evals: make it a directory with settings.yaml and prompt.j2"
        return "it is a single file", given, None, None, note
    return "there is no such directory", given, None, None, "evals are loaded from the directory of a package"


def _no_package(entries: Collection[str]) -> str:
    below = [f"`{name}`" for name in entries if name.endswith(".ctx")]
    if not below:
        return "its name does not end in `.ctx`, and it has no settings, prompt or evals"
    return f"it holds the packages {', '.join(below[:5])}" + (", …" if len(below) > 5 else "")


def _files(project: Project, sources: Sources, report: Report) -> PackageFiles:
    """The directory that was named, as `discover` would find it, whatever else is in it."""
    path = project.source
    key = path.removesuffix(".ctx")
    try:
        entries = sources.listing(path)
    except SourceFault as fault:
        fault.add_to(report)
        entries = ()
    return PackageFiles(key, key.rpartition("/")[2], path, False, entries)


class _Shown:
    """How findings are told: with an excerpt of their file, and without a secret."""

    def __init__(self, package: str, sources: Sources, hide: Callable[[str], str], unshown: Collection[str]) -> None:
        self._package, self._sources, self._hide, self._unshown = package, sources, hide, unshown

    def stop_if_faulty(self, report: Report) -> None:
        """Raise an EvalError with all findings when one is an error."""
        errors = [found for found in report.diagnostics if found.level == "error"]
        if not errors:
            return
        text = render_text(report.diagnostics, self._text_of)
        span = errors[0].span
        file = os.path.join(self._package, os.path.basename(span.file)) if span is not None else None
        line = span.line if span is not None and span.line else None
        message = f"{errors[0].headline}\n\n{text}".rstrip()
        raise EvalError(message, self._package, file, line, diagnostics=report.diagnostics)

    def _text_of(self, file: str) -> str | None:
        if file in self._unshown:
            return None
        try:
            return self._hide(self._sources.text(file))
        except (SourceFault, OSError):
            return None


def _executed(given: str, code: PackageCode) -> ModuleType:
    """`eval.py` as a module, executed, and out of `sys.modules` again."""
    try:
        with turn(), importable(code), kept(code.directory):
            return import_module(f"{code.name}.eval")
    except (Exception, SystemExit) as error:
        file, line = _place(error, code.directory)
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise EvalError(said, given, os.path.join(given, file), line, _meant(error, code)) from error


def _place(error: BaseException, directory: str) -> tuple[str, int | None]:
    """The innermost place in the package that an exception came through: file below the directory, and line."""
    inside = os.path.join(directory, "")
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(inside):
        return str(error.filename).removeprefix(inside), error.lineno
    found: tuple[str, int | None] = ("eval.py", None)
    traceback = error.__traceback__
    while traceback is not None:
        file = traceback.tb_frame.f_code.co_filename
        if file.startswith(inside):
            found = file.removeprefix(inside), traceback.tb_lineno
        traceback = traceback.tb_next
    return found


def _meant(error: BaseException, code: PackageCode) -> str:
    """What an import that failed may have meant."""
    if not isinstance(error, ImportError) or error.name is None:
        return ""
    if error.name in MODULES and not isinstance(error, ModuleNotFoundError):
        offered = ", ".join(MODULES[error.name])
        return f"frozenctx stands in for `{error.name}`, which is not installed, with {offered}"
    if error.name.partition(".")[0] in MODULES:
        return f"frozenctx stands in for {', '.join(MODULES)}; install the real `dotctx` for more"
    top = error.name.partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and code.find_spec(f"{code.name}.{top}") is not None:
        return f"`{top}` stands beside eval.py: write `from .{top} import …`"
    return ""


def _callable(module: ModuleType, name: str, given: str) -> Any:
    """A function of `eval.py`, if it can be called as it will be."""
    file = os.path.join(given, "eval.py")
    form = f"`{name}({', '.join(PARAMETERS[name])})`"
    found = getattr(module, name, None)
    if not callable(found):
        what = f"eval.py has no {form}" if found is None else f"`{name}` of eval.py is not callable"
        raise EvalError(what, given, file, note=f"write {form}")
    try:
        signature = inspect.signature(found)
    except (TypeError, ValueError):  # of something that tells nobody
        return found
    try:
        signature.bind(*PARAMETERS[name])
    except TypeError as error:
        line = getattr(getattr(found, "__code__", None), "co_firstlineno", None)
        raise EvalError(f"`{name}` cannot be called as {form}: {error}", given, file, line) from None
    return found
