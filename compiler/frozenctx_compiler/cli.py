"""The command line: arguments in, text out. The only part that prints and the only one that sees the terminal.

Diagnostics and the closing line go to stderr, results to stdout. A command returns its exit code: 0 fine, 1 findings
or differences, 2 usage, 70 a bug of ours (FROZENCTX_TRACEBACK=1 shows its traceback). Colour only on a terminal, and
not when NO_COLOR is set. The passes are imported by the commands that need them, so that the others start at once.
"""

import io
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from .__main__ import DEPENDENCIES
from .spelling import near

if TYPE_CHECKING:
    from frozenctx import Prompt

    from .api import Compilation
    from .diagnostics import Level
    from .diagnostics.text import TextOf

# What `python -m frozenctx` has and this program has not.
OF_THE_RUNTIME = ("fresh", "releases", "rollback")

F = TypeVar("F", bound=Callable[..., Any])


def run(arguments: Sequence[str]) -> int:
    """Run one command. Only a missing dependency is raised; everything else becomes words and an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # prompts are UTF-8 wherever they go, as the runtime's commands print them
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        with frozenctx.make_context("frozenctx", list(arguments)) as context:
            code: int = frozenctx.invoke(context)
        sys.stdout.flush()
        return code
    except click.exceptions.Exit as exit:
        return exit.exit_code
    except click.ClickException as error:
        words = io.StringIO()
        error.show(words)
        click.echo(_unsaid(words.getvalue(), arguments), err=True, nl=False)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        from frozenctx.commands import drop_output

        drop_output()
        return 0
    except Exception as error:
        if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in DEPENDENCIES:
            raise
        return _failed(error)


def _unsaid(message: str, arguments: Sequence[str]) -> str:
    """The words of a usage error without what follows a `=` of an argument: it may be a secret in the wrong place."""
    for argument in arguments:
        tails = [argument[at:] for at in range(len(argument)) if at == 0 or argument[at - 1] == "="]
        for tail in tails:
            name, equals, value = tail.partition("=")
            if value:
                message = message.replace(tail, f"{name}=…").replace(repr(tail)[1:-1], f"{name}=…")
    return message


def _failed(error: Exception) -> int:
    from frozenctx.commands import drop_output
    from frozenctx.errors import FrozenctxError, HostNamesMissing

    from .store import StoreError

    if os.environ.get("FROZENCTX_TRACEBACK"):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, FrozenctxError | StoreError):
        by_hand = "\n  = help: name what supplies them, with `--host MODULE:NAME`"
        _say(f"error: {error}" + (by_hand if isinstance(error, HostNamesMissing) else ""))
        return 1
    if isinstance(error, OSError):  # a full disk, a closed stdout, a file without permission
        _say(f"error: {error.strerror or error}" + (f": `{error.filename}`" if error.filename is not None else ""))
        drop_output()
        return 1
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    where = f" ({os.path.basename(place.tb_frame.f_code.co_filename)}:{place.tb_lineno})" if place else ""
    _say(
        f"frozenctx {_version()} has a bug: {type(error).__name__}: {error}{where}\n"
        "  = note: this is our mistake and not one in your prompts\n"
        "  = help: report the lines above, with what FROZENCTX_TRACEBACK=1 adds to them"
    )
    return 70


def _say(text: str) -> None:
    click.echo(text, err=True)


def _version() -> str:
    from frozenctx.format import VERSION

    return VERSION


# -- options --


def _assignments(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    from .diagnostics import Report
    from .diagnostics.text import render_text
    from .environment import parse_assignment

    report = Report()
    pairs = [parse_assignment(text, report) for text in given]
    if report.has_errors:
        click.echo(render_text(report.diagnostics, lambda file: None, colour=_colour()), err=True, nl=False)
        context.exit(2)
    values: dict[str, str] = {}
    for name, value in (pair for pair in pairs if pair is not None):
        if name in values:
            raise click.BadParameter(f"`{name}` is given twice")
        values[name] = value
    return values


def _names(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> Sequence[str]:
    from .environment import is_name

    for name in given:
        if not is_name(name):
            what = "has a value: the name alone belongs here" if "=" in name else "is not letters, digits and `_`"
            raise click.BadParameter(f"`{name}` {what}")
    return given


def _of_process(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    for name in _names(context, parameter, given):
        if name not in os.environ:
            raise click.BadParameter(f"the process has no variable `{name}`")
    return {name: os.environ[name] for name in given}


def _profiles(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> dict[str, list[str]]:
    """`NAME` or `NAME=FILE` → the files of each name."""
    profiles: dict[str, list[str]] = {}
    for text in given:
        name, equals, file = text.partition("=")
        files = profiles.setdefault(name, [])
        if equals and not os.path.isfile(file):
            raise click.BadParameter(f"the environment file `{file}` of `{name}` does not exist")
        files += [file] if equals else []
    return profiles


def _host(context: click.Context, parameter: click.Parameter, named: str | None) -> dict[str, Any]:
    if named is None:
        return {}
    from .host_module import NoHost, host_of

    try:
        return dict(host_of(named))
    except NoHost as error:
        raise click.BadParameter(str(error))


def _codes(context: click.Context, parameter: click.Parameter, given: Sequence[str]) -> Sequence[str]:
    from .diagnostics import CODES

    for code in given:
        if code not in CODES:
            raise click.BadParameter(f"there is no code `{code}`{_near(code, CODES)}")
        if CODES[code].kind == "fault":
            raise click.BadParameter(f"`{code}` is always an error; only lints can be moved")
    return given


def _near(word: str, known: Mapping[str, object]) -> str:
    meant = near(word, known)
    return f"; did you mean `{meant}`?" if meant else ""


def selecting(command: F) -> F:
    """What commands take that read a choice of packages."""
    option = click.option("--src", metavar="SRC", help="The tree that keys are looked for in.")
    return click.argument("sources", metavar="[SRC]...", nargs=-1)(option(command))


def host_option(command: F) -> F:
    return click.option(
        "--host", metavar="MODULE:NAME", callback=_host,
        help="Import what the host program supplies: `filters`, `tests`, `globals`, `renderers` of NAME in MODULE.",
    )(command)  # fmt: skip


def source_options(command: F) -> F:
    """What every command that reads sources takes."""
    options = [
        click.option(
            "--env", "-e", metavar="NAME=VALUE", multiple=True, callback=_assignments,
            help="A value for `$env`; stronger than all the others.",
        ),
        click.option(
            "--env-from-process", "of_process", metavar="NAME", multiple=True, callback=_of_process,
            help="A variable of the process for `$env`, stronger than --env-file. No other one is ever read.",
        ),
        click.option(
            "--env-file", "env_files", multiple=True, type=click.Path(exists=True, dir_okay=False),
            help="A file of NAME=value lines for `$env`; of two files the later one is stronger.",
        ),
        click.option("--require-env", is_flag=True, help="A default that is used is an error."),
        click.option(
            "--secret-env", metavar="NAME", multiple=True, callback=_names,
            help="A name whose value must never be frozen; names like API_KEY say so themselves.",
        ),
        click.option("--deny", metavar="CODE", multiple=True, callback=_codes, help="Make a lint an error."),
        click.option("--warn", metavar="CODE", multiple=True, callback=_codes, help="Make a lint a warning."),
        click.option(
            "--links", type=click.Choice(["inside", "follow"]),
            help="`inside` (default) refuses links that leave the root; `follow` takes files where their links stand.",
        ),
    ]  # fmt: skip
    for option in reversed(options):
        command = option(command)
    return command


def _compile_options(
    sources: Sequence[str], deny: Sequence[str], warn: Sequence[str], links: str | None, **options: Any
) -> dict[str, Any]:
    """The arguments that `api.check` and `api.build` share, from those of the command line."""
    from .environment import Env

    options["env"] = Env(options.pop("of_process"), "--env-from-process").with_values(options["env"], "--env")
    twice = sorted({*deny} & {*warn})
    if twice:
        raise click.UsageError(f"`{twice[0]}` is both denied and a warning")
    levels: dict[str, Level] = {**dict.fromkeys(warn, "warning"), **dict.fromkeys(deny, "error")}
    for source in (*sources, *options.get("select", ())):
        if _is_assignment(source):
            raise click.UsageError(f"`{source}` is no path and no key; did you mean `--env {source}`?")
    if options.get("src") is not None:
        options.setdefault("select", tuple(sources))
    else:
        paths = [source for source in sources if os.path.exists(source) or _is_path(source)]
        options["src"] = paths[0] if paths else "."
        options["select"] = () if list(sources) == paths[:1] else tuple(sources)
    return {**options, "lint_levels": levels, "links": links or _defaults(options["src"]).get("links", "inside")}


def _is_path(source: str) -> bool:
    """Whether something that does not exist was meant as a path rather than as a key."""
    return source.startswith(("/", "./", "../")) or source.endswith(("/", ".ctx"))


def _is_assignment(source: str) -> bool:
    """Whether something that does not exist was meant as a value for `$env`."""
    from .environment import is_name
    from .secrets import says_secret

    name, equals, _ = source.partition("=")
    return bool(equals) and is_name(name) and (name.isupper() or says_secret(name)) and not os.path.exists(source)


def _defaults(src: str) -> Mapping[str, str]:
    """`[defaults]` of the tree's `frozenctx.toml`; {} when it has none or cannot be read (the build will say so)."""
    from .diagnostics import Report
    from .project import read_project
    from .sources import native

    project = read_project(src, Report())
    defaults = dict(project.defaults)
    if "out" in defaults:  # relative to the file that says so
        defaults["out"] = os.path.join(project.root, native(defaults["out"]))
    return defaults


