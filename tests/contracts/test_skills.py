"""Skills from their files to what a program and a model get of them, from packs, objects, memory and zip files."""

import gc
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import frozenctx
import pytest
from frozenctx import errors
from frozenctx.format import interpreter, object_name, pack_name
from frozenctx_compiler import CompileError, api, cli
from frozenctx_compiler.diagnostics import Report
from hypothesis import example, given, settings
from hypothesis import strategies as st
from source_trees import write

Pack = Literal["require", "never"]
BOTH: tuple[Pack, ...] = ("require", "never")
READING = (
    "---\nname: reading\ndescription: Find\n  the term.\nlicense: MIT\nmetadata: {since: 2025-01-01}\n---\n\n# Read\n"
)
WRITING = "---\nname: writing\n---\nWrite.\n"
BINARY = bytes(range(256)) * 3
FILES: dict[str, str | bytes] = {
    "a.ctx/settings.yaml": "model: openai/gpt-5\nskills: [writing, reading]\n",
    "a.ctx/prompt.j2": "<<<role:system>>>\nYou are {{ who }}.\n<<<role:user>>>\nGo.\n",
    "a.ctx/skills/reading/SKILL.md": READING,
    "a.ctx/skills/reading/references/x.md": "\ufeffone\r\ntwo\r",
    "a.ctx/skills/reading/references/deep/er.md": "deeper",
    "a.ctx/skills/reading/assets/é.bin": BINARY,
    "a.ctx/skills/reading/empty": "",
    "a.ctx/skills/writing/SKILL.md": WRITING,
    "b/shared.ctx/settings.yaml": "model: openai/gpt-5\nsystem: Shared.\nskills: [reading]\n",
    "b/shared.ctx/skills/reading/SKILL.md": READING,
    "b/shared.ctx/skills/reading/references/x.md": "\ufeffone\r\ntwo\r",
    "b/shared.ctx/skills/reading/references/deep/er.md": "deeper",
    "b/shared.ctx/skills/reading/assets/é.bin": BINARY,
    "b/shared.ctx/skills/reading/empty": "",
    "none.ctx/settings.yaml": "model: openai/gpt-5\nsystem: Plain.\n",
}
BLOCK = """<skills>
You have these skills. Each is a set of instructions for one kind of task; here stand only names and descriptions.
- writing: (no description)
- reading: Find the term.
When a task fits a description, call the tool `__load_skill__` with that name before you begin, and follow what it \
answers. Load a skill once, and only when you need it.
</skills>"""


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def key(name: str, description: str, body: str) -> str:
    """As CTX-FORMAT §7 says it."""
    return f"skill/{name}@v{sha256(chr(0).join([name, description, body]).encode())[:12]}"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("skills")
    write(root / "src", FILES)
    result = api.build(root / "src", root / "out")
    assert result.written, result.report.diagnostics
    return root / "out"


def built(root: Path, files: dict[str, str | bytes], **options: Any) -> api.BuildResult:
    result = api.build(write(root / "src", files), root / "out", **options)
    assert result.written, result.report.diagnostics
    return result


@pytest.mark.parametrize("pack", BOTH)
def test_a_skill_is_what_its_files_say(out: Path, pack: Pack) -> None:
    skills = frozenctx.load(out, pack=pack)["a"].skills
    assert (list(skills), len(skills), "reading" in skills, "other" in skills) == (
        ["writing", "reading"],
        2,
        True,
        False,
    )
    assert [skill.name for skill in skills.values()] == ["writing", "reading"]
    reading, writing = skills["reading"], skills["writing"]
    assert (reading.name, reading.description, reading.body) == ("reading", "Find the term.", "# Read")
    assert reading.extra == {"license": "MIT", "metadata": {"since": "2025-01-01"}}
    assert (writing.description, writing.body, writing.extra, writing.resources) == ("", "Write.", {}, ())
    assert skills.get("other") is None
    assert isinstance(skills, Mapping)
    reading.extra["metadata"]["since"] = "changed"
    assert reading.extra["metadata"] == {"since": "2025-01-01"}


@pytest.mark.parametrize("pack", BOTH)
def test_files_are_the_bytes_they_were(out: Path, pack: Pack) -> None:
    reading = frozenctx.load(out, pack=pack)["a"].skills["reading"]
    assert reading.resources == ("assets/é.bin", "empty", "references/deep/er.md", "references/x.md")
    assert reading.read("references/x.md") == "\ufeffone\r\ntwo\r"
    assert reading.read_bytes("assets/é.bin") == BINARY
    assert (reading.read("empty"), reading.read_bytes("empty")) == ("", b"")


