"""Whatever happens to one file of an output ends in an error of ours or in the right text, and `verify` sees it."""

import itertools
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import frozenctx
import pytest
from frozenctx import commands, errors
from frozenctx.elsewhere import Memory
from frozenctx.format import DIGEST, interpreter, object_name, pack_name, profile_line
from frozenctx.objects import Objects
from frozenctx.packing import packed
from frozenctx.switch import history
from handmade import emitted, files, package, prompt_of, release_of, stored

OLD = (package("a", "Bye {{ n }}"), package("b", literal="old"))
NEW = (package("a", "Hi {{ n }}{% include 'p.j2' %}", partials={"p.j2": "!"}), package("b", literal="new"))
RIGHT = {emitted(*OLD).release: ["Bye 1", "old"], emitted(*NEW).release: ["Hi 1!", "new"]}
OLD_RELEASE, NEW_RELEASE = RIGHT


def content(with_packs: bool) -> dict[str, bytes]:
    """The files of an output that served OLD and serves NEW."""
    made = {**files(*OLD), **files(*NEW)}
    for packages in (OLD, NEW) if with_packs else ():
        release = emitted(*packages).release
        made[pack_name(release, interpreter() or "")] = packed(Objects(Memory(files(*packages)), release)).data
    return made


def asked(output: dict[str, bytes], **options: Any) -> list[str]:
    prompts = frozenctx.load(output, **options)
    texts: list[str] = [prompts["a"].system(n=1), prompts["b"].system()]
    assert texts == RIGHT[prompts.digest[7:]]
    return texts


def flipped(data: bytes, values: range | tuple[int, ...]) -> Iterator[bytes]:
    """The bytes with each of them changed in each way: `values` are what it is xored with."""
    for index, value in itertools.product(range(len(data)), values):
        yield data[:index] + bytes([data[index] ^ value]) + data[index + 1 :]


def resized(data: bytes) -> Iterator[bytes]:
    for size in range(len(data)):
        yield data[:size]
        yield data[size + 1 :]
    for more in (b"\n", b" ", b"\0", b"x", data, b"\r\n", b"\xff" * 5000):
        yield data + more
        yield more + data


@pytest.mark.parametrize("with_packs", [True, False])
def test_a_profile_line_that_is_no_other_releases_is_never_served(with_packs: bool) -> None:
    output = content(with_packs)
    line = output["profiles/default"]
    assert asked(output) == RIGHT[NEW_RELEASE]
    for damaged in itertools.chain(flipped(line, range(1, 256)), resized(line)):
        with pytest.raises(errors.LoadError):
            asked({**output, "profiles/default": damaged})


@pytest.mark.parametrize("with_packs", [True, False])
def test_another_valid_digest_in_a_profile_line_is_served_only_when_that_release_is_there(with_packs: bool) -> None:
    output = content(with_packs)
    assert asked({**output, "profiles/default": profile_line(OLD_RELEASE).encode()}) == RIGHT[OLD_RELEASE]
    others = [name.replace("/", "")[7:71] for name in output if name.startswith("objects/")]
    for digest in ["0" * 64, NEW_RELEASE[::-1], *(other for other in others if other not in RIGHT)]:
        with pytest.raises(errors.LoadError):
            asked({**output, "profiles/default": profile_line(digest).encode()})
    with pytest.raises(errors.ReleaseGone):
        asked({**output, "profiles/default": profile_line("0" * 64).encode()})