# -- what is said --


def _colour() -> bool:
    return sys.stderr.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _report(compilation: "Compilation", text_of: "TextOf", outcome: str | None) -> int:
    """Say what was found, and how it ended; return the exit code."""
    from .diagnostics.text import closing, render_text

    found = compilation.report.diagnostics
    if found:
        click.echo(render_text(found, text_of, colour=_colour()), err=True, nl=False)
    if outcome is not None:
        _say(closing(found, len(compilation.files), outcome))
    return 1 if compilation.report.has_errors else 0


# -- commands that read sources --


class _Commands(click.Group):
    """Says of commands that the runtime alone has where they are."""

    def resolve_command(
        self, context: click.Context, arguments: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(context, arguments)
        except click.UsageError:
            if arguments[0] in OF_THE_RUNTIME:
                of_the_runtime = f"`{arguments[0]}` is a command of the runtime: `python -m frozenctx {arguments[0]}`"
                raise click.UsageError(of_the_runtime, context) from None
            raise


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(message="frozenctx %(version)s", package_name=None, version=_version())
def frozenctx() -> None:
    """Compile `.ctx` prompt packages into artifacts that a dependency-free runtime renders.

    SRC is a path (a tree, a directory of one, a package) or the key of a package; without it, the tree around the
    current directory. Keys beside a path are of packages in it. OUT is a directory of artifacts.
    """


@frozenctx.command()
@selecting
@click.option("--out", "-o", metavar="OUT", help="Where the artifacts go (default: `out` in frozenctx.toml).")
@click.option(
    "--profile", "profiles", metavar="NAME[=FILE]", multiple=True, callback=_profiles,
    help="The profile that points to the release, with an environment file of its own; several: a release for each.",
)
@click.option("--python", "pythons", metavar="EXE", multiple=True, help="Make a pack for this interpreter too, by it.")
@click.option("--vendor-runtime", is_flag=True, help="Put the runtime into OUT/runtime, with bytecode.")
@click.option("--limits", is_flag=True, help="Programs count what they do, so that loading can cap it.")
@click.option(
    "--tools-snapshot", type=click.Path(exists=True, dir_okay=False),
    help="What MCP servers serve, to compare tools.pyi with (docs/tools.md).",
)
@click.option("--prune", is_flag=True, help="Remove old releases; the last two before the current one stay.")
@source_options
def build(
    out: str | None,
    profiles: Mapping[str, Sequence[str]],
    pythons: Sequence[str],
    vendor_runtime: bool,
    prune: bool,
    limits: bool,
    env_files: Sequence[str],
    **options: Any,
) -> int:
    """Compile packages into OUT, and print the release's digest; with several profiles, a line `NAME sha256:…` each.

    A release holds the packages that SRC names and no others. Profiles and their files may also stand in
    frozenctx.toml. Writes nothing when there is an error.
    """
    from . import api
    from .diagnostics.text import counted

    arguments = _compile_options(env_files=env_files, **options)
    defaults = _defaults(arguments["src"])
    out = out or defaults.get("out")
    if out is None:
        raise click.UsageError("say where the artifacts go: --out OUT, or `out` under `[defaults]` in frozenctx.toml")
    result = api.build(
        out=out,
        profiles=profiles or None,
        pythons=pythons,
        vendor_runtime=vendor_runtime,
        prune=prune,
        limits=limits,
        **arguments,
    )
    text_of = api.text_reader(result.compilation)
    if not result.written:
        _report(result.compilation, text_of, "nothing was written")
        return 1
    stored = {profile: built.stored for profile, built in result.profiles.items()}
    outcome = f"{counted(sum(each.written for each in stored.values()), 'object')} written to {out}"
    for profile, each in stored.items():
        outcome += f", profile `{profile}` " + ("switched" if each.switched else "unchanged")
    pruned = next(iter(stored.values())).pruned
    if pruned is not None:
        outcome += f", {counted(len(pruned.releases), 'old release')} removed"
    code = _report(result.compilation, text_of, outcome)
    for note in dict.fromkeys(note for each in stored.values() for note in each.notes):
        _say(f"note: {note}")
    for profile, each in stored.items():
        if each.gone:
            keys = ", ".join(f"`{key}`" for key in each.gone[:5]) + (", …" if len(each.gone) > 5 else "")
            gone = counted(len(each.gone), "prompt")
            _say(f"note: {gone} that `{profile}` served before: not in this release: {keys}")
    for profile, built in result.profiles.items():
        click.echo(built.release if len(stored) == 1 else f"{profile} {built.release}")
    return code


@frozenctx.command()
@selecting
@click.option("--evals", is_flag=True, help="Check eval.yaml too, and that eval.py is Python; nothing of it is run.")
@click.option(
    "--tools-snapshot", type=click.Path(exists=True, dir_okay=False),
    help="What MCP servers serve, to compare tools.pyi with (docs/tools.md).",
)
@source_options
def check(evals: bool, env_files: Sequence[str], **options: Any) -> int:
    """Report everything that a build would report, and write nothing."""
    from . import api

    compilation = api.check(**_compile_options(env_files=env_files, **options), evals=evals)
    return _report(compilation, api.text_reader(compilation), "check writes nothing")


@frozenctx.command()
@click.argument("key", metavar="KEY")
@click.option("--from", "out", metavar="OUT", help="Render from artifacts, not from source.")
@click.option("--src", default=".", metavar="SRC", help="The tree that KEY is in (default: the current directory).")
@click.option("--var", "given", multiple=True, metavar="NAME=TEXT|NAME:=JSON", help="One variable.")
@click.option("--vars", "file", metavar="FILE", help="Variables from a JSON or YAML file; `-` is JSON on stdin.")
@click.option("--sample", metavar="NAME", help="Variables of a sample of the package (from source only).")
@click.option("--role", type=click.Choice(["system", "user"]), help="The text of one role alone.")
@click.option("--profile", metavar="NAME", help="With --from, the profile; with source, whose files are read.")
@click.option("--max-steps", type=click.IntRange(0), metavar="N", help="Fail beyond so many steps (docs/limits.md).")
@click.option("--max-output", type=click.IntRange(0), metavar="N", help="Fail beyond so many characters of text.")
@click.option("--json", "as_json", is_flag=True, help="The messages as JSON.")
@host_option
@source_options
def render(
    key: str,
    out: str | None,
    src: str,
    given: Sequence[str],
    file: str | None,
    sample: str | None,
    role: str | None,
    profile: str | None,
    max_steps: int | None,
    max_output: int | None,
    as_json: bool,
    host: Mapping[str, Any],
    env_files: Sequence[str],
    **options: Any,
) -> int:
    """Print one prompt, rendered. KEY is a key, or with source the path of a package.

    Of --sample, --vars and --var the later is stronger.
    """
    variables: dict[str, Any] = {}
    text_of: TextOf = lambda file: None  # noqa: E731
    if out is not None and sample is not None:
        raise click.UsageError("samples are part of the source; with --from use --vars or --var")
    if out is not None:
        from frozenctx.commands import refuse_several

        refuse_several(out, profile)
    if out is not None and host:
        import frozenctx as runtime

        prompts = runtime.load(out, profile=profile, max_steps=max_steps, max_output=max_output, **host)
    elif out is not None:
        from frozenctx.loading import open_release, take_caps
        from frozenctx.prompts import Prompts

        release = open_release(out, profile=profile)
        take_caps(release, max_steps, max_output)
        prompts = Prompts(release)
    else:
        from . import api

        options |= {"src": key, "select": ()} if os.path.exists(key) else {"src": src, "select": (key,)}
        limits = max_steps is not None or max_output is not None
        which: dict[str, Any] = {"profiles": {"default": ()}} if profile is None else {"profile": profile}
        compilation = api.check(**_compile_options((), env_files=env_files, **options), **which, limits=limits)
        text_of = api.text_reader(compilation)
        if _report(compilation, text_of, None):
            _say("nothing was rendered, because of the errors above")
            return 1
        keys = [files.key for files in compilation.files]
        if key not in keys and len(keys) > 1:
            raise click.UsageError(f"`{key}` holds {len(keys)} packages; name one: {', '.join(keys[:5])} …")
        key = key if key in keys else keys[0]
        if sample is not None:
            checked = [package.lowered.checked for package in compilation.packages]
            samples = {
                each.name: each.variables
                for package in checked
                if package.read.files.key == key
                for each in package.samples
            }
            if sample not in samples:
                has = f"it has {', '.join(f'`{name}`' for name in samples)}" if samples else "it has none"
                known = compilation.hide(_near(sample, samples) or f"; {has}")
                raise click.UsageError(f"`{key}` has no sample `{sample}`{known}")
            variables.update(samples[sample])
        prompts = api.prompts(compilation, max_steps=max_steps, max_output=max_output, **host)
    if file is not None:
        variables.update(_variables_file(file))
    variables.update(_variables(given))
    if key not in prompts:
        raise click.UsageError(f"{_first_line(prompts, key)}")
    return _render(prompts[key], variables, role, as_json, text_of)


def _first_line(prompts: Mapping[str, "Prompt"], key: str) -> str:
    """The runtime's own words for a key that is not there."""
    try:
        prompts[key]
    except KeyError as error:
        return str(error.args[0])
    return ""


def _render(prompt: "Prompt", variables: dict[str, Any], role: str | None, as_json: bool, text_of: "TextOf") -> int:
    try:
        messages = prompt.messages(variables)
    except Exception as error:
        if getattr(error, "key", None) is None and not getattr(error, "__notes__", None):
            raise
        _say_failure(error, text_of)
        return 1
    if role is not None:
        messages = [message for message in messages if message["role"] == role]
        if not messages:
            raise click.UsageError(f"`{prompt.key}` has no {role} text")
    if as_json:
        click.echo(json.dumps(messages, ensure_ascii=False, indent=2))
    elif role is not None:
        click.echo(messages[0]["content"], nl=False, color=True)
    else:
        for message in messages:  # as they are: without `color` click takes out what a terminal would obey
            click.echo(f"--- {message['role']} ---\n{message['content']}", color=True)
    return 0


def _say_failure(error: Exception, text_of: "TextOf") -> None:
    """A template's exception: class and message, the line of the template, and where in which prompt."""
    from .diagnostics.failure import render_failure

    click.echo(render_failure(error, text_of), err=True, nl=False)


def _variables(given: Sequence[str]) -> dict[str, Any]:
    variables: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals or not name.strip(":"):
            raise click.UsageError(f"--var: expected NAME=text or NAME:=JSON, found `{text}`")
        if name.endswith(":"):
            try:
                variables[name[:-1]] = json.loads(value)
            except (ValueError, RecursionError) as error:
                raise click.UsageError(f"--var: `{name[:-1]}` is not JSON: {error}")
        else:
            variables[name] = value
    return variables


def _variables_file(file: str) -> dict[str, Any]:
    try:
        with click.open_file(file, encoding="utf-8-sig") as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise click.UsageError(f"--vars: {error}")
    try:
        if file.endswith((".yaml", ".yml")):
            import yaml

            variables = yaml.safe_load(text)
        else:
            variables = json.loads(text)
    except Exception as error:
        raise click.UsageError(f"--vars: `{file}` cannot be read: {error}")
    if not isinstance(variables, dict) or not all(isinstance(name, str) for name in variables):
        raise click.UsageError(f"--vars: expected a mapping of names to values in `{file}`")
    return variables


@frozenctx.command()
@selecting
@click.option("--sample", "names", metavar="NAME", multiple=True, help="Try the samples of this name alone.")
@click.option("--profile", metavar="NAME", help="The profile whose environment files are read.")
@click.option(
    "--format", "form", type=click.Choice(["text", "json", "junit"]), default="text", help="How results are printed."
)
@host_option
@source_options
def test(
    sources: Sequence[str],
    names: Sequence[str],
    profile: str | None,
    form: str,
    host: Mapping[str, Any],
    env_files: Sequence[str],
    **options: Any,
) -> int:
    """Render every sample, and hold the texts against what it expects.

    A sample that needs a filter, test, global or renderer that --host does not supply is skipped. Writes nothing.
    """
    from . import api, trial_reports
    from .trials import try_samples

    which: dict[str, Any] = {"profiles": {"default": ()}} if profile is None else {"profile": profile}
    compilation = api.check(**_compile_options(sources=sources, env_files=env_files, **options), **which)
    text_of, found = api.text_reader(compilation), compilation.report.diagnostics
    faulty = _report(compilation, text_of, None) > 0
    known = {sample.name: 0 for package in compilation.packages for sample in package.lowered.checked.samples}
    for name in names if not faulty else ():
        if name not in known:
            raise click.UsageError(f"there is no sample `{name}`{compilation.hide(_near(name, known))}")
    trials = () if faulty else try_samples(compilation, names=names, **host)
    if form == "json":
        click.echo(trial_reports.as_json(trials, found, compilation.hide), nl=False)
    elif form == "junit":
        click.echo(trial_reports.as_junit(trials, found, text_of, compilation.hide), nl=False)
    if faulty:
        _say("nothing was tried, because of the errors above")
        return 1
    if form == "text":
        click.echo(trial_reports.text_lines(trials, compilation.hide), nl=False)
        details = trial_reports.text_details(trials, text_of, compilation.hide, _colour())
        click.echo(details, err=True, nl=False)
    _say(trial_reports.closing(trials, len(compilation.files)))
    return 1 if any(trial.outcome == "failed" for trial in trials) else 0


@frozenctx.command()
@selecting
@source_options
def env(env_files: Sequence[str], **options: Any) -> int:
    """Print what `$env` is asked for, as a ready .env file.

    Every name, with its packages and its default.
    """
    from . import api
    from .dotenv import dotenv

    compilation = api.check(**_compile_options(env_files=env_files, **options))
    click.echo(dotenv({package.read.files.key: package.env for package in compilation.resolved}), nl=False)
    if all(found.code == "env-unset" for found in compilation.report.diagnostics if found.level == "error"):
        return 0
    return _report(compilation, api.text_reader(compilation), "the list may be incomplete")


# -- commands that read artifacts: the runtime's own, which answer the same with and without a compiler --


def artifact_options(command: F) -> F:
    options = [
        click.option("--profile", metavar="NAME", help="The profile, when there are several."),
        click.option("--release", metavar="sha256:…", help="This release instead of the profile's."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@frozenctx.command()
@click.argument("out", metavar="OUT")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@artifact_options
def ls(out: str, as_json: bool, **which: str | None) -> int:
    """List the prompts of OUT."""
    return _runtime("ls", out, json=as_json, **which)


@frozenctx.command()
@click.argument("out", metavar="OUT")
@click.argument("key", metavar="KEY")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@artifact_options
def show(out: str, key: str, as_json: bool, **which: str | None) -> int:
    """Show what one prompt of OUT is made of."""
    return _runtime("show", out, key, json=as_json, **which)


@frozenctx.command()
@click.argument("out", metavar="OUT")
@click.option("--expect", metavar="sha256:…", help="Fail unless this is the release.")
@click.option("--require-pack", metavar="TAG", multiple=True, help="Fail without a pack for it: cpython-313.")
@artifact_options
def verify(out: str, require_pack: Sequence[str], **which: str | None) -> int:
    """Check every object and pack of OUT, of every profile unless one is named."""
    return _runtime("verify", out, *(f"--require-pack={tag}" for tag in require_pack), **which)


@frozenctx.command()
@click.argument("out", metavar="OUT")
@click.option("--expect", metavar="sha256:…", help="Fail unless this is the release.")
@click.option("--output", "-o", metavar="FILE", help="Write the pack there, and nothing into OUT.")
@artifact_options
def pack(out: str, **which: str | None) -> int:
    """Make the pack of OUT for this interpreter, of every profile unless one is named."""
    return _runtime("pack", out, **which)


@frozenctx.command()
@click.argument("out", metavar="OUT")
@click.argument("keys", metavar="[KEY]...", nargs=-1)
@click.option(
    "--format",
    type=click.Choice(["text", "mcp", "openai", "openai-responses", "anthropic", "gemini"]),
    default="text",
    help="Text for people (default), or JSON as MCP or a provider takes it.",
)
@artifact_options
def tools(out: str, keys: Sequence[str], **which: str | None) -> int:
    """Print the contracts of the tools that the prompts of OUT may call.

    As JSON: for one KEY what a request has under `tools`, else that by key.
    """
    return _runtime("tools", out, *keys, **which)


@frozenctx.command()
@click.argument("out", metavar="OUT")
@click.option("--output", "-o", metavar="FILE", help="Write the stub there, `prompts.pyi` say, instead of printing it.")
@click.option("--check", is_flag=True, help="Write nothing: say how FILE differs from what would be written.")
@artifact_options
def stubs(out: str, output: str | None, check: bool, profile: str | None, release: str | None) -> int:
    """Print a stub that types the prompts of OUT, their variables and replies, for mypy and pyright."""
    from difflib import unified_diff

    from frozenctx import load
    from frozenctx.commands import refuse_several

    from .typed_stub import typed_stub

    if check and output is None:
        raise click.UsageError("--check needs the file to compare: `--output prompts.pyi`")
    refuse_several(out, profile, release)
    text = typed_stub(load(out, profile=profile, release=release))
    if output is None:
        click.echo(text, nl=False)
        return 0
    if not check:
        with open(output, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return 0
    try:
        with open(output, encoding="utf-8", errors="replace") as file:  # whatever line ends a checkout gives it
            there = file.read()
    except FileNotFoundError:
        there = ""
    if there == text:
        return 0
    lines = unified_diff(there.splitlines(), text.splitlines(), output, "what it should be", lineterm="")
    click.echo("\n".join(lines), err=True)
    click.echo(f"`{output}` is out of date: run `frozenctx stubs {out} -o {output}`", err=True)
    return 1


def _runtime(command: str, *arguments: str, **options: str | bool | None) -> int:
    from frozenctx.commands import main

    flags = [f"--{name}" for name, value in options.items() if value is True]
    values = [f"--{name}={value}" for name, value in options.items() if isinstance(value, str)]
    given = [argument for argument in arguments if argument.startswith("--require-pack=")]
    return main([command, *flags, *values, *given, "--", *(other for other in arguments if other not in given)])


@frozenctx.command()
@click.argument("out", metavar="OUT")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def profiles(out: str, as_json: bool) -> int:
    """Show the profiles of OUT, and where their releases differ."""
    from frozenctx import load
    from frozenctx.loading import open_source

    from .diagnostics.text import counted
    from .differences import differences

    _source, names = open_source(out)
    releases = {name: load(out, profile=name) for name in names or ()}
    found = differences(releases)
    if as_json:
        of = {name: {"release": prompts.digest, "prompts": len(prompts)} for name, prompts in releases.items()}
        parts = [{"key": each.key, "part": each.part, "values": dict(each.values)} for each in found]
        click.echo(json.dumps({"profiles": of, "differences": parts}, ensure_ascii=False, indent=2))
        return 0
    width = max(map(len, releases), default=0)
    for name, prompts in releases.items():
        click.echo(f"{name:<{width}}  {prompts.digest}  {counted(len(prompts), 'prompt')}")
    key = None
    for each in found:
        if each.key != key:
            key = each.key
            click.echo(f"\n{key}")
        click.echo(f"  {each.part}")
        for name, value in each.values.items():
            click.echo(f"    {name:<{width}}  {_short(value)}")
    return 0


def _short(value: object) -> str:
    text = "-" if value is None else value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text.replace("\n", "\\n")
    return text if len(text) <= 80 else text[:79] + "…"


# -- codes --


@frozenctx.command()
@click.argument("code", metavar="[CODE]", required=False)
def explain(code: str | None) -> int:
    """Show the page of a diagnostic code; without CODE, list all codes."""
    from .diagnostics import CODES
    from .explain import page

    if code is None:
        for name, known in sorted(CODES.items()):
            kind = "fault" if known.kind == "fault" else f"lint, {known.level}"
            click.echo(f"{name:<24} {kind:<14} {known.meaning}")
        return 0
    code = code.strip("[]`").lower()
    if code not in CODES:
        raise click.UsageError(f"there is no code `{code}`{_near(code, CODES)}")
    text = page(code)
    if text is None:
        raise RuntimeError(f"the page of `{code}` is missing from this installation")
    click.echo(text, nl=False)
    return 0


# -- schemas --


@frozenctx.command()
@click.argument("kind", metavar="[KIND]", required=False)
@click.option("--list", "listing", is_flag=True, help="List the kinds, and the files that each is for.")
@click.option("--output", "-o", metavar="DIR", help="Write KIND, or every kind, to DIR/<kind>.schema.json.")
def schema(kind: str | None, listing: bool, output: str | None) -> int:
    """Print the JSON Schema of one kind of file, for editors; without KIND, list the kinds."""
    from .schema import documents, text

    known = documents()
    if kind is not None and kind not in known:
        raise click.UsageError(f"there is no schema `{kind}`{_near(kind, known)}")
    if output is not None:
        os.makedirs(output, exist_ok=True)
        for name in [kind] if kind is not None else known:
            path = os.path.join(output, f"{name}.schema.json")
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(text(known[name]))
            click.echo(path)
    elif kind is None or listing:
        for name, document in known.items():
            click.echo(f"{name:<16} {document.title}" + "".join(f"\n{'':<16} {file}" for file in document.files))
    else:
        click.echo(text(known[kind]), nl=False)
    return 0