def test_keys_and_digests_are_what_the_format_says(out: Path) -> None:
    prompt = frozenctx.load(out)["a"]
    keys = [key("writing", "", "Write."), key("reading", "Find the term.", "# Read")]
    assert prompt.identity["skills"] == keys == [skill.key for skill in prompt.skills.values()]
    files = {
        path[len("a.ctx/skills/reading/") :]: data for path, data in FILES.items() if "a.ctx/skills/reading/" in path
    }
    del files["SKILL.md"]
    raw = {path: data.encode() if isinstance(data, str) else data for path, data in files.items()}
    printed = "".join(f"{sha256(raw[path])}  {path}\n" for path in sorted(raw))
    assert prompt.identity["skillResources"] == {keys[1]: sha256(printed.encode())}


def test_sha256sum_prints_what_is_hashed(out: Path, tmp_path: Path) -> None:
    reading = frozenctx.load(out)["a"].skills["reading"]
    write(tmp_path, {path: reading.read_bytes(path) for path in reading.resources})
    command = ["sha256sum", "--", *sorted(reading.resources)]
    try:
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    except FileNotFoundError:
        pytest.skip("there is no sha256sum")
    identity = frozenctx.load(out)["a"].identity
    assert identity["skillResources"][reading.key] == sha256(done.stdout)


@pytest.mark.parametrize("pack", BOTH)
def test_messages_begin_with_the_block_and_system_is_the_template_alone(out: Path, pack: Pack) -> None:
    prompts = frozenctx.load(out, pack=pack)
    system = {"role": "system", "content": f"{BLOCK}\n\nYou are Ada."}
    assert prompts["a"].messages(who="Ada") == [system, {"role": "user", "content": "Go."}]
    assert (prompts["a"].system(who="Ada"), prompts["a"].user(who="Ada")) == ("You are Ada.", "Go.")
    assert prompts["a"].skills.block() == BLOCK
    assert prompts["b/shared"].messages()[0]["content"].endswith("</skills>\n\nShared.")
    assert prompts["none"].messages() == [{"role": "system", "content": "Plain."}]


@pytest.mark.parametrize("pack", BOTH)
def test_a_prompt_without_skills_has_an_empty_mapping(out: Path, pack: Pack) -> None:
    skills = frozenctx.load(out, pack=pack)["none"].skills
    assert (dict(skills), skills.block(), skills.tool(), skills.inlined()) == ({}, "", None, "")
    answer = skills.answer({"name": "reading"})
    assert answer.is_error
    assert answer == 'There is no skill "reading". There are no skills.'
    with pytest.raises(errors.UnknownSkill, match="has no skill `reading`; it has none"):
        skills["reading"]


def test_what_does_not_exist_is_an_error_with_near_names(out: Path) -> None:
    skills = frozenctx.load(out)["a"].skills
    with pytest.raises(KeyError, match="has no skill `raeding`; did you mean `reading`?") as raised:
        skills["raeding"]
    assert str(raised.value).startswith("the prompt")
    with pytest.raises(KeyError, match="has no file `reference/x.md`; did you mean `references/x.md`?"):
        skills["reading"].read("reference/x.md")
    with pytest.raises(errors.UnknownResource, match="it has none"):
        skills["writing"].read_bytes("x")
    with pytest.raises(errors.UnknownResource, match="it has `assets/é.bin`, `empty`"):
        skills["reading"].read("../writing/SKILL.md")
    with pytest.raises(ValueError, match="byte 0x80 at offset 128 is not UTF-8; `read_bytes` gives its 768 bytes"):
        skills["reading"].read("assets/é.bin")


# -- the tool ------------------------------------------------------------------------------------------------------


def test_the_tool_lists_what_is_not_loaded_yet(out: Path) -> None:
    skills = frozenctx.load(out)["a"].skills
    tool = skills.tool()
    assert tool is not None
    assert (tool.key, tool.wire_name, tool.name, tool.server) == (*["__load_skill__"] * 3, None)
    assert tool.description.endswith("Not loaded yet:\n- writing: (no description)\n- reading: Find the term.")
    assert list(tool.input_schema["properties"]) == ["name", "resource"]
    later = skills.tool(["reading"])
    assert later is not None
    assert later.description.endswith("Not loaded yet:\n- writing: (no description)")
    assert "reading" not in json.dumps([later.description, later.input_schema])
    last = skills.tool(["reading", "writing"])  # the files of `reading` can be asked for still
    assert last is not None
    assert "writing" not in last.description
    with pytest.raises(errors.UnknownSkill):
        skills.tool(["raeding"])


def test_there_is_no_tool_when_nothing_is_left(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.ctx/settings.yaml": "model: m\nskills: [writing]\n",
        "a.ctx/skills/writing/SKILL.md": WRITING,
    }
    skills = api.load(write(tmp_path, files))["a"].skills
    tool = skills.tool()
    assert tool is not None
    assert list(tool.input_schema["properties"]) == ["name"]
    assert skills.tool(["writing"]) is None


