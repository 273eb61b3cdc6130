"""Packs: found, read in few bytes, the same as the objects but for speed, and refused when they do not fit."""

import copy
import gc
import os
import pickle
import random
import subprocess
import sys
import traceback
from pathlib import Path
from typing import Any, Literal

import frozenctx
import frozenctx.pack
import pytest
from frozenctx import errors
from frozenctx.elsewhere import Blob, Memory
from frozenctx.format import interpreter, pack_line, pack_name
from frozenctx.objects import Objects
from frozenctx.pack import Pack
from frozenctx.packing import damage, packed
from frozenctx.packs import write_pack
from handmade import emitted, files, package, prompt_of, stored
from pipeline import interpreters
from source_trees import write

MINE = interpreter() or ""
BOTH: tuple[Literal["require", "never"], ...] = ("require", "never")
PARTIALS = {"p.j2": "{% macro m(x) %}<{{ x }}>{% endmacro %}!", "q.j2": "{{ deep.er }}"}
A = package(
    "briefs/draft",
    "Hello {{ name }}{% include 'p.j2' %}\n\n{% from 'p.j2' import m %}{{ m(items | join('-')) }}\n{{ 1 // zero }}",
    "{% for i in items %}{{ loop.index }}{{ i | upper }}{% endfor %}{% include 'q.j2' %}",
    partials=PARTIALS,
    meta={"é": [1, 2.5, None, True, {"deep": "x" * 300}]},
)
B = package("chat/draft", literal="text ☃\n")
C = package("chat/title", literal="text ☃\n", tools=("a", "b"))


def with_pack(*packages: Any) -> dict[str, bytes]:
    """The files of an output directory with the pack of this interpreter, in memory."""
    content = files(*packages)
    objects = Objects(Memory(content), emitted(*packages).release)
    return {**content, pack_name(objects.hex, MINE): packed(objects).data}


def pack_of(content: dict[str, bytes]) -> str:
    return next(name for name in content if name.startswith("packs/"))


def outcome(prompts: Any, key: str, variables: dict[str, Any]) -> Any:
    try:
        return prompts[key].messages(variables)
    except Exception as error:
        place = [getattr(error, name, None) for name in ("key", "version", "role", "file", "line")]
        return type(error).__name__, str(error), place, getattr(error, "__notes__", None)


# Which of the two


def test_a_pack_is_used_when_there_is_one_and_source_says_so(tmp_path: Path) -> None:
    content = with_pack(A, B)
    assert frozenctx.load(content).source == "pack"
    assert frozenctx.load(content, pack="require").source == "pack"
    assert frozenctx.load(content, pack="never").source == "objects"
    assert frozenctx.load(files(A, B)).source == "objects"
    stored(tmp_path, A, B)
    assert frozenctx.load(tmp_path).source == "pack"