@pytest.mark.parametrize("of", ["release", "prompt", "program"])
def test_every_damaged_byte_of_an_object_is_an_error_when_it_is_read_and_never_another_text(of: str) -> None:
    output = content(False)
    release = json.loads(output[object_name(NEW_RELEASE, ".json")])
    prompt = json.loads(output[object_name(release["prompts"][0]["prompt"][7:], ".json")])
    name = {
        "release": object_name(NEW_RELEASE, ".json"),
        "prompt": object_name(release["prompts"][0]["prompt"][7:], ".json"),
        "program": object_name(prompt["messages"][0]["program"][7:], ".py"),
    }[of]
    for damaged in itertools.chain(flipped(output[name], (1, 0x20, 0x80, 0xFF)), resized(output[name])):
        with pytest.raises(errors.LoadError):
            asked({**output, name: damaged})
    del output[name]
    with pytest.raises(errors.LoadError):
        asked(output)


def test_a_pack_is_the_truth_about_its_release_whatever_became_of_the_objects_and_verify_sees_them() -> None:
    output = content(True)
    chance = random.Random(5)
    for name in sorted(output):
        if name.startswith("objects/"):
            data = bytearray(output[name])
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            damaged = {**output, name: bytes(data)}
            assert asked(damaged) == RIGHT[NEW_RELEASE]
            if name in files(*NEW):
                with pytest.raises(errors.Damaged):
                    asked(damaged, verify=True)


def test_objects_in_the_place_of_others_are_never_taken_for_them() -> None:
    output = content(True)
    names = [name for name in output if name.startswith("objects/")]
    for one, other in itertools.permutations(names, 2):
        try:
            asked({**output, one: output[other]}, pack="never")
        except errors.LoadError:
            pass


def test_packs_under_each_others_names_are_never_used(tmp_path: Path) -> None:
    output = content(True)
    old, new = (pack_name(release, interpreter() or "") for release in RIGHT)
    swapped = {**output, old: output[new], new: output[old]}
    for profile in RIGHT:
        with pytest.raises(errors.Damaged, match="another line"):
            asked({**swapped, "profiles/default": profile_line(profile).encode()})
    with pytest.raises(errors.Damaged):
        asked(swapped, verify=True)
    assert asked(swapped, pack="never") == RIGHT[NEW_RELEASE]
    write(tmp_path, swapped)
    assert commands.main(["verify", str(tmp_path)]) == 1
    # Making the pack does not leave another release's there.
    assert commands.main(["pack", str(tmp_path)]) == 0
    assert (tmp_path / new).read_bytes() == output[new]
    assert asked({**output, new: (tmp_path / new).read_bytes()}, verify=True) == RIGHT[NEW_RELEASE]


@pytest.mark.parametrize(
    "line",
    [
        "frozenctx-pack 2 {mine} sha256:{release}",
        "frozenctx-pack 1 pypy311-73 sha256:{release}",
        "frozenctx-pack 1 cpython-311-00000000 sha256:{release}",
        "frozenctx-pack 1 {mine} sha256:{other}",
        "frozenctx-pack 1 {mine}  sha256:{release}",
        "other-pack 1 {mine} sha256:{release}",
    ],
)
def test_a_pack_of_another_format_implementation_version_or_release_is_never_used_and_verify_refuses_it(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = content(True)
    mine = interpreter() or ""
    name = pack_name(NEW_RELEASE, mine)
    made = packed_with_line(line.format(mine=mine, release=NEW_RELEASE, other=OLD_RELEASE))
    with pytest.raises(errors.Damaged):
        asked({**output, name: made})
    with pytest.raises(errors.Damaged):
        asked({**output, name: made}, verify=True)
    # Under the name of another interpreter nobody opens it, and verify still looks at it.
    elsewhere = {key: data for key, data in output.items() if key != name}
    elsewhere[pack_name(NEW_RELEASE, "cpython-399-deadbeef")] = made
    assert asked(elsewhere) == RIGHT[NEW_RELEASE]
    assert frozenctx.load(elsewhere).source == "objects"
    write(tmp_path / "out", elsewhere)
    assert commands.main(["verify", str(tmp_path / "out")]) == 1
    assert "is another pack than its name says" in capsys.readouterr().err
    (tmp_path / "x.pack").write_bytes(made)
    with pytest.raises(errors.LoadError):
        frozenctx.load(tmp_path / "x.pack", expect=DIGEST + NEW_RELEASE)


def packed_with_line(line: str) -> bytes:
    """A pack of NEW that begins with another line, its check sums right."""
    from frozenctx import packing

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "pack_line", lambda release, name: f"{line}\n".encode())
        return packed(Objects(Memory(files(*NEW)), NEW_RELEASE)).data


