"""The commands of `python -m frozenctx`: arguments in, text out. Standard library only.

Exit status: 0 fine; 1 artifacts that are damaged or gone, a template that failed, sources that differ; 2 a wrong
argument (no such directory, profile, key, file, variable). What was asked for goes to stdout, what went wrong to
stderr.
"""

import argparse
import contextlib
import json
import os
import sys
from typing import Any

from .errors import FrozenctxError, LoadError, NotArtifacts, NotLimited, ReleaseGone, UnknownKey, UnknownProfile
from .format import DIGEST, RECORDS, RUNTIME, VERSION, hex_of
from .loading import open_release, open_source, take_caps
from .objects import Objects, decode_json
from .pack import profile_release
from .packs import check_packs, require_packs, write_pack
from .prompts import Prompts
from .switch import current_release, history, rollback
from .tools import FORMS, as_text, shaped
from .vendoring import compile_runtime
from .verify import faults
from .words import listed

# What `frozenctx` has and this program has not.
OF_THE_COMPILER = ("build", "check", "test", "env", "stubs", "profiles", "explain", "schema")


class UsageError(Exception):
    """An argument means nothing here. The message is for the user."""


def main(arguments: "list[str] | None" = None) -> int:
    """Run one command and return the exit status."""
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _parser()
    if arguments and arguments[0] in OF_THE_COMPILER:
        name = arguments[0]
        parser.error(f"`{name}` is a command of the compiler: `frozenctx {name}` (pip install 'frozenctx[compiler]')")
    options = parser.parse_args(arguments)
    try:
        status: int = options.command(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # the reader of our output has seen enough
        drop_output()
        return 0
    except OSError as error:  # a full disk, a directory without permission
        print(f"error: {error.strerror or error}", file=sys.stderr)
        drop_output()
        return 1
    except (UsageError, UnknownKey, UnknownProfile, NotArtifacts, NotLimited) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except FrozenctxError as error:
        name = "" if isinstance(error, LoadError) else f"{type(error).__name__}: "
        print(f"error: {name}{error}", file=sys.stderr)
        return 1


def drop_output() -> None:
    """Let what is left in stdout's buffer go nowhere: the interpreter writes it out at exit, and would fail again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m frozenctx", description="Look at compiled prompts, and roll back.")
    parser.add_argument("--version", action="version", version=f"frozenctx {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str, function: Any, help: str, which: bool = True, sources: bool = False, zipped: bool = True
    ) -> argparse.ArgumentParser:
        added = commands.add_parser(name, help=help, description=help)
        added.set_defaults(command=function)
        if sources:
            added.add_argument("src", metavar="SRC", help="the sources: the path that the build was given")
        inside = ", or one inside a zip file" if zipped else ""
        added.add_argument("out", metavar="OUT", help=f"the output directory{inside}")
        added.add_argument("--profile", help="the profile; needed when there are several")
        if which:
            added.add_argument("--release", metavar="sha256:…", help="this release instead of the profile's")
        return added

    command("ls", _ls, "list the prompts").add_argument("--json", action="store_true", help="as JSON")
    show = command("show", _show, "show what one prompt is")
    show.add_argument("key", metavar="KEY")
    show.add_argument("--json", action="store_true", help="as JSON")
    tools = command("tools", _tools, "print the contracts of the tools that prompts may call")
    tools.add_argument("keys", metavar="KEY", nargs="*", help="these prompts alone; one: its tools without its key")
    tools.add_argument("--format", choices=["text", *FORMS], default="text", help="as MCP or a provider takes them")
    render = command("render", _render, "render one prompt")
    render.add_argument("key", metavar="KEY")
    render.add_argument("--var", action="append", default=[], metavar="NAME=TEXT", help="or NAME:=JSON")
    render.add_argument("--vars", metavar="FILE", help="a JSON object of variables; `-` reads standard input")
    render.add_argument("--json", action="store_true", help="as JSON")
    for cap in ("--max-steps", "--max-output"):
        render.add_argument(cap, type=_cap, metavar="N", help="fail beyond that; for releases built with limits")
    verify = command("verify", _verify, "read and check every object, of every profile unless one is named")
    verify.add_argument("--expect", metavar="sha256:…", help="fail unless this is the release")
    verify.add_argument(
        "--require-pack", action="append", default=[], metavar="TAG", help="fail without a pack for it: cpython-313"
    )
    help = "make the pack for this interpreter, of every profile unless one is named"
    pack = command("pack", _pack, help, zipped=False)
    pack.add_argument("--expect", metavar="sha256:…", help="fail unless this is the release")
    pack.add_argument("--output", "-o", metavar="FILE", help="write the pack there, and nothing into OUT")
    fresh = command("fresh", _fresh, "say how sources differ from those that OUT was built from", sources=True)
    fresh.add_argument(
        "--mount", action="append", default=[], metavar="NAME=DIR", help="where a mount of frozenctx.toml lies here"
    )
    command("releases", _releases, "list the releases of a profile, the latest first", which=False, zipped=False)
    back = command("rollback", _rollback, "let a profile point to an earlier release", which=False, zipped=False)
    back.add_argument("--to", required=True, metavar="sha256:…", help="the release, as `releases` lists it")
    return parser


def refuse_several(out: str, profile: "str | None", release: "str | None" = None) -> None:
    """Raise UnknownProfile, in the words of a command line, where `out` has several profiles and none is named."""
    if profile is None and release is None:
        _source, known = open_source(out)
        if known is not None and len(known) > 1:
            raise UnknownProfile(f"`{out}` has several profiles ({listed(known)}); say which with --profile")


def _open(options: argparse.Namespace) -> Prompts:
    # Without the host's filters and renderers: looking needs none, and rendering says which are missing.
    refuse_several(options.out, options.profile, options.release)
    try:
        return Prompts(open_release(options.out, profile=options.profile, release=options.release))
    except ValueError as error:
        raise UsageError(str(error)) from error


def _objects(options: argparse.Namespace, profile: "str | None", release: "str | None") -> Objects:
    try:
        opened = open_release(options.out, profile=profile, release=release, expect=options.expect, pack="never")
    except ValueError as error:
        raise UsageError(str(error)) from error
    assert isinstance(opened.contents, Objects)
    return opened.contents


def _ls(options: argparse.Namespace) -> int:
    prompts = _open(options)
    if options.json:
        rows = [
            {"key": p.key, "name": p.name, "version": p.version, "model": p.model, "meta": p.meta}
            for p in prompts.values()
        ]
        _print_json({"release": prompts.digest, "profile": prompts.profile, "prompts": rows})
        return 0
    table = [(p.key, p.name, p.version, p.model, str(p.meta.get("description") or "")) for p in prompts.values()]
    _print_table([("KEY", "NAME", "VERSION", "MODEL", "DESCRIPTION"), *table])
    return 0


def _show(options: argparse.Namespace) -> int:
    prompts = _open(options)
    prompt = prompts[options.key]
    settings = {name: getattr(prompt.settings, name) for name in dir(prompt.settings)}
    facts: dict[str, Any] = {
        "key": prompt.key,
        "name": prompt.name,
        "version": prompt.version,
        "digest": prompt.digest,
        "release": prompts.digest,
        "model": prompt.model,
        "settings": {name: value for name, value in settings.items() if value is not None},
        "meta": prompt.meta,
        "identity": prompt.identity,
        "inputSchema": prompt.input_schema,
        "replySchema": prompt.reply_schema,
        "toolContracts": prompt._rest.get("toolContracts") or [],
        "messages": prompt.parts,
        "skills": {
            skill.name: {"key": skill.key, "description": skill.description, "resources": list(skill.resources)}
            for skill in prompt.skills.values()
        },
        "hostNames": list(prompt.host_names),
        "variables": _inferred(options.out, prompts.digest, prompt.key),
    }
    if options.json:
        _print_json(facts)
        return 0
    for name, value in facts.items():
        if value not in (None, {}, [], ()):
            print(f"{name}: {value if isinstance(value, str) else _indented(value)}")
    return 0


def _tools(options: argparse.Namespace) -> int:
    """Tools as people read them, or as JSON: for one prompt what a request has under `tools`, else that by key."""
    prompts = _open(options)
    chosen = [prompts[key] for key in dict.fromkeys(options.keys)] or list(prompts.values())
    for prompt in chosen:
        declared = {tool.key for tool in prompt.tool_contracts}
        unknown = [key for key in dict.fromkeys(prompt.tools) if key not in declared]
        if unknown:
            print(f"note: `{prompt.key}` has no contract of {listed(unknown)}", file=sys.stderr)
    if options.format == "text":
        blocks = [as_text(prompt.key, prompt.tool_contracts) for prompt in chosen if prompt.tool_contracts]
        print("\n".join(blocks), end="")
        return 0
    made = {prompt.key: shaped(prompt.tool_contracts, options.format) for prompt in chosen}
    _print_json(made[chosen[0].key] if len(options.keys) == 1 else made)
    return 0


def _inferred(out: str, release: str, key: str) -> list[str]:
    """The variables that the build inferred from the templates, out of the record; [] when it is not there."""
    source, _profiles = open_source(out)
    data = source.read(f"{RECORDS}/{release.removeprefix(DIGEST)}.json")
    try:
        packages = decode_json(data)["packages"] if data is not None else []
        return next((package.get("variables", []) for package in packages if package["key"] == key), [])
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
        return []  # a record of another shape, or a damaged one: what is shown of it is a help, not a fact


def _render(options: argparse.Namespace) -> int:
    prompts = _open(options)
    take_caps(prompts._release, options.max_steps, options.max_output)
    prompt = prompts[options.key]
    variables = _variables(options)
    try:
        messages = prompt.messages(variables)
    except Exception as error:
        notes = getattr(error, "__notes__", ())
        if not notes:  # it is not about a template
            raise
        print("\n".join([f"error: {type(error).__name__}: {error}", *notes]), file=sys.stderr)
        return 1
    if options.json:
        _print_json(messages)
        return 0
    for message in messages:
        print(f"--- {message['role']} ---\n{message['content']}")
    return 0


def _cap(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a number, found `{text}`")
    return int(text)


def _verify(options: argparse.Namespace) -> int:
    source, _ = open_source(options.out)
    status = 0
    for profile, release in _chosen(options):
        name = f"profile `{profile}`" if profile else "release"
        found: list[FrozenctxError] = []
        try:
            objects = _objects(options, profile, release)
            found.extend(faults(objects))
            said = [] if found else check_packs(source, objects)
            require_packs(source, objects.hex, options.require_pack)
        except UnknownProfile:
            raise
        except LoadError as error:
            found.append(error)
        for fault in found:
            print(f"error: {fault}", file=sys.stderr)
        if found:
            print(f"{name}: {len(found)} fault{'s' if len(found) > 1 else ''}")
            status = 1
        else:
            print(f"{name}: {DIGEST}{objects.hex}, {_prompts(objects.count)}, {', '.join(['whole', *said])}")
    return status


def _pack(options: argparse.Namespace) -> int:
    root = _directory(options)
    chosen = _chosen(options)
    if options.output is not None:
        refuse_several(options.out, options.profile, options.release)
    for profile, release in chosen:
        objects = _objects(options, profile, release)
        try:
            if options.output is None and os.path.isdir(f"{root}/{RUNTIME}/frozenctx"):
                compile_runtime(f"{root}/{RUNTIME}/frozenctx")
            place, written, as_text = write_pack(root, objects.hex, options.output)
        except OSError as error:
            print(f"error: `{options.output or options.out}` cannot be written: {error.strerror}", file=sys.stderr)
            return 1
        for file in as_text:
            print(f"note: the program of `{file}` cannot be marshalled: it is in the pack as text", file=sys.stderr)
        print(f"{place}{'' if written else ' (was there already)'}")
    return 0


def _fresh(options: argparse.Namespace) -> int:
    from .fresh import WrongPlace, differences, read_record, root_of

    source, _ = open_source(options.out)
    mounts = dict(argument.partition("=")[::2] for argument in options.mount)
    if not all(name and place for name, place in mounts.items()):
        raise UsageError("--mount: expected NAME=DIR")
    if len(mounts) < len(options.mount):
        raise UsageError("--mount: a mount is given twice")
    status = 0
    for profile, release in _chosen(options):
        release = release or DIGEST + profile_release(source, profile or "")
        hexdigits = hex_of(release)
        if hexdigits is None:
            raise UsageError(f"--release: expected `sha256:` and 64 hexadecimal digits, found `{release}`")
        record = read_record(source, hexdigits)
        try:
            root = root_of(options.src, record)
            os.scandir(root).close()
            found = differences(root, record, mounts)
        except WrongPlace as error:
            raise UsageError(str(error)) from error
        except (FileNotFoundError, NotADirectoryError) as error:
            raise UsageError(f"`{options.src}` is no directory") from error
        except OSError as error:
            raise LoadError(f"`{options.src}` cannot be read: {error.strerror}") from error
        for line in found:
            print(line)
        name = f"profile `{profile}`" if profile else release
        looked = f"{_counted(len(record.files), 'file')}, {_counted(len(record.listings), 'listing')}"
        looked += f" and {_counted(len(record.probes), 'probe')}"
        outcome = f"{_counted(len(found), 'difference')} in {looked}" if found else f"fresh: {looked} are as they were"
        asked = f" of the {_counted(len(record.names), 'name')} it asks for" if record.names else ""
        print(f"{name}: {outcome}; values of the environment{asked} are not compared")
        status = 1 if found else status
    return status


def _chosen(options: argparse.Namespace) -> "list[tuple[str | None, str | None]]":
    """The (profile, release) that a command is about: those that are named, or else all profiles."""
    if options.profile is not None or options.release is not None:
        return [(options.profile, options.release)]
    source, known = open_source(options.out)
    if known is None:
        raise UsageError(f"`{options.out}` is a pack alone, and this command needs the output directory")
    if not known:
        raise UnknownProfile(f"`{options.out}` has no profile")
    return [(profile, None) for profile in known]


def _releases(options: argparse.Namespace) -> int:
    root = _directory(options)
    source, known = open_source(root)
    if options.profile is not None:
        profile_release(source, options.profile)
    for profile in [options.profile] if options.profile is not None else known or ():
        current = current_release(root, profile)
        releases = history(root, profile)
        if current is not None and current not in releases:
            releases.append(current)
        for release in reversed(releases):
            try:
                state = _prompts(Objects(source, release).count)
            except ReleaseGone:
                state = "gone"
            print(f"{profile}  {DIGEST}{release}  {state}{'  current' if release == current else ''}")
    return 0


def _rollback(options: argparse.Namespace) -> int:
    root = _directory(options)
    refuse_several(options.out, options.profile)
    try:
        profile = rollback(root, options.to, options.profile)
    except ValueError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        print(f"error: `{root}` cannot be written: {error.strerror}", file=sys.stderr)
        return 1
    print(f"profile `{profile}` points to {options.to}")
    return 0


def _prompts(count: int) -> str:
    return _counted(count, "prompt")


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _directory(options: argparse.Namespace) -> str:
    if not os.path.isdir(options.out):
        raise UsageError(f"`{options.out}` is no directory")
    root: str = os.path.abspath(options.out)
    return root


def _variables(options: argparse.Namespace) -> "dict[str, Any]":
    variables: dict[str, Any] = {}
    if options.vars is not None:
        try:
            if options.vars == "-":
                text = sys.stdin.buffer.read().decode("utf-8-sig")
            else:
                with open(options.vars, encoding="utf-8-sig") as file:
                    text = file.read()
            given_in_file = json.loads(text)
        except OSError as error:
            raise UsageError(f"`{options.vars}` cannot be read: {error.strerror}") from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"`{options.vars}` is not JSON: {error}") from error
        if not isinstance(given_in_file, dict):
            raise UsageError(f"`{options.vars}`: expected a JSON object, found {_indented(given_in_file)[:40]}")
        variables.update(given_in_file)
    given = set()
    for argument in options.var:
        name, equals, text = argument.partition("=")
        is_json = name.endswith(":")
        name = name.removesuffix(":")
        if not equals or not name:
            raise UsageError(f"--var {argument}: expected NAME=TEXT or NAME:=JSON")
        if name in given:
            raise UsageError(f"--var {argument}: `{name}` is given twice")
        given.add(name)
        try:
            variables[name] = json.loads(text) if is_json else text
        except (ValueError, RecursionError) as error:
            raise UsageError(f"--var `{name}`: what follows `:=` is not JSON: {error}") from error
    return variables


def _print_json(value: object) -> None:
    print(_indented(value))


def _indented(value: object) -> str:
    text: str = json.dumps(value, ensure_ascii=False, indent=2)
    return text


def _print_table(rows: "list[tuple[str, ...]]") -> None:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())