def test_everything_is_the_same_from_a_pack_as_from_objects() -> None:
    content = with_pack(A, B, C)
    from_pack, from_objects = frozenctx.load(content, pack="require"), frozenctx.load(content, pack="never")
    assert list(from_pack) == list(from_objects) == list(from_pack.keys())
    assert len(from_pack) == len(from_objects) == 3
    assert (from_pack.digest, from_pack.profile) == (from_objects.digest, from_objects.profile)
    names = ["key", "name", "version", "digest", "identity", "model", "provider", "model_name", "meta", "input_schema"]
    names += ["reply_schema", "tools", "skills", "host_names", "parts"]
    for key in from_objects:
        for name in names:
            assert getattr(from_pack[key], name) == getattr(from_objects[key], name), (key, name)
        assert repr(from_pack[key].settings) == repr(from_objects[key].settings)
        assert list(from_pack[key].identity) == list(from_objects[key].identity)
    variables: list[dict[str, Any]] = [
        {"name": "N", "items": ["a", "b"], "zero": 1, "deep": {"er": "D"}},
        {"name": "N", "items": ["a", "b"], "zero": 0},
        {"name": "N", "items": ["a"], "zero": 1},
        {"name": "N"},
        {},
    ]
    seen = [outcome(from_pack, "briefs/draft", given) for given in variables]
    assert seen == [outcome(from_objects, "briefs/draft", given) for given in variables]
    assert seen[0][0]["content"] == "Hello N!\n<a-b>\n1"
    assert seen[1][:2] == ("ZeroDivisionError", "integer division or modulo by zero")
    assert [each[2][3:] for each in seen[2:4]] == [["partials/q.j2", 1], ["briefs/draft.ctx/prompt.j2", 3]]
    assert from_pack.named("title").key == "chat/title"
    caught: list[Any]
    for wrong in ("briefs/drft", "title", "", "zzz", 3, None, ("x",)):
        caught = []
        for prompts in (from_pack, from_objects):
            with pytest.raises(errors.UnknownKey) as error:
                prompts[wrong]  # type: ignore[index]
            caught.append(str(error.value))
            assert wrong not in prompts
            assert prompts.get(wrong) is None  # type: ignore[arg-type]
        assert caught[0] == caught[1]
    for name in ("draft", "titel", "chat/title"):
        caught = []
        for prompts in (from_pack, from_objects):
            with pytest.raises(errors.FrozenctxError) as failure:
                prompts.named(name)
            caught.append((type(failure.value), str(failure.value)))
        assert caught[0] == caught[1]


def test_host_names_and_their_absence_are_the_same_from_a_pack() -> None:
    content = with_pack(package("a", "{{ 3 | money }}"), package("b", literal="", system_render="corp/s"))
    messages = set()
    for pack in BOTH:
        with pytest.raises(errors.HostNamesMissing) as caught:
            frozenctx.load(content, pack=pack)
        messages.add(str(caught.value))
    assert len(messages) == 1
    prompts = frozenctx.load(
        content, pack="require", filters={"money": lambda value: f"${value}"}, renderers={"corp/s": lambda given: "r"}
    )
    assert [prompts["a"].system(), prompts["b"].system()] == ["$3", "r"]


def test_declared_variables_are_checked_from_a_pack_and_the_whole_schema_is_there() -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "tone": {}}, "required": ["title"]}
    content = prompt_of(files(package("a", "{{ title }}")), {"inputSchema": schema})
    hexdigits = content["profiles/default"].decode()[19:83]
    content[pack_name(hexdigits, MINE)] = packed(Objects(Memory(content), hexdigits)).data
    prompt = frozenctx.load(content, pack="require")["a"]
    assert prompt.input_schema == schema
    with pytest.raises(errors.VariablesError, match="needs `title` and does not declare `titel`"):
        prompt.messages(titel=1)


# Errors


def test_a_traceback_through_a_pack_shows_the_lines_of_the_template() -> None:
    prompts = frozenctx.load(with_pack(A), pack="require")
    with pytest.raises(ZeroDivisionError) as caught:
        prompts["briefs/draft"].messages(name="N", items=["a"], zero=0)
    text = "".join(traceback.format_exception(caught.value))
    assert 'File "frozenctx:briefs/draft.ctx/prompt.j2", line 4, in root' in text
    assert "role system, briefs/draft.ctx/prompt.j2 line 4" in text


def test_lines_are_right_far_down_and_backwards_in_a_template() -> None:
    lines = [f"{{{{ x{number} }}}}" for number in range(400)]
    source = "{% macro late() %}\n\n{{ nothing }}{% endmacro %}\n" + "\n" * 3000 + "\n".join(lines) + "{{ late() }}"
    content = with_pack(package("a", source))
    given = {f"x{number}": number for number in range(400)}
    for missing in ("x0", "x200", "x399", None):
        variables = {name: value for name, value in given.items() if name != missing}
        seen = {
            str(outcome(frozenctx.load(content, pack=pack), "a", variables)[2][4]) for pack in BOTH
        }
        assert seen == {str(3004 + int(missing[1:])) if missing else "3"}


# When it does not fit