def write(directory: Path, output: dict[str, bytes]) -> None:
    for name, data in output.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_bytes(data)


@pytest.mark.parametrize("with_packs", [True, False])
@pytest.mark.parametrize("what", ["directory", "nothing", "loop", "empty device", "file", "missing"])
def test_what_is_no_file_in_the_place_of_one_is_an_error_or_not_needed(
    what: str, with_packs: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = content(with_packs)
    for number, name in enumerate(sorted(output)):
        out = tmp_path / str(number)
        write(out, output)
        path = out / name
        path.unlink()
        if what == "directory":
            path.mkdir()
        elif what == "file":  # a file in the place of the directory around it
            for other in sorted(path.parent.iterdir()):
                other.unlink()
            path.parent.rmdir()
            path.parent.write_bytes(b"")
        elif what != "missing":
            path.symlink_to({"nothing": "nowhere", "loop": path.name, "empty device": os.devnull}[what])
        ways: list[dict[str, Any]] = [{}, {"pack": "never"}, {"verify": True}]
        for options in ways:
            try:
                prompts = frozenctx.load(out, **options)
                assert [prompts["a"].system(n=1), prompts["b"].system()] == RIGHT[NEW_RELEASE]
            except errors.LoadError:
                pass
        for command in ("verify", "ls", "releases", "pack"):
            assert commands.main([command, str(out)]) in (0, 1, 2)
    assert "Traceback" not in capsys.readouterr().err


def test_a_record_nested_too_deep_hides_nothing_but_what_it_would_have_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {**content(True), f"records/{NEW_RELEASE}.json": b"[" * 100_000})
    assert commands.main(["show", str(tmp_path), "a"]) == 0
    assert "version: a@v" in capsys.readouterr().out
    assert commands.main(["fresh", str(tmp_path), str(tmp_path)]) == 1
    assert "is damaged" in capsys.readouterr().err


# History


def test_every_damaged_byte_of_a_history_is_an_error_or_names_releases_that_are_looked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored(tmp_path, *OLD)
    stored(tmp_path, *NEW)
    path = tmp_path / "releases" / "default"
    whole = path.read_bytes()
    assert history(str(tmp_path), "default") == [OLD_RELEASE, NEW_RELEASE]
    hexadecimal = frozenset("0123456789abcdef")
    for damaged in itertools.chain(flipped(whole, (1, 2, 8, 0x20, 0x80, 0xFF)), resized(whole)):
        path.write_bytes(damaged)
        try:
            found = history(str(tmp_path), "default")
        except errors.Damaged:
            continue
        assert all(len(release) == 64 and hexadecimal.issuperset(release) for release in found)
    for damaged in itertools.islice(flipped(whole, (1, 0x80)), 0, None, 17):
        path.write_bytes(damaged)
        status = commands.main(["releases", str(tmp_path)])
        out, err = capsys.readouterr()
        assert (status, "error: " in err) in ((0, False), (1, True))
        known = {NEW_RELEASE, OLD_RELEASE}
        for line in out.splitlines():  # what a flipped digit names is not there, and said to be gone
            _profile, release, state = line.split(maxsplit=2)
            assert (state == "gone") == (release[7:] not in known)
        assert frozenctx.load(tmp_path)["a"].system(n=1) == "Hi 1!"
        assert commands.main(["rollback", str(tmp_path), "--to", f"sha256:{'0' * 64}"]) == 1
        capsys.readouterr()


# A large release, sampled


