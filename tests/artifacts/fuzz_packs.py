"""Damage outputs at random and ask everything of them, from the command line.

    python tests/artifacts/fuzz_packs.py --seed 1 --cases 2000
    python tests/artifacts/fuzz_packs.py --seed 1 --only 77     # one case, with what was done to it

A case takes an output of several releases, damages some of its files (or the zip file or lone pack that holds them) and
loads, verifies, renders and rolls back. Each answer must be a LoadError or the truth: never another exception, another
text, a key that is not known any more, a hang or the end of the interpreter. The cases run in a process of their own,
whose death is one more finding. The same seed gives the same cases. Exit status 1: there were findings.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import io
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    sys.path[1:1] = [str(Path(__file__).resolve().parents[2] / part) for part in ("runtime", "artifacts", "compiler")]

import frozenctx  # noqa: E402
import pytest  # noqa: E402
from frozenctx import commands, errors, packing  # noqa: E402
from frozenctx.elsewhere import Memory  # noqa: E402
from frozenctx.format import hex_of, interpreter, object_name, pack_name, profile_line  # noqa: E402
from frozenctx.objects import Objects, sha256_hex  # noqa: E402
from handmade import emitted, files, package, skill  # noqa: E402

MINE = interpreter() or ""
OTHER = "cpython-399-deadbeef"
SECONDS = 30  # for one case, before it counts as a hang
MARKER = b"frozenctx 1: \n"
ENV: dict[str, Any] = {"found": ["M"], "defaulted": {"N": "1"}, "missing": []}
VARIABLES: list[dict[str, Any]] = [{"n": 1, "items": ["a", "é"], "zero": 0}, {"n": 1}, {"n": "<x>", "items": []}, {}]

_BAR = {"b.j2": "{% macro bar(x) %}[{{ x }}]{% endmacro %}", "c.j2": "{{ n }}{% include 'b.j2' %}{{ 1 // zero }}"}
_FILES = {"references/é.md": "text ☃\n".encode(), "scripts/x": bytes(range(256))}
_READING = skill("reading", "Reads.", "Read it.\n", _FILES)
SMALL = (
    package("a", "Hi {{ n }}{% from 'b.j2' import bar %}{{ bar(items | join('-')) }}", partials=_BAR),
    package("b/ü", literal="text ☃\n", tools=("x", "y"), meta={"é": [1, 2.5, None]}),
    package("b/skilled", literal="text ☃\n", with_skills=[skill("writing", "", "Write.\n"), _READING]),
    package("b/title", "{{ n }}", "{% include 'c.j2' %}", partials=_BAR, max_tokens=7, with_skills=[_READING]),
)
OLD = (package("a", "Bye {{ n }}"), package("gone", literal="old"))
LARGE = tuple(package(f"p{number:03}", f"{number} {{{{ n }}}}") for number in range(150))


@dataclass
class Output:
    """An output directory as bytes, and what is true of each of its releases: key → facts, and its files."""

    files: dict[str, bytes]
    truth: dict[str, dict[str, Any]]
    parts: dict[str, dict[str, bytes]]


@cache
def outputs() -> tuple[Output, ...]:
    return made(OLD, SMALL), made(SMALL), made(LARGE)


def made(*releases: Sequence[Any]) -> Output:
    """An output whose profile `default` served these releases, the last one now; the first has a profile of its own."""
    output = Output({"frozenctx.txt": MARKER}, {}, {})
    history = []
    for packages in releases:
        release = emitted(*packages)
        digests = {name: data for name, data in files(*packages).items() if name.startswith("objects/")}
        objects = Objects(Memory(digests), release.release)
        packs = {pack_name(release.release, MINE): packing.packed(objects).data}
        packs[pack_name(release.release, OTHER)] = _with_interpreter(OTHER, objects)
        output.files |= digests | packs
        output.parts[release.release] = digests | packs
        output.files[f"records/{release.release}.json"] = json.dumps(record(release.release)).encode()
        output.truth[release.release] = dict(facts(frozenctx.load(digests | {
            "profiles/x": profile_line(release.release).encode()})))  # fmt: skip
        history.append(release.release)
    output.files["profiles/default"] = profile_line(history[-1]).encode()
    output.files["profiles/first"] = profile_line(history[0]).encode()
    for name in ("default", "first"):
        output.files[f"releases/{name}"] = "".join(f"sha256:{digest}\n" for digest in history).encode()
    return output


def record(release: str) -> dict[str, Any]:
    """A record that says that the output itself was read, so that the output can be compared with it."""
    seen = {"path": "frozenctx.txt", "sha256": sha256_hex(MARKER), "form": "text"}
    return {
        "format": 1, "release": f"sha256:{release}", "packages": [{"key": "a", "variables": ["n"], "env": ENV}],
        "source": ".", "links": "inside", "leftOut": ["objects"], "mounts": {"m": "../m"}, "files": [seen],
        "listings": [{"path": "releases", "names": {"default": "file", "first": "file"}}],
        "probes": [{"path": "@m/x", "found": None}, {"path": "profiles", "found": "directory"}],
    }  # fmt: skip


def _with_interpreter(name: str, objects: Objects) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "interpreter", lambda: name)
        return packing.packed(objects).data


def facts(prompts: frozenctx.Prompts) -> Iterator[tuple[str, str]]:
    """Everything that prompts can be asked, as text, by what is asked. LoadErrors pass through."""
    for key in prompts:
        prompt = prompts[key]
        stored = {name: getattr(prompt.settings, name) for name in dir(prompt.settings)}
        shown = [prompt.key, prompt.name, prompt.version, prompt.digest, prompt.model, prompt.tools, stored]
        more = [prompt.identity, prompt.meta, prompt.input_schema, prompt.reply_schema]
        yield f"facts of {key}", json.dumps(shown + more, default=list, sort_keys=True)
        skills = prompt.skills
        texts = [skills.block(), skills.inlined(), *(skills.answer({"name": name}) for name in skills)]
        held = [[each.key, each.extra, *map(each.read_bytes, each.resources)] for each in skills.values()]
        yield f"skills of {key}", json.dumps([*texts, held], default=bytes.hex)
        yield f"named {prompt.name}", prompts.named(prompt.name).key
        for number, variables in enumerate(VARIABLES):
            yield f"messages of {key}, {number}", rendered(prompt, variables)
    yield "keys", json.dumps(list(prompts))


def rendered(prompt: frozenctx.Prompt, variables: dict[str, Any]) -> str:
    try:
        return json.dumps(prompt.messages(variables))
    except errors.LoadError:
        raise
    except Exception as error:
        return f"{type(error).__name__}: {error}"


class Wrong(Exception):
    """An answer that is neither a LoadError nor the truth."""


# Damage


@dataclass
class Damage:
    """What is done to the files of an output. `said`: in words, for whoever looks at a finding."""

    chance: random.Random
    files: dict[str, bytes]
    said: list[str] = field(default_factory=list)

    def some(self) -> None:
        for _ in range(self.chance.choice((1, 1, 1, 2, 3))):
            kinds = ["packs/", "packs/", "packs/", "profiles/", "releases/", "objects/", "objects/", "records/"]
            start = self.chance.choice(kinds)
            names = sorted(name for name in self.files if name.startswith(start))
            if not names:
                continue
            name = self.chance.choice(names)
            whole_files = (self.exchange, self.copy, self.remove)
            if self.chance.random() < 0.15:
                self.chance.choice(whole_files)(name)
            else:
                self.files[name] = self.damaged(self.files[name], name)

    def damaged(self, data: bytes, name: str) -> bytes:
        changes: list[Callable[[bytes], bytes]] = [
            self.flip, self.flip, self.flip, self.byte, self.cut, self.extend, self.lose, self.double, self.swap,
            self.overwrite, self.zero, self.digit, self.of_another, self.number, self.empty,
        ]  # fmt: skip
        change = self.chance.choice(changes)
        new = change(data)
        self.said.append(f"{name}: {change.__name__}, {len(data)} bytes to {len(new)}")
        return new

    def place(self, data: bytes, most: int = 200) -> tuple[int, int]:
        """Start and end of a part."""
        if not data:
            return 0, 0
        start = self.chance.randrange(len(data))
        return start, min(len(data), start + self.chance.randint(1, most))

    def flip(self, data: bytes) -> bytes:
        start, end = self.place(data, 1)
        return data[:start] + bytes(byte ^ 1 << self.chance.randrange(8) for byte in data[start:end]) + data[end:]

    def byte(self, data: bytes) -> bytes:
        start, end = self.place(data, 1)
        return data[:start] + self.chance.randbytes(end - start) + data[end:]

    def cut(self, data: bytes) -> bytes:
        return data[: self.place(data)[0]]

    def extend(self, data: bytes) -> bytes:
        size = self.chance.choice((1, 2, 100, 5000))
        return data + self.chance.choice((bytes(size), self.chance.randbytes(size), data[-size:], b"\n", b" "))

    def lose(self, data: bytes) -> bytes:
        start, end = self.place(data)
        return data[:start] + data[end:]

    def double(self, data: bytes) -> bytes:
        start, end = self.place(data)
        return data[:end] + data[start:]

    def swap(self, data: bytes) -> bytes:
        (start, end), (other, _) = self.place(data), self.place(data)
        size = end - start
        if other + size > len(data) or abs(other - start) < size:
            return self.lose(data)
        changed = bytearray(data)
        changed[start:end], changed[other : other + size] = data[other : other + size], data[start:end]
        return bytes(changed)

    def overwrite(self, data: bytes) -> bytes:
        start, end = self.place(data)
        return data[:start] + self.chance.randbytes(end - start) + data[end:]

    def zero(self, data: bytes) -> bytes:
        start, end = self.place(data, 5000)
        return data[:start] + bytes(end - start) + data[end:]

    def digit(self, data: bytes) -> bytes:
        """Another hexadecimal digit in what looks like a digest."""
        at = data.find(b"sha256:", self.place(data)[0])
        if at < 0:
            return self.flip(data)
        at += 7 + self.chance.randrange(64)
        return data[:at] + self.chance.choice("0123456789abcdef").encode() + data[at + 1 :]

    def of_another(self, data: bytes) -> bytes:
        """A part of another file in the place of a part."""
        other = self.files[self.chance.choice(sorted(self.files))]
        (start, end), (there, to) = self.place(data), self.place(other)
        return data[:start] + other[there:to] + data[end:]

    def number(self, data: bytes) -> bytes:
        """Another size or length in what follows the first line of a pack."""
        at = data.find(b"\n") + 1 + self.chance.choice((16, 20, 24, self.chance.randrange(28)))
        size = self.chance.choice((1, 4, 8))
        value = self.chance.choice((0, 1, 2**31 - 1, 2**32 - 1, 2**63 - 1, self.chance.randrange(2**64)))
        written: bytes = (value % 256**size).to_bytes(size, "little")
        return data[:at] + written + data[at + size :]

    def empty(self, data: bytes) -> bytes:
        return b""

    def other_of_kind(self, name: str) -> str:
        kind = name.partition("/")[0]
        return self.chance.choice(sorted(other for other in self.files if other.startswith(kind)))

    def exchange(self, name: str) -> None:
        other = self.other_of_kind(name)
        self.files[name], self.files[other] = self.files[other], self.files[name]
        self.said.append(f"{name} and {other} exchanged")

    def copy(self, name: str) -> None:
        other = self.other_of_kind(name)
        self.files[name] = self.files[other]
        self.said.append(f"{other} copied to {name}")

    def remove(self, name: str) -> None:
        del self.files[name]
        self.said.append(f"{name} removed")

    def rewrite(self, output: Output) -> None:
        """Something else in a release or prompt object, with every digest made right again: what only an attacker does.
        Then no answer is known to be right, but exceptions still have to be ours."""
        release = self.files["profiles/default"][19:83].decode()
        value = json.loads(self.files[object_name(release, ".json")])
        if self.chance.random() < 0.5:
            entry = self.chance.choice(value["prompts"])
            prompt = json.loads(self.files[object_name(entry["prompt"][7:], ".json")])
            if "skills" in prompt and self.chance.random() < 0.5:
                of = self.chance.choice(prompt["skills"])
                skill = json.loads(self.files[object_name(of["skill"][7:], ".json")])
                self.node(skill)
                of["skill"] = f"sha256:{self.add(skill)}"
            else:
                self.node(prompt)
            entry["prompt"] = f"sha256:{self.add(prompt)}"
        else:
            self.node(value)
        self.files["profiles/default"] = profile_line(self.add(value)).encode()

    def add(self, value: Any) -> str:
        data = json.dumps(value).encode()
        digest = sha256_hex(data)
        self.files[object_name(digest, ".json")] = data
        return digest

    def node(self, value: Any) -> None:
        """Change something in a JSON value."""
        holders = [value]
        for holder in holders:
            inside = holder.values() if type(holder) is dict else holder
            holders.extend(item for item in inside if type(item) in (dict, list) and item)
        holder = self.chance.choice(holders)
        key = self.chance.choice(list(holder)) if type(holder) is dict else self.chance.randrange(len(holder))
        deep: Any = []
        for _ in range(50):
            deep = [deep]
        digests = ["sha256:" + "0" * 64, "sha256:" + "../" * 21 + "x"]
        texts = ["", "x", "../../../etc/passwd", "/etc/passwd", "\ud800", *digests]
        new = self.chance.choice([None, 0, -1, 1.5, True, [], {}, [None], {"a": 1}, deep, *texts])
        self.said.append(f"{key!r} of an object is {str(new)[:40]!r}")
        if self.chance.random() < 0.3:
            del holder[key]
        else:
            holder[key] = new


# Asking


class Asked:
    """One damaged output, and the truth that its answers are compared with (None: nothing is known of them)."""

    def __init__(self, output: Output, files: dict[str, bytes], chance: random.Random, truthful: bool) -> None:
        self.output = output
        self.files = files
        self.chance = chance
        self.truthful = truthful
        self.answers = 0
        self.refused = 0

    def everything(self, prompts: frozenctx.Prompts) -> None:
        """Compare every answer with the truth about the release that the prompts say they are of."""
        if not self.truthful:
            for _ in facts(prompts):
                self.answers += 1
            return
        truth = self.output.truth.get(prompts.digest[7:])
        if truth is None:
            raise Wrong(f"a release is served that was never built: {prompts.digest}")
        if self.chance.random() < 0.5:  # one prompt alone, whatever may be wrong with the others
            key = self.chance.choice(json.loads(truth["keys"]))
            if key not in prompts or prompts.get(key) is None:
                raise Wrong(f"`{key}` is not known any more")
            self.same(truth, f"messages of {key}, 0", rendered(prompts[key], VARIABLES[0]))
            if prompts.get("no such key") is not None:
                raise Wrong("there is a prompt that was never built")
        seen = set()
        for what, answer in facts(prompts):
            seen.add(what)
            self.same(truth, what, answer)
        if seen != truth.keys():
            raise Wrong(f"nothing is said of {sorted(truth.keys() - seen)}")

    def same(self, truth: dict[str, Any], what: str, answer: str) -> None:
        self.answers += 1
        if truth.get(what) != answer:
            raise Wrong(f"{what}: expected {truth.get(what)}, found {answer}")

    def load(self, place: Any, **options: Any) -> None:
        try:
            prompts = frozenctx.load(place, **options)
            self.everything(prompts)
            prompts.is_current()
            if options.get("verify"):
                self.whole(prompts.digest[7:], "load(verify=True)")
        except errors.LoadError:
            self.refused += 1

    def whole(self, release: str, who: str) -> None:
        """What was said to be whole has every byte that was built."""
        for name, data in self.output.parts.get(release, {}).items() if self.truthful else ():
            is_other = name.startswith("packs/") and (OTHER in name or name not in self.files)
            if self.files.get(name) != data and not is_other:
                raise Wrong(f"{who} finds nothing wrong, and {name} is not what was built")

    def command(self, directory: str, *arguments: str) -> tuple[int, str]:
        """Run a command. It may exit 1 or 2 with one line that says why."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = commands.main(list(arguments))
        differs = arguments[0] == "fresh" and status == 1 and "difference" in out.getvalue()
        if status not in (0, 1, 2) or (status == 0 or differs) is bool("error: " in err.getvalue()):
            raise Wrong(f"{arguments} exits {status} with {err.getvalue()!r}")
        if status:
            self.refused += 1
        self.answers += 1
        return status, out.getvalue()

    def command_line(self, directory: str) -> None:
        profile = self.chance.choice((["--profile", "default"], ["--profile", "first"]))
        status, said = self.command(directory, "verify", directory, *profile)
        if status == 0:
            self.whole(said.partition("sha256:")[2][:64], "verify")
        key = self.chance.choice(("a", "p007", "b/title", "b/ü", "b/skilled"))
        self.command(directory, "ls", directory, *profile)
        self.command(directory, "show", directory, key, *profile)
        status, said = self.command(directory, "render", directory, key, "--json", "--var", "n:=1", *profile)
        right = [truth.get(f"messages of {key}, 1") for truth in self.output.truth.values()]
        if status == 0 and self.truthful and json.dumps(json.loads(said)) not in right:
            raise Wrong(f"render {key}: {said}")
        self.command(directory, "releases", directory, *profile)
        status, said = self.command(directory, "fresh", directory, directory, *profile)
        if status == 0 and ": fresh: " not in said:
            raise Wrong(f"fresh says {said}")
        release = self.chance.choice([*self.output.truth, "0" * 64])
        status, _ = self.command(directory, "rollback", directory, "--to", f"sha256:{release}", *profile)
        if status == 0:
            line = Path(directory, "profiles", profile[1]).read_bytes()
            if line != profile_line(release).encode():
                raise Wrong("rollback says that it did, and did not")
            self.load(directory, profile=profile[1], pack="never", verify=False)
        status, _ = self.command(directory, "pack", directory, *profile)
        if status == 0 and self.truthful:
            hexdigits = hex_of(Path(directory, "profiles", profile[1]).read_text().split()[2])
            made = Path(directory, pack_name(hexdigits or "", MINE)).read_bytes()
            if made != self.output.parts[hexdigits or ""][pack_name(hexdigits or "", MINE)]:
                raise Wrong("pack made another pack than there was")