def test_without_a_fitting_pack_require_fails_and_lists_those_present() -> None:
    content = with_pack(A)
    with pytest.raises(errors.PackMissing, match="has no pack of release sha256:.* it has none at all"):
        frozenctx.load(files(A), pack="require")
    name = pack_of(content)
    other = {**files(A), name.replace(MINE, "cpython-399-deadbeef"): content[name]}
    assert frozenctx.load(other).source == "objects"
    with pytest.raises(errors.PackMissing, match=f"for {MINE}; it has packs for `cpython-399-deadbeef`"):
        frozenctx.load(other, pack="require")


@pytest.mark.parametrize("what", ["another interpreter", "another release", "another format"])
def test_a_pack_that_is_not_what_its_name_says_is_never_used(what: str) -> None:
    content = with_pack(A)
    name = pack_of(content)
    data = content[name]
    hexdigits = emitted(A).release
    line = pack_line(hexdigits, MINE)
    assert data.startswith(line)
    if what == "another interpreter":
        data = pack_line(hexdigits, "cpython-399-deadbeef") + data[len(line) :]
    elif what == "another release":
        data = pack_line("0" * 64, MINE) + data[len(line) :]
    else:
        data = data.replace(b"frozenctx-pack 1 ", b"frozenctx-pack 2 ", 1)
    with pytest.raises(errors.Damaged, match="begins with another line"):
        frozenctx.load({**content, name: data})


def test_a_pack_of_a_release_with_unknown_needs_is_refused() -> None:
    objects = Objects(Memory(files(A)), emitted(A).release)
    objects.needs.append("novelty 7.1")
    content = {**files(A), pack_name(objects.hex, MINE): packed(objects).data}
    with pytest.raises(errors.UnsupportedFormat, match=r"`novelty`, which frozenctx 7\.1 has"):
        frozenctx.load(content)


# Alone


def test_a_pack_alone_is_all_that_is_needed(tmp_path: Path) -> None:
    content = with_pack(A, B)
    lone = tmp_path / "prompts.pack"
    lone.write_bytes(content[pack_of(content)])
    prompts = frozenctx.load(lone)
    assert (prompts.source, prompts.profile, prompts.digest) == ("pack", None, frozenctx.load(content).digest)
    assert prompts["chat/draft"].system() == "text ☃\n"
    assert prompts["briefs/draft"].system(name="N", items=["a"], zero=1) == "Hello N!\n<a>\n1"
    assert prompts.is_current()
    assert frozenctx.load(str(lone), pack="require", expect=prompts.digest, release=prompts.digest).source == "pack"
    wrong: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"expect": "sha256:" + "0" * 64}, errors.ReleaseMismatch),
        ({"release": "sha256:" + "0" * 64}, errors.ReleaseMismatch),
        ({"profile": "default"}, errors.UnknownProfile),
        ({"verify": True}, errors.LoadError),
        ({"pack": "never"}, errors.LoadError),
    ]
    for options, error in wrong:
        with pytest.raises(error):
            frozenctx.load(lone, **options)
    other = with_pack(B)
    lone.with_suffix(".new").write_bytes(other[pack_of(other)])
    os.replace(lone.with_suffix(".new"), lone)
    assert not prompts.is_current()
    assert prompts["briefs/draft"].system(name="M", items=["a"], zero=1) == "Hello M!\n<a>\n1"
    assert list(frozenctx.load(lone)) == ["chat/draft"]


def test_a_lone_pack_for_another_interpreter_says_so(tmp_path: Path) -> None:
    lone = tmp_path / "x.pack"
    for data, error, words in (
        (pack_line("0" * 64, "cpython-399-deadbeef") + b"rest", errors.PackMissing, "a pack for cpython-399-deadbeef"),
        (b"frozenctx-pack 7 cpython-311-a70d0d0a sha256:" + b"0" * 64 + b"\n", errors.PackMissing, "of format 7"),
        (b"frozenctx-pack 1 x\n", errors.Damaged, "does not begin as a pack does"),
        (b"\xff" * 300, errors.Damaged, "does not begin as a pack does"),
    ):
        lone.write_bytes(data)
        with pytest.raises(error, match=words):
            frozenctx.load(lone)


# How it is read