@pytest.mark.parametrize("given", [{"name": "writing"}, '{"name": "writing"}', {"name": "writing", "resource": ""}])
def test_a_call_is_answered_with_the_instructions(out: Path, given: Any) -> None:
    answer = frozenctx.load(out)["a"].skills.answer(given)
    assert answer == '<skill name="writing">\nWrite.\n</skill>'
    assert (answer.skill, answer.is_error, json.dumps(answer)) == ("writing", False, json.dumps(str(answer)))


def test_a_skill_with_files_says_how_they_are_read_and_the_way_works(out: Path) -> None:
    skills = frozenctx.load(out)["a"].skills
    answer = skills.answer({"name": "reading"})
    paths = [line.removeprefix("- ") for line in answer.split("\n") if line.startswith("- ")]
    assert tuple(paths) == skills["reading"].resources
    for path in paths:
        read = skills.answer({"name": "reading", "resource": path})
        assert read.skill is None
        if path.endswith(".bin"):
            assert (read.is_error, read) == (
                True,
                f"`{path}` is no text but 768 bytes of something else; it cannot be shown.",
            )
        else:
            assert (read.is_error, read) == (False, skills["reading"].read(path))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"name": "raeding"},
            'There is no skill "raeding". Did you mean `reading`? The skills are `writing`, `reading`.',
        ),
        ({"name": "zzz"}, 'There is no skill "zzz". The skills are `writing`, `reading`.'),
        ({"name": "a\ud800`\n"}, 'There is no skill "a\\ud800`\\n". The skills are `writing`, `reading`.'),
        ({"name": "z" * 300_000}, f'There is no skill "{"z" * 60}…". The skills are `writing`, `reading`.'),
        ({}, "`name` is missing: the name of a skill. The skills are `writing`, `reading`."),
        ({"name": ["reading"]}, "`name` must be text: the name of a skill. The skills are `writing`, `reading`."),
        ('{"name": 5}', "`name` must be text: the name of a skill. The skills are `writing`, `reading`."),
        ('["reading"]', "The arguments are no JSON object. The skills are `writing`, `reading`."),
        ("null", "The arguments are no JSON object. The skills are `writing`, `reading`."),
        ('{"name": "reading"', "The arguments are no JSON. The skills are `writing`, `reading`."),
        ("[" * 100_000, "The arguments are no JSON. The skills are `writing`, `reading`."),
        ({"name": "writing", "resource": "x"}, 'The skill `writing` has no file "x". It has no files.'),
        (
            '{"name": "writing", "resource": "\\ud800\\u202e' + "x" * 300_000 + '"}',
            f'The skill `writing` has no file "\\ud800\\u202e{"x" * 58}…". It has no files.',
        ),
        ({"name": "writing", "resource": 1}, "`resource` must be text: the path of a file of the skill."),
    ],
)
def test_a_mistake_of_the_model_is_answered_with_what_there_is(out: Path, given: Any, says: str) -> None:
    answer = frozenctx.load(out)["a"].skills.answer(given)
    assert (str(answer), answer.is_error, answer.skill) == (says, True, None)
    assert answer.encode()


class Row:
    """Something like a mapping, which is none: a row of a database, an object of a client library."""

    def keys(self) -> list[str]:
        return ["name"]

    def __getitem__(self, name: str) -> str:
        return "reading"


@pytest.mark.parametrize("given", [Row(), ["reading"], b'{"name": "reading"}', None, 5])
def test_a_mistake_of_the_program_is_raised_and_not_told_to_the_model(out: Path, given: Any) -> None:
    with pytest.raises(TypeError, match=f"a mapping or JSON text, not {type(given).__name__}"):
        frozenctx.load(out)["a"].skills.answer(given)


def test_one_name_is_no_list_of_names(out: Path) -> None:
    skills = frozenctx.load(out)["a"].skills
    for take in (skills.tool, skills.inlined):
        with pytest.raises(TypeError, match=r"write \['reading'\] for 'reading'"):
            take("reading")


@pytest.mark.parametrize("pack", BOTH)
def test_a_file_is_found_in_any_normalisation(out: Path, pack: Pack) -> None:
    """The text of a SKILL.md may name it in another one than the file system does."""
    skills = frozenctx.load(out, pack=pack)["a"].skills
    assert skills["reading"].read_bytes("assets/e\u0301.bin") == BINARY
    answer = skills.answer({"name": "reading", "resource": "assets/e\u0301.bin"})
    assert answer.endswith("no text but 768 bytes of something else; it cannot be shown.")


def test_the_inlined_form_holds_everything(out: Path) -> None:
    skills = frozenctx.load(out)["a"].skills
    text = skills.inlined(["reading"])
    assert text.endswith('<skill name="reading">\nFind the term.\n\n# Read\n</skill>\n</skills>')
    assert "Write." not in text
    assert skills.inlined().index("Write.") < skills.inlined().index("# Read")
    assert skills.inlined(["writing"], resources=True) == skills.inlined(["writing"])
    with pytest.raises(errors.ResourceNotText):
        skills.inlined(resources=True)
    with pytest.raises(errors.UnknownSkill):
        skills.inlined(["raeding"])