def test_damage_in_a_large_release_never_reads_as_an_unknown_key_or_another_text() -> None:
    packages = [package(f"p{number:04d}", f"{number} {{{{ n }}}}") for number in range(400)]
    output = files(*packages)
    names = sorted(output)
    chance = random.Random(13)
    for _ in range(800):
        name = chance.choice([*names, "profiles/default", object_name(emitted_release(output), ".json")])
        data = bytearray(output[name])
        data[chance.randrange(len(data))] ^= chance.randint(1, 255)
        number = chance.randrange(400)
        try:
            assert frozenctx.load({**output, name: bytes(data)})[f"p{number:04d}"].system(n=1) == f"{number} 1"
        except errors.LoadError:
            pass


def emitted_release(output: dict[str, bytes]) -> str:
    return output["profiles/default"].decode()[19:83]


# Names in artifacts


DIGESTS = ["sha256:" + "../" * 21 + "s", "sha256:" + "0" * 63 + "/"]
PLACES = ["../../../secret", "/secret", "..", "secret\0", "~", "", *DIGESTS]
WATCHED = """
import sys
opened = []
def hook(event, arguments):
    if event in ("open", "os.listdir", "os.scandir"):
        opened.append(arguments[0])
sys.path.insert(0, sys.argv[1])
import frozenctx, frozenctx.commands, frozenctx.fresh, frozenctx.verify, frozenctx.packs, frozenctx.elsewhere
sys.addaudithook(hook)
for out in sys.argv[2:]:
    for options in ({}, {"pack": "never"}, {"verify": True}):
        try:
            prompts = frozenctx.load(out, **options)
            for prompt in prompts.values():
                prompt.identity, prompt.settings, prompt.tools, prompt.input_schema
                prompt.messages(n=1)
        except frozenctx.FrozenctxError:
            pass
    for command in (["verify", out], ["ls", out], ["releases", out], ["pack", out], ["fresh", out, out]):
        frozenctx.commands.main(command)
for path in opened:
    if isinstance(path, bytes):
        path = path.decode()
    if isinstance(path, str):
        print("opened", ascii(path), file=sys.stderr)
"""


def test_no_name_in_an_artifact_leads_outside(tmp_path: Path) -> None:
    variants: list[dict[str, bytes]] = []
    for place in PLACES:
        whole = files(*NEW)
        entry = {"key": "a", "name": "a", "version": "a@v0", "prompt": place}
        variants += [
            release_of(whole, prompts=[entry]),
            release_of(whole, prompts=[{**entry, "key": place, "name": place, "version": place}]),
            release_of(whole, needs=[place]),
            release_of(whole, hostNames={f"filter:{place}": [place]}),
            prompt_of(whole, {"messages": [{"role": "system", "program": place}]}),
            prompt_of(whole, {"messages": [{"role": place, "text": place}]}),
            prompt_of(whole, {"messages": [{"role": "system", "renderer": place}]}),
            prompt_of(whole, {"templates": {place: place, "p.j2": place}}),
            prompt_of(whole, {"file": place}),
            {**whole, "profiles/default": f"frozenctx 1 {place}\n".encode()},
            {**whole, "releases/default": f"{place}\n".encode()},
        ]
    outs = []
    for number, output in enumerate(variants):
        write(tmp_path / f"out{number}", output)
        outs.append(str(tmp_path / f"out{number}"))
    (tmp_path / "secret").write_text("secret")
    runtime = str(Path(__file__).parents[2] / "runtime")
    command = [sys.executable, "-I", "-S", "-B", "-c", WATCHED, runtime, *outs]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    opened = [line.split("'")[1] for line in done.stderr.splitlines() if line.startswith("opened ")]
    assert len(opened) > len(outs)
    allowed = (*(f"{out}/" for out in outs), *outs, runtime, sys.prefix, sys.base_prefix, *filter(None, sys.path))
    assert [path for path in opened if ".." in path or not path.startswith(allowed)] == []