def one(seed: int, number: int) -> tuple[list[str], int, int]:
    """Run a case. Returns what was done, and how many answers were given and refused. Raises what must not be."""
    chance = random.Random(f"{seed}:{number}")
    output = chance.choices(outputs(), (5, 5, 1))[0]
    damage = Damage(chance, dict(output.files))
    truthful = chance.random() < 0.9
    way = chance.choice(("memory", "memory", "memory", "directory", "commands", "zip", "lone"))
    if not truthful:
        damage.rewrite(output)
    elif way not in ("zip", "lone") or chance.random() < 0.5:
        damage.some()
    asked = Asked(output, damage.files, chance, truthful)
    profile = chance.choice(("default", "default", "first"))
    options = chance.choice(({}, {}, {"pack": "never"}, {"pack": "require"}, {"verify": True}))
    if way == "memory":
        asked.load(damage.files, profile=profile, **options)
    else:
        with tempfile.TemporaryDirectory() as directory:
            if way == "zip":
                asked.load(zipped(damage, directory), profile=profile, **options)
            elif way == "lone":
                name = chance.choice(sorted(name for name in output.files if name.startswith("packs/")))
                data = damage.files.get(name, b"")
                alone = Path(directory, "x.pack")
                alone.write_bytes(damage.damaged(data, name) if chance.random() < 0.7 else data)
                asked.load(str(alone))
            else:
                for name, data in damage.files.items():
                    path = Path(directory, name)
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(data)
                if way == "directory":
                    asked.load(directory, profile=profile, **options)
                else:
                    asked.command_line(directory)
    return damage.said, asked.answers, asked.refused