# -- from everywhere the same --------------------------------------------------------------------------------------


def facts(prompts: Any) -> Any:
    """Everything there is to know of the skills of a release."""
    found: dict[str, Any] = {}
    for prompt in prompts.values():
        skills = prompt.skills
        found[prompt.key] = [
            prompt.version,
            skills.block(),
            skills.inlined(),
            [
                [
                    s.key,
                    s.name,
                    s.description,
                    s.body,
                    s.extra,
                    {path: s.read_bytes(path).hex() for path in s.resources},
                ]
                for s in skills.values()
            ],
            [skills.answer({"name": name}) for name in skills],
        ]
    return json.loads(json.dumps(found))


def sources_of(out: Path, tmp_path: Path) -> Iterator[Any]:
    """The prompts of one output from everywhere that they can be loaded from."""
    files = {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
    pack = pack_name(frozenctx.load(out).digest[7:], interpreter() or "")
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / f"{method}.zip", "w", method) as archive:
            for name, data in files.items():
                archive.writestr(f"deep/{name}", data)
    (tmp_path / "alone.pack").write_bytes(files[pack])
    without = {name: data for name, data in files.items() if name.startswith(("objects/", "profiles/"))}
    yield frozenctx.load(out, verify=True)
    yield frozenctx.load(out, pack="never", verify=True)
    yield frozenctx.load(files, verify=True)
    yield frozenctx.load(without)
    yield frozenctx.load(tmp_path / f"{zipfile.ZIP_STORED}.zip" / "deep", pack="require")
    yield frozenctx.load(tmp_path / f"{zipfile.ZIP_DEFLATED}.zip" / "deep", pack="never", verify=True)
    yield frozenctx.load(tmp_path / "alone.pack")


def test_directory_zip_memory_and_lone_pack_give_the_same(out: Path, tmp_path: Path) -> None:
    first, *others = [(facts(prompts), prompts["a"].skills) for prompts in sources_of(out, tmp_path)]
    assert len(others) == 6
    for found, skills in others:
        assert found == first[0]
        assert skills == first[1]
    in_memory = api.load(write(tmp_path / "src", FILES))
    assert facts(in_memory) == first[0]


_BARE = """
import sys
sys.path.append(sys.argv[1])
import frozenctx
prompt = frozenctx.load(sys.argv[2], pack=sys.argv[3])["a"]
found = [prompt.messages(who="Ada"), prompt.skills.answer({"name": "reading"})]
found += [prompt.skills["reading"].read_bytes(path).hex() for path in prompt.skills["reading"].resources]
import json
print(json.dumps(found))
"""


@pytest.mark.parametrize("pack", BOTH)
def test_an_interpreter_without_anything_gives_the_same(out: Path, pack: Pack) -> None:
    runtime = str(Path(frozenctx.__file__).parents[1])
    command = [sys.executable, "-I", "-S", "-B", "-c", _BARE, runtime, str(out), pack]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    prompt = frozenctx.load(out)["a"]
    reading = prompt.skills["reading"]
    files = [reading.read_bytes(path).hex() for path in reading.resources]
    expected = [prompt.messages(who="Ada"), prompt.skills.answer({"name": "reading"}), *files]
    assert json.loads(done.stdout) == expected