class Counted(Blob):
    __slots__ = ("bytes", "reads")

    def __init__(self, where: str, data: bytes) -> None:
        super().__init__(where, data)
        self.bytes = self.reads = 0

    def read(self, offset: int, size: int) -> bytes:
        self.bytes += size
        self.reads += 1
        return super().read(offset, size)


def test_one_prompt_of_many_is_found_in_a_few_small_reads() -> None:
    packages = [package(f"team{n % 7}/prompt-{n:05d}", literal=f"text {n}") for n in range(5000)]
    data = packed(Objects(Memory(files(*packages)), emitted(*packages).release)).data
    assert len(data) > 1_000_000
    chance = random.Random(1)
    for number in [0, 4999, *(chance.randrange(5000) for _ in range(40))]:
        file = Counted("x.pack", data)
        pack = Pack(file, emitted(*packages).release, MINE)
        key = f"team{number % 7}/prompt-{number:05d}"
        head = pack.head(key)
        assert head is not None
        assert pack.text(head["messages"][0]["text"]) == f"text {number}"
        assert file.reads == 6  # the head, three pages of the index, the prompt, its text
        assert file.bytes < 16_384
    pack = Pack(Blob("x.pack", data), emitted(*packages).release, MINE)
    assert list(pack.keys()) == sorted(each.lowered.checked.read.files.key for each in packages)
    assert pack.count == 5000


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 128, 129, 4096, 4097])
def test_every_key_is_found_and_no_other_for_any_number_of_keys(count: int) -> None:
    keys = [f"k{number:05d}" for number in range(1, 2 * count, 2)]
    packages = [package(key, literal="x") for key in keys]
    pack = Pack(
        Blob("x", packed(Objects(Memory(files(*packages)), emitted(*packages).release)).data),
        emitted(*packages).release,
        MINE,
    )
    assert list(pack.keys()) == keys
    assert all(pack.has(key) for key in keys)
    assert not any(pack.has(f"k{number:05d}") for number in range(0, 2 * count + 2, 2))
    assert not any(pack.has(other) for other in ("", "a", "z", "k", "k00001x", "\U0010ffff"))


def test_programs_and_texts_that_prompts_share_are_stored_once() -> None:
    big = {"big.j2": "{{ x }} long text " * 400}
    one = [package("p0", "{% include 'big.j2' %}", partials=big)]
    many = [package(f"p{n}", "{% include 'big.j2' %}", partials=big) for n in range(9)]
    literal = [package(f"t{n}", literal="a long literal " * 1000) for n in range(9)]
    sizes = [len(content[pack_of(content)]) for content in (with_pack(*one), with_pack(*many), with_pack(*literal))]
    assert sizes[1] < sizes[0] + 9 * 2500
    assert sizes[2] < 15_000 + 9 * 2500


# The bytes


def test_the_same_objects_give_the_same_pack_in_every_process(tmp_path: Path) -> None:
    stored(tmp_path / "out", A, B, C)
    name = next((tmp_path / "out" / "packs").iterdir()).name
    whole = (tmp_path / "out" / "packs" / name).read_bytes()
    assert whole == packed(Objects(Memory(files(A, B, C)), emitted(A, B, C).release)).data
    for number, flags in enumerate(([], ["-O"], ["-OO", "-X", "no_debug_ranges"])):
        target = tmp_path / f"{number}.pack"
        environment = {"PYTHONHASHSEED": str(number), "PYTHONPATH": str(Path(frozenctx.__file__).parents[1])}
        command = [sys.executable, "-S", *flags, "-m", "frozenctx", "pack", str(tmp_path / "out"), "-o", str(target)]
        subprocess.run(command, check=True, env=environment, capture_output=True)
        assert target.read_bytes() == whole