def zipped(damage: Damage, directory: str) -> str:
    buffer = io.BytesIO()
    method = damage.chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in sorted(damage.files.items()):
            archive.writestr(zipfile.ZipInfo(f"app/{name}"), data, method)
    data = buffer.getvalue()
    path = Path(directory, "a.zip")
    path.write_bytes(damage.damaged(data, "the zip file") if damage.chance.random() < 0.7 else data)
    return f"{path}/app"


# Running


def worker(seed: int, numbers: range, seconds: float, progress: str, show: bool) -> int:
    """Run cases in this process; before each, its number goes into the file `progress`, for whoever finds us dead."""
    os.fsync = lambda fd: None  # nothing is about a machine that stops, and it takes most of the time
    start = time.monotonic()
    file = os.open(progress, os.O_WRONLY)
    done = answers = refused = findings = 0
    for number in numbers:
        if time.monotonic() - start > seconds:
            break
        os.pwrite(file, number.to_bytes(8, "little"), 0)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            said, answered, not_answered = one(seed, number)
        except Exception as error:
            findings += 1
            print(f"seed {seed} case {number}: {type(error).__name__}: {error}", flush=True)
            if show or not isinstance(error, Wrong):
                import traceback

                traceback.print_exc(file=sys.stdout)
        else:
            answers += answered
            refused += not_answered
            if show:
                print("\n".join([*said, f"{answered} answers, {not_answered} times refused"]))
        done += 1
        faulthandler.cancel_dump_traceback_later()
    os.pwrite(file, b"\xff" * 8, 0)
    print(f"{done} cases, {answers} right answers, {refused} errors of ours, {findings} findings", flush=True)
    return 1 if findings else 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="damage outputs at random and ask everything of them")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="default: the time; it is printed")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--only", type=int, help="number of one case, which is shown")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after this time")
    parser.add_argument("--worker", metavar="PROGRESS", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    first = options.first if options.only is None else options.only
    numbers = range(first, first + (options.cases if options.only is None else 1))
    if options.worker:
        return worker(options.seed, numbers, options.seconds, options.worker, options.only is not None)
    print(f"seed {options.seed}, cases {numbers.start} to {numbers.stop - 1}", flush=True)
    status = 0
    with tempfile.NamedTemporaryFile() as progress:
        while numbers:
            command = [sys.executable, __file__, "--seed", str(options.seed), "--worker", progress.name]
            which = ["--first", str(numbers.start), "--cases", str(len(numbers)), "--seconds", str(options.seconds)]
            one_case = ["--only", str(options.only)] if options.only is not None else []
            code = subprocess.run([*command, *which, *one_case]).returncode
            at = int.from_bytes(Path(progress.name).read_bytes(), "little")
            if at == 2**64 - 1:
                return max(status, code)
            print(f"seed {options.seed} case {at}: the interpreter ended with {code}", flush=True)
            status = 1
            numbers = range(at + 1, numbers.stop)
    return status


if __name__ == "__main__":
    sys.exit(main())