@pytest.mark.parametrize("pack", BOTH)
def test_rendering_reads_no_body_and_no_file_of_a_skill(out: Path, pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = frozenctx.load(out, pack=pack)["a"]
    read: list[Any] = []
    contents = type(prompt._release.contents)
    monkeypatch.setattr(contents, "skill", lambda self, entry: read.append(entry), raising=False)
    monkeypatch.setattr(contents, "resource", lambda self, place, what: read.append(place), raising=False)
    assert prompt.messages(who="Ada")[0]["content"].startswith(BLOCK)
    assert read == []


def test_no_cycle_keeps_a_release_open(out: Path) -> None:
    gc.collect()
    gc.disable()
    try:
        before = len(os.listdir("/dev/fd"))
        skills = frozenctx.load(out, pack="require")["a"].skills
        skill = skills["reading"]
        assert skill.read("empty") == ""  # the skill keeps open what it reads from
        del skill, skills
        assert len(os.listdir("/dev/fd")) == before
    finally:
        gc.enable()


# -- what is stored ------------------------------------------------------------------------------------------------


def objects_of(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in (out / "objects").rglob("*.*")}


def test_packages_share_skills_and_files(out: Path) -> None:
    stored = objects_of(out)
    assert sum(data.count(b'"body":') for data in stored.values()) == 2
    assert sorted(data for name, data in stored.items() if name.endswith(".bin")) == sorted(
        [BINARY, b"", b"deeper", "\ufeffone\r\ntwo\r".encode()]
    )


def test_litter_and_hidden_files_are_in_no_artifact(tmp_path: Path) -> None:
    litter = {
        f"a.ctx/skills/{place}{name}": "litter"
        for place in ("", "writing/", "writing/references/")
        for name in (".DS_Store", "Thumbs.db", "desktop.ini", "._x", ".git/config", "__MACOSX/x", "__pycache__/x.pyc")
    }
    files: dict[str, str | bytes] = {
        "a.ctx/settings.yaml": "model: m\nskills: [writing]\n",
        "a.ctx/skills/writing/SKILL.md": WRITING,
        "a.ctx/skills/writing/references/x.md": "x",
        **litter,
    }
    result = built(tmp_path, files)
    assert [found.code for found in result.report.diagnostics if found.code != "empty-system"] == []
    assert frozenctx.load(tmp_path / "out")["a"].skills["writing"].resources == ("references/x.md",)
    assert not any(b"litter" in data for data in objects_of(tmp_path / "out").values())


def test_a_release_with_skills_needs_a_reader_that_knows_them(out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = objects_of(out)[object_name(frozenctx.load(out).digest[7:], ".json")]
    assert json.loads(release)["needs"] == ["skills 0.1.0"]
    without = api.check(Path(str(out.parent / "src")), select=["none"]).emitted
    assert without is not None
    assert json.loads(without.objects[without.release])["needs"] == []
    for module in ("objects", "pack"):
        monkeypatch.setattr(f"frozenctx.{module}.FEATURES", frozenset(["limits"]))
    for pack in BOTH:
        with pytest.raises(errors.UnsupportedFormat, match="needs `skills`, which frozenctx 0.1.0 has"):
            frozenctx.load(out, pack=pack)


def test_a_file_may_hold_the_bytes_of_any_object(tmp_path: Path) -> None:
    """Of a release, a program, a prompt and a skill: names of objects depend on bytes alone."""
    built(tmp_path, FILES)
    stored = {name: data for name, data in objects_of(tmp_path / "out").items() if not name.endswith(".bin")}
    more = {f"a.ctx/skills/writing/copy/{number}": data for number, data in enumerate(stored.values())}
    files = {**FILES, **more, "none.ctx/settings.yaml": "model: m\nsystem: Other.\n"}
    built(tmp_path, files, prune=True)
    built(tmp_path, {**files, "none.ctx/settings.yaml": "model: m\nsystem: Again.\n"})
    cli_prune(tmp_path / "out")
    prompt = frozenctx.load(tmp_path / "out", verify=True)["a"]
    found = [prompt.skills["writing"].read_bytes(path) for path in prompt.skills["writing"].resources]
    assert sorted(found) == sorted(stored.values())


def cli_prune(out: Path) -> None:
    from frozenctx_compiler.store import prune_releases

    prune_releases(str(out), 0)


def test_prune_keeps_the_skills_of_kept_releases_and_no_others(tmp_path: Path) -> None:
    first = built(tmp_path, FILES)
    changed = READING.replace("# Read", "# Read again")
    path = "skills/reading/references/x.md"
    files = {**FILES, "a.ctx/skills/reading/SKILL.md": changed, f"a.ctx/{path}": "new", f"b/shared.ctx/{path}": "new"}
    built(tmp_path, files)
    assert any(b"\r\ntwo" in data for data in objects_of(tmp_path / "out").values())
    cli_prune(tmp_path / "out")
    stored = objects_of(tmp_path / "out")
    assert not any(b"\r\ntwo" in data for data in stored.values())
    assert sum(data.count(b'"body":') for data in stored.values()) == 3
    now = frozenctx.load(tmp_path / "out", verify=True, pack="never")
    assert now["a"].skills["reading"].read("references/x.md") == "new"
    with pytest.raises(errors.ReleaseGone):
        frozenctx.load(tmp_path / "out", release=str(first.release))


@pytest.mark.parametrize("suffix", [".bin", "skill"])
def test_an_object_of_a_skill_that_is_gone_or_damaged_is_found(tmp_path: Path, suffix: str) -> None:
    built(tmp_path, FILES)
    stored = objects_of(tmp_path / "out")
    names = [n for n, data in stored.items() if (n.endswith(".bin") if suffix == ".bin" else b'"body":' in data)]
    assert names
    for name in names:
        file = tmp_path / "out" / name
        whole = stored[name]
        for damaged in (whole + b"x", whole[:-1] if whole else b"y", None):
            file.unlink() if damaged is None else file.write_bytes(damaged)
            with pytest.raises(errors.Damaged):
                frozenctx.load(tmp_path / "out", verify=True)
            skills = frozenctx.load(tmp_path / "out", pack="never")["a"].skills
            with pytest.raises(errors.Damaged):
                [[skill.body, *map(skill.read_bytes, skill.resources)] for skill in skills.values()]
        file.write_bytes(whole)
    assert frozenctx.load(tmp_path / "out", verify=True)


def test_every_flipped_bit_of_a_pack_ends_in_an_error_or_in_the_truth(out: Path) -> None:
    digest = frozenctx.load(out).digest
    name = pack_name(digest[7:], interpreter() or "")
    files = {**objects_of(out), "profiles/default": (out / "profiles/default").read_bytes()}
    data = (out / name).read_bytes()
    truth = facts(frozenctx.load(out))
    found = 0
    for at in range(0, len(data), 7):
        damaged = bytearray(data)
        damaged[at] ^= 1 << at % 8
        try:
            assert facts(frozenctx.load({**files, name: bytes(damaged)})) == truth
        except errors.Damaged:
            found += 1
    assert found > len(data) // 14  # most of it is read for these facts


def test_verify_finds_a_skill_that_is_not_that_of_the_identity(out: Path) -> None:
    """Objects that fit one another and lie about the identity."""
    files = {**objects_of(out), "profiles/default": (out / "profiles/default").read_bytes()}
    for old, new, says in (
        (b'"body":"Write."', b'"body":"Other."', "the key of the skill `writing` is not"),
        (sha256(b"deeper").encode(), sha256(b"").encode(), "its skills are not those of its identity"),
    ):
        changed = rewritten(files, old, new)
        assert frozenctx.load(changed)["a"].skills
        with pytest.raises(errors.Damaged, match=says):
            frozenctx.load(changed, verify=True)


def rewritten(files: dict[str, bytes], old: bytes, new: bytes) -> dict[str, bytes]:
    """Files with a change in one object, and all that refer to it made to fit again."""
    pending = {old: new}
    files = dict(files)
    while pending:
        old, new = pending.popitem()
        for name, data in list(files.items()):
            if old in data and not name.endswith((".bin", ".py")):
                del files[name]
                replaced = data.replace(old, new)
                if name.startswith("objects/"):
                    pending[sha256(data).encode()] = sha256(replaced).encode()
                    name = object_name(sha256(replaced), ".json")
                files[name] = replaced
    return files


def test_the_bytes_of_a_release_with_skills_do_not_move(tmp_path: Path) -> None:
    """Of a package without programs, which a better code generator may change."""
    emitted = api.check(write(tmp_path, FILES), select=["b/shared"]).emitted
    assert emitted is not None
    assert emitted.release == "f3353e9a9985f28819651519901840e496c46a194557fbf77126f98e9fc4b33f"


# -- identity ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "old", "new", "moves"),
    [
        ("SKILL.md", "Find", "Seek", True),
        ("SKILL.md", "# Read", "# Look", True),
        ("SKILL.md", "Find\n  the", "Find   the", False),
        ("SKILL.md", "MIT", "BSD", False),
        ("SKILL.md", "\n", "\r\n", False),
        ("SKILL.md", "\n# Read\n", "# Read", False),
        ("SKILL.md", "# Read\n", "\t# Read \u2003\n\n", False),
        ("references/x.md", "one", "two", True),
        ("references/x.md", "\r\n", "\n", True),
        ("empty", "", "\n", True),
    ],
)
def test_what_can_reach_a_model_moves_the_version_and_nothing_else_does(
    path: str, old: str, new: str, moves: bool, tmp_path: Path
) -> None:
    before = api.load(write(tmp_path, FILES))["b/shared"]
    file = f"b/shared.ctx/skills/reading/{path}"
    text = FILES[file]
    assert isinstance(text, str)
    after = api.load(write(tmp_path, {file: text.replace(old, new) if old else new}))["b/shared"]
    assert (after.version != before.version) == moves
    shown = [[p.skills.block(), p.skills.inlined(), *map(p.skills["reading"].read_bytes, p.skills["reading"].resources)]
             for p in (before, after)]  # fmt: skip
    assert (shown[0] != shown[1]) == moves


def test_a_new_file_and_another_order_move_the_version(tmp_path: Path) -> None:
    versions = {api.load(write(tmp_path, FILES))["a"].version}
    versions.add(api.load(write(tmp_path, {"a.ctx/skills/writing/new.md": ""}))["a"].version)
    reversed = "model: openai/gpt-5\nskills: [reading, writing]\n"
    versions.add(api.load(write(tmp_path, {"a.ctx/settings.yaml": reversed}))["a"].version)
    assert len(versions) == 3


def test_profiles_have_skills_of_their_own(tmp_path: Path) -> None:
    files = {**FILES, "a.ctx/settings.yaml": 'model: m\nskills: !? $env.get("SKILLS", "reading").split(",")\n'}
    write(tmp_path / "src", files)
    write(tmp_path, {"prod.env": "SKILLS=writing,reading\n", "test.env": "SKILLS=writing\n"})
    profiles = {"prod": [tmp_path / "prod.env"], "test": [tmp_path / "test.env"]}
    built(tmp_path, files, profiles=profiles)
    prod, test = (frozenctx.load(tmp_path / "out", profile=name)["a"] for name in ("prod", "test"))
    assert (list(prod.skills), list(test.skills)) == (["writing", "reading"], ["writing"])
    assert prod.version != test.version
    assert prod.skills["writing"] == test.skills["writing"]


# -- sources -------------------------------------------------------------------------------------------------------


def test_the_record_names_every_file_and_fresh_sees_what_changes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from frozenctx.commands import main

    result = built(tmp_path, FILES)
    record = json.loads((tmp_path / "out" / "records" / f"{str(result.release)[7:]}.json").read_text("utf-8"))
    forms = {file["path"]: file["form"] for file in record["files"] if "/skills/" in file["path"]}
    assert forms["a.ctx/skills/reading/SKILL.md"] == "text"
    assert forms["a.ctx/skills/reading/references/x.md"] == "raw"
    assert set(forms) == {path for path in FILES if "/skills/" in path}
    arguments = ["fresh", str(tmp_path / "src"), str(tmp_path / "out")]
    assert main(arguments) == 0
    write(tmp_path / "src", {"a.ctx/skills/reading/references/x.md": "\ufeffone\ntwo\n"})  # the same text
    write(tmp_path / "src", {"a.ctx/skills/reading/new.md": "x"})
    capsys.readouterr()
    assert main(arguments) == 1
    shown = capsys.readouterr().out
    assert "a.ctx/skills/reading/references/x.md" in shown
    assert "new.md" in shown


def test_skills_that_are_not_active_are_no_inputs(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {**FILES, "a.ctx/settings.yaml": "model: m\nskills: []\n"}
    compilation = api.check(write(tmp_path, files), select=["a"])
    assert not any("/skills/" in file.path for file in compilation.sources.observed().files)


KEY = "AKIA" + "QZXJWVUTSRPONMLK"  # of the shape of a real one


@pytest.mark.parametrize("path", ["SKILL.md", "references/x.md", "assets/é.bin"])
def test_a_secret_of_the_environment_is_never_in_a_skill(path: str, tmp_path: Path) -> None:
    file = f"b/shared.ctx/skills/reading/{path}"
    content = FILES[file]
    data = content.encode() if isinstance(content, str) else content
    write(tmp_path, {**FILES, file: data + b"\nhorse-battery-staple-7\n"})
    found = api.check(tmp_path, env={"TOKEN": "horse-battery-staple-7"}, secret_env=["TOKEN"]).report.diagnostics
    (leak,) = [each for each in found if each.code == "secret-frozen"]
    assert leak.span is not None
    assert leak.span.file == file
    assert "horse" not in str(leak)


def test_a_secret_is_shown_in_every_file_that_holds_it(tmp_path: Path) -> None:
    names = ("SKILL.md", "assets/é.bin", "references/x.md")
    paths = [f"b/shared.ctx/skills/reading/{name}" for name in names]
    write(tmp_path, FILES)
    for path in paths:
        with open(tmp_path / path, "ab") as file:
            file.write(b"\nhorse-battery-staple-7\n")
    found = api.check(tmp_path, env={"TOKEN": "horse-battery-staple-7"}, secret_env=["TOKEN"]).report.diagnostics
    assert sorted(each.span.file for each in found if each.code == "secret-frozen" and each.span) == paths


@pytest.mark.parametrize("path", ["SKILL.md", "references/x.md", "assets/é.bin"])
def test_a_pasted_secret_is_found_in_every_file_of_a_skill(path: str, tmp_path: Path) -> None:
    file = f"b/shared.ctx/skills/reading/{path}"
    content = FILES[file]
    data = content.encode() if isinstance(content, str) else content
    write(tmp_path, {**FILES, file: data + f"\nkey: {KEY}\n".encode()})
    found = [each for each in api.check(tmp_path).report.diagnostics if each.level == "error"]
    assert [(each.code, each.span and each.span.file) for each in found] == [("pasted-secret", file)]


def test_a_short_secret_is_not_found_in_keys_and_digests(out: Path, tmp_path: Path) -> None:
    prompt = frozenctx.load(out)["a"]
    digests = [
        *prompt.identity["skills"],
        *prompt.identity["skillResources"].values(),
        sha256(BINARY),
        sha256(b"deeper"),
    ]
    env = {f"VALUE_{chr(65 + number)}": digest[-6:] for number, digest in enumerate(digests)}
    found = api.check(write(tmp_path, FILES), env=env, secret_env=sorted(env)).report.diagnostics
    assert [each for each in found if each.code == "secret-frozen"] == []


# -- the documents -------------------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[2]
DOCUMENT = (ROOT / "docs" / "skills.md").read_text("utf-8")


def test_the_document_shows_the_texts_byte_for_byte() -> None:
    prompt = api.load(ROOT / "examples" / "prompts")["agents/researcher"]
    skills = prompt.skills
    tool = skills.tool(["compare-plans"])
    assert tool is not None
    for text in (
        skills.block(),
        tool.description,
        json.dumps(tool.input_schema, indent=2),
        skills.answer({"name": "read-contract"}),
        skills.inlined(["compare-plans"]),
    ):
        assert f"\n{text}\n```\n" in DOCUMENT


def test_the_python_of_the_document_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    api.build(ROOT / "examples" / "prompts", "dist/prompts")
    calls: list[Any] = [{"name": "read-contract"}, '{"name": "compare-plans"}', None]
    (package,) = api.check(ROOT / "examples/prompts", select=["agents/researcher"]).packages
    sample = package.lowered.checked.samples[0]
    names: dict[str, Any] = {"ask": lambda messages, tool: calls.pop(0), "variables": dict(sample.variables)}
    blocks = [block.split("```", 1)[0] for block in DOCUMENT.split("```python\n")[1:]]
    assert len(blocks) == 3
    for block in blocks:
        exec(block, names)  # an example of our own
    assert names["loaded"] == ["read-contract", "compare-plans"]
    assert [message["role"] for message in names["messages"]][-2:] == ["tool", "tool"]
    assert "nothing happens by itself" in names["system"]


def test_show_tells_of_the_skills(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["show", str(out), "a", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)["skills"]
    assert list(shown) == ["writing", "reading"]
    assert shown["reading"] == {
        "key": key("reading", "Find the term.", "# Read"),
        "description": "Find the term.",
        "resources": ["assets/é.bin", "empty", "references/deep/er.md", "references/x.md"],
    }


def test_load_reports_what_is_wrong(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "a.ctx/skills/writing/SKILL.md": "---\nname: writing\ndescription: a: b\n---\nx\n"})
    with pytest.raises(CompileError, match='write `description: "a: b"`'):
        api.load(tmp_path)


FORMAT = (ROOT / "artifacts" / "frozenctx_artifacts" / "FORMAT.md").read_text("utf-8")


def test_the_example_of_the_format_is_recomputed(tmp_path: Path) -> None:
    section = FORMAT.split("## Skill\n")[1].split("\n## ")[0]
    stored, listing = (block.split("```", 1)[0] for block in section.split("```\n")[1::2])
    skill = json.loads(stored)
    assert f"`sha256:{sha256(stored.rstrip().encode())}`:" in section
    assert skill["key"] == key(skill["name"], skill["description"], skill["body"])
    assert f"Digest of the resources: `{sha256(listing.encode())}`." in section
    files: dict[str, str | bytes] = {
        "a.ctx/settings.yaml": "model: m\nsystem: x\nskills: [reading]\n",
        "a.ctx/skills/reading/SKILL.md": "---\nname: reading\ndescription: Find term and notice.\nlicense: MIT\n---\n"
        "Read the order form first.\n",
        "a.ctx/skills/reading/references/terms.md": "Notice: three months.\n",
    }
    emitted = api.check(write(tmp_path, files)).emitted
    assert emitted is not None
    assert stored.rstrip().encode() in emitted.objects.values()
    identity = api.load(tmp_path)["a"].identity
    assert identity["skillResources"] == {skill["key"]: sha256(listing.encode())}


# -- lines to copy -------------------------------------------------------------------------------------------------

MARKS = st.sampled_from(
    [*":#[]{}\"'`@%*&!?-|>,\\", ": ", " #", "\t", "- ", "it's", "word", "Use when", " ", "é", "!? $env.get"]
)
LINES = st.lists(MARKS, min_size=1, max_size=8).map("".join)


@settings(max_examples=150, deadline=None)
@given(LINES)
@example("!\t")
@example("!\ta")
def test_a_line_that_is_shown_can_be_copied(line: str) -> None:
    """Whatever stands behind `description:`, the line of the help is read as a text, and nothing else is wrong then."""
    found = _checked(f"name: x\ndescription: {line}\nlicense: MIT")
    for diagnostic in found.diagnostics:
        assert diagnostic.help or diagnostic.code == "expression-syntax"
        shown = re.fullmatch(r"write `(description: .*)`", diagnostic.help or "", re.DOTALL)
        if shown is not None:
            assert not _checked(f"name: x\n{shown[1]}\nlicense: MIT").has_errors, diagnostic


@settings(max_examples=150, deadline=None)
@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cn"]), max_size=30))
def test_a_text_in_quotes_means_itself(text: str) -> None:
    report = _checked(f"name: x\ndescription: {json.dumps(text, ensure_ascii=False)}")
    assert not report.has_errors


def _checked(front: str) -> Report:
    with tempfile.TemporaryDirectory() as root:
        files: dict[str, str | bytes] = {
            "a.ctx/settings.yaml": "model: m\nsystem: x\nskills: [x]\n",
            "a.ctx/skills/x/SKILL.md": f"---\n{front}\n---\nBody.\n",
        }
        return api.check(write(Path(root), files)).report