def test_code_that_cannot_be_marshalled_is_packed_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    from frozenctx import packing

    def dumps(value: Any, version: int) -> Any:
        if isinstance(value, type(dumps.__code__)):
            raise ValueError("unmarshallable object")
        return original(value, version)

    original: Any = vars(packing)["dumps"]
    monkeypatch.setattr(packing, "dumps", dumps)
    made = packed(Objects(Memory(files(A, B)), emitted(A, B).release))
    assert made.as_text == (*["briefs/draft.ctx/prompt.j2"] * 2, "partials/p.j2", "partials/q.j2")
    prompts = frozenctx.load({**files(A, B), pack_name(emitted(A, B).release, MINE): made.data}, pack="require")
    assert prompts["briefs/draft"].system(name="N", items=["a"], zero=1) == "Hello N!\n<a>\n1"


# verify=True


def test_verify_accepts_a_true_pack_and_says_of_another_that_it_is_not_what_the_objects_make(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = with_pack(A, B)
    assert frozenctx.load(content, verify=True, pack="require").source == "pack"
    # A pack whose check sums are all right, but whose program says something else.
    lying = package("briefs/draft", "Bye {{ name }}")
    objects = Objects(Memory(files(lying, B)), emitted(lying, B).release)
    objects.hex = emitted(A, B).release
    forged = {**content, pack_of(content): packed(objects).data}
    assert damage(forged[pack_of(content)]) is None
    assert frozenctx.load(forged)["briefs/draft"].system(name="N") == "Bye N"

    def loads(data: bytes) -> Any:
        raise AssertionError("unmarshalled before it was proved")

    monkeypatch.setattr(frozenctx.pack, "loads", loads)
    with pytest.raises(errors.Damaged, match="not what its objects compile to"):
        frozenctx.load(forged, verify=True)
    damaged = bytearray(content[pack_of(content)])
    damaged[-1] ^= 1
    with pytest.raises(errors.Damaged, match="another check sum"):
        frozenctx.load({**content, pack_of(content): bytes(damaged)}, verify=True)


def test_verify_names_the_version_that_made_a_pack_when_it_is_another() -> None:
    content = with_pack(A)
    from frozenctx import packing

    original = packing.writer
    try:
        packing.writer = lambda: "frozenctx 0.0.1 on cpython 3.11.0"
        content[pack_of(content)] = packed(Objects(Memory(files(A)), emitted(A).release)).data
    finally:
        packing.writer = original
    assert frozenctx.load(content).source == "pack"
    with pytest.raises(errors.PackMissing) as caught:
        frozenctx.load(content, verify=True)
    said = str(caught.value)
    assert "was made by frozenctx 0.0.1 on cpython 3.11.0, and only that can compare it" in said
    assert "make it anew with `python -m frozenctx pack`" in said
    assert "damaged" not in said


def test_a_pack_is_closed_when_the_last_of_its_prompts_goes_without_a_collector(tmp_path: Path) -> None:
    write(tmp_path, with_pack(A, B))
    variables = {"name": "N", "items": ["a"], "zero": 1}

    def opened() -> int:
        return len(os.listdir("/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"))

    gc.collect()
    gc.disable()
    try:
        before = opened()
        for host in ({}, {"filters": {"f": str}}):
            for _ in range(5):
                prompts = frozenctx.load(tmp_path, pack="require", **host)  # type: ignore[arg-type]
                prompt = prompts["briefs/draft"]
                assert prompt is prompts.get("briefs/draft")
                prompt.system(variables)
                assert opened() == before + 1
                del prompts
                prompt.system(variables)
                assert opened() == before + 1
                del prompt
                assert opened() == before
    finally:
        gc.enable()


# Where it is written


def test_a_pack_at_a_place_of_its_own_is_replaced_as_a_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, other = stored(tmp_path / "a", A, B), stored(tmp_path / "b", B, C)
    file, link = tmp_path / "here" / "x.pack", tmp_path / "link.pack"
    file.parent.mkdir()
    link.symlink_to(file)
    write_pack(str(tmp_path / "a"), first.release, str(file))
    before = file.read_bytes()
    running = frozenctx.load(link)
    write_pack(str(tmp_path / "b"), other.release, str(link))
    assert link.is_symlink()
    assert running["briefs/draft"].key == "briefs/draft"
    assert outcome(running, "chat/draft", {}) == outcome(frozenctx.load(tmp_path / "a"), "chat/draft", {})
    assert frozenctx.load(file).digest == f"sha256:{other.release}"

    def full(file: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left"):
        write_pack(str(tmp_path / "a"), first.release, str(file))
    monkeypatch.undo()
    assert file.read_bytes() != before
    assert frozenctx.load(file).digest == f"sha256:{other.release}"
    assert os.listdir(file.parent) == ["x.pack"]


def test_a_pack_can_be_written_into_what_is_no_file(tmp_path: Path) -> None:
    release = stored(tmp_path / "a", A).release
    os.mkfifo(tmp_path / "pipe")
    reader = subprocess.Popen(["cat", str(tmp_path / "pipe")], stdout=subprocess.PIPE)
    write_pack(str(tmp_path / "a"), release, str(tmp_path / "pipe"))
    data, _ = reader.communicate(timeout=10)
    assert damage(data) is None


# Other interpreters


@pytest.mark.parametrize("version", interpreters.SUPPORTED)
def test_another_interpreter_makes_its_pack_with_the_runtime_alone_and_uses_it(version: str, tmp_path: Path) -> None:
    if version not in interpreters.found():
        pytest.skip(f"no Python {version} here")
    python, _ = interpreters.found()[version]
    stored(tmp_path, A, B, pythons=[python])
    code = (
        "import sys; sys.path.append(sys.argv[1]); import frozenctx\n"
        "prompts = frozenctx.load(sys.argv[2], pack='require', verify=True)\n"
        "print(prompts['briefs/draft'].system(name='N', items=['a'], zero=1))"
    )
    runtime = str(Path(frozenctx.__file__).parents[1])
    command = [python, "-I", "-S", "-B", "-c", code, runtime, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("Hello N!\n<a>\n1\n", "")
    if version != interpreters.HERE:
        assert len(list((tmp_path / "packs").iterdir())) == 2


def test_a_program_that_is_no_python_stops_the_build(tmp_path: Path) -> None:
    from frozenctx_compiler.store import StoreError

    stored(tmp_path, B)
    before = (tmp_path / "profiles" / "default").read_bytes()
    for python, words in (("/bin/false", "exit status 1"), (str(tmp_path / "none"), "cannot be run")):
        with pytest.raises(StoreError, match=words):
            stored(tmp_path, A, pythons=[python])
    assert (tmp_path / "profiles" / "default").read_bytes() == before


def test_an_interpreter_that_can_make_no_pack_is_noticed_before_anything_is_written(tmp_path: Path) -> None:
    from frozenctx_compiler.store import StoreError

    def speaking(name: str, line: str) -> str:
        path = tmp_path / name
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)
        return str(path)

    for python, words in (
        (speaking("old", "echo 3.10"), "is Python 3.10, and packs need 3.11 or newer"),
        (speaking("older", "echo 2.7"), "is Python 2.7, and packs need 3.11 or newer"),
        (speaking("other", "echo hello"), "is no Python: it does not say its version"),
        (speaking("failing", "echo 'no such option' >&2; exit 3"), "is no Python: no such option"),
        ("/bin/false", "is no Python: exit status 1"),
        (str(tmp_path / "none"), "cannot be run: No such file or directory"),
    ):
        with pytest.raises(StoreError) as refused:
            stored(tmp_path / "out", A, pythons=[sys.executable, python])
        assert str(refused.value) == f"`{python}` {words}"
        assert not (tmp_path / "out").exists()


def test_what_serves_from_an_open_pack_refuses_to_be_copied_and_stays_whole(tmp_path: Path) -> None:
    stored(tmp_path / "out", A, B)
    prompts = frozenctx.load(tmp_path / "out", pack="require")
    for make in (copy.deepcopy, pickle.dumps):
        for thing in (prompts, prompts["chat/draft"]):
            with pytest.raises(TypeError, match="cannot be copied or pickled; load them where they are used"):
                make(thing)
    gc.collect()
    assert prompts["briefs/draft"].system(name="x", items=["a"], zero=1, deep={"er": 1})
