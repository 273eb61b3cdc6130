"""From a path to prompts: where from, which release, what the host supplies, what is refused."""

import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import frozenctx
import pytest
from frozenctx import errors
from frozenctx.elsewhere import Memory
from frozenctx.format import FORMAT, VERSION, interpreter, object_name, pack_name
from frozenctx.objects import Objects, sha256_hex
from frozenctx.packing import packed
from handmade import emitted, files, package, prompt_of, release_of, stored

A = package("briefs/draft", "Hello {{ name }}{% include 'p.j2' %}", partials={"p.j2": "!"})
B = package("chat/draft", literal="text")
C = package("chat/title", literal="title")


def with_pack(*packages: Any) -> dict[str, bytes]:
    content = files(*packages)
    objects = Objects(Memory(content), emitted(*packages).release)
    return {**content, pack_name(objects.hex, interpreter() or ""): packed(objects).data}


def write(out: Path, content: Mapping[str, bytes]) -> Path:
    for name, data in content.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return out


# The mapping


def test_prompts_are_a_mapping_by_key_sorted() -> None:
    prompts = frozenctx.load(files(C, A, B))
    assert isinstance(prompts, Mapping)
    assert list(prompts) == ["briefs/draft", "chat/draft", "chat/title"] == list(prompts.keys())
    assert len(prompts) == 3
    assert "briefs/draft" in prompts
    assert [prompt.key for prompt in prompts.values()] == list(prompts)
    assert dict(prompts) == dict(prompts.items())
    assert prompts.get("nothing") is None
    assert prompts.get("chat/title") is prompts["chat/title"]


def test_an_unknown_key_is_a_key_error_naming_near_ones() -> None:
    prompts = frozenctx.load(files(A, B, C))
    with pytest.raises(errors.UnknownKey) as caught:
        prompts["briefs/drft"]
    assert isinstance(caught.value, KeyError)
    assert str(caught.value) == "no prompt has the key `briefs/drft`; did you mean `briefs/draft`?"
    with pytest.raises(errors.UnknownKey, match="it is the name of `chat/title`"):
        prompts["title"]
    with pytest.raises(errors.UnknownKey):
        prompts[3]  # type: ignore[index]


def test_a_prompt_is_found_by_its_name_and_other_names_are_no_key_error() -> None:
    prompts = frozenctx.load(files(A, B, C))
    assert prompts.named("title") is prompts["chat/title"]
    with pytest.raises(errors.AmbiguousName, match="`briefs/draft`, `chat/draft`") as ambiguous:
        prompts.named("draft")
    with pytest.raises(errors.UnknownName, match="did you mean `title`") as unknown:
        prompts.named("titel")
    with pytest.raises(errors.UnknownName, match=r"`chat/title` is a key: prompts\['chat/title'\]"):
        prompts.named("chat/title")
    assert not isinstance(ambiguous.value, KeyError)
    assert not isinstance(unknown.value, KeyError)


def test_a_prompt_is_read_when_first_asked_for(tmp_path: Path) -> None:
    write(tmp_path, files(A, B))
    prompts = frozenctx.load(tmp_path)
    release = json.loads((tmp_path / object_name(prompts.digest[7:], ".json")).read_bytes())
    for entry in release["prompts"]:
        if entry["key"] == "chat/draft":
            (tmp_path / object_name(entry["prompt"][7:], ".json")).unlink()
    assert prompts["briefs/draft"].system(name="x") == "Hello x!"
    with pytest.raises(errors.Damaged, match="missing"):
        prompts["chat/draft"]


def test_threads_that_ask_at_once_get_the_same_objects() -> None:
    for _ in range(20):
        prompts = frozenctx.load(files(A))
        barrier = threading.Barrier(8)
        got: list[tuple[Any, str]] = []

        def ask(prompts: frozenctx.Prompts = prompts, barrier: threading.Barrier = barrier,
                got: list[tuple[Any, str]] = got) -> None:  # fmt: skip
            barrier.wait()
            prompt = prompts["briefs/draft"]
            got.append((prompt, prompt.system(name="x")))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 8
        assert {id(prompt) for prompt, _ in got} == {id(prompts["briefs/draft"])}
        assert {text for _, text in got} == {"Hello x!"}


# Where from


def test_a_directory_a_zip_and_memory_give_the_same(tmp_path: Path) -> None:
    content = files(A, B)
    out = write(tmp_path / "out", content)
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        for inside in ("", "deep/prompts/"):
            with zipfile.ZipFile(tmp_path / "app.zip", "w", method) as archive:
                archive.writestr("other.txt", "x")
                for name, data in content.items():
                    archive.writestr(inside + name, data)
            prompts = frozenctx.load(tmp_path / "app.zip" / inside, verify=True)
            assert prompts["briefs/draft"].system(name="zip") == "Hello zip!"
            assert prompts.digest == frozenctx.load(out).digest == frozenctx.load(content).digest
            assert prompts.source == "objects"


def test_a_zip_behind_a_script_head_is_read(tmp_path: Path) -> None:
    plain, app = tmp_path / "plain.zip", tmp_path / "app.pyz"
    with zipfile.ZipFile(plain, "w") as archive:
        for name, data in files(A).items():
            archive.writestr("prompts/" + name, data)
    app.write_bytes(b"#!/usr/bin/env python3\n" + plain.read_bytes())
    assert frozenctx.load(app / "prompts")["briefs/draft"].system(name="x") == "Hello x!"


def test_a_replaced_zip_means_nothing_to_who_has_it_open(tmp_path: Path) -> None:
    def make(*packages: Any) -> None:
        with zipfile.ZipFile(tmp_path / "new.zip", "w") as archive:
            for name, data in files(*packages).items():
                archive.writestr("p/" + name, data)
        os.replace(tmp_path / "new.zip", tmp_path / "app.zip")

    make(A)
    prompts = frozenctx.load(tmp_path / "app.zip/p")
    make(C)
    assert prompts["briefs/draft"].system(name="x") == "Hello x!"
    assert list(frozenctx.load(tmp_path / "app.zip/p")) == ["chat/title"]


def test_every_flipped_byte_of_a_small_zip_is_one_of_our_errors_or_means_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files(C).items():
            archive.writestr(name, data)
    whole = path.read_bytes()
    for index in range(len(whole)):
        path.write_bytes(whole[:index] + bytes([whole[index] ^ 0x55]) + whole[index + 1 :])
        try:
            assert frozenctx.load(path, verify=True)["chat/title"].system() == "title"
        except frozenctx.FrozenctxError:
            pass


def test_an_index_of_a_zip_that_says_more_than_the_file_holds_takes_no_memory(tmp_path: Path) -> None:
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
            for name, data in sorted(with_pack(C).items()):
                archive.writestr(name, data)
        whole = (tmp_path / "a.zip").read_bytes()
        with zipfile.ZipFile(tmp_path / "a.zip") as archive:
            at = archive.start_dir
            count = len(archive.infolist())
        files_damaged = []
        for _ in range(count):
            for field in (20, 24, 42):  # size in the file, size, where its header is
                start = at + field
                files_damaged.append(whole[:start] + b"\xf0\xff\xff\xff" + whole[start + 4 :])
            at += 46 + sum(int.from_bytes(whole[at + field : at + field + 2], "little") for field in (28, 30, 32))
        for number, data in enumerate(files_damaged):
            (tmp_path / f"{number}.zip").write_bytes(data)
        code = """
import resource, sys
import frozenctx
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
for path in sys.argv[1:]:
    for pack in (None, "never"):
        try:
            assert frozenctx.load(path, pack=pack)["chat/title"].system() == "title"
        except frozenctx.FrozenctxError as error:
            print(type(error).__name__)
"""
        paths = [str(tmp_path / f"{number}.zip") for number in range(len(files_damaged))]
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "runtime")}
        done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, env=environment)
        assert (done.returncode, done.stderr) == (0, "")
        assert set(done.stdout.split()) == {"Damaged"}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX only")
def test_a_descriptor_that_somebody_closed_and_another_file_got_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path / "out", with_pack(C))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name, data in with_pack(C).items():
            archive.writestr(name, data)
    code = """
import gc, os, sys
import frozenctx
old = [frozenctx.load(path, pack="require") for path in sys.argv[1:]]
texts = [prompts["chat/title"].system() for prompts in old]
os.closerange(3, 100)  # as a daemon does at its start
new = [frozenctx.load(path, pack="require") for path in sys.argv[1:]]  # the same files, with numbers of the old ones
gone = [frozenctx.load(path, pack="require") for path in sys.argv[1:] * 2]
os.closerange(gone[0]._release.contents.file.descriptor, 100)
files = [os.open("/dev/null", os.O_RDONLY) for _ in range(2)]  # with two of the numbers
old = gone = None
gc.collect()
for file in files:
    os.fstat(file)
print([prompts["chat/title"].system() for prompts in new])
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "runtime")}
    command = [sys.executable, "-c", code, str(tmp_path / "out"), str(tmp_path / "a.zip")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.stdout, done.stderr) == ("['title', 'title']\n", "")


def test_a_relative_path_survives_a_change_of_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "out", files(A))
    monkeypatch.chdir(tmp_path)
    prompts = frozenctx.load("out")
    monkeypatch.chdir("/")
    assert prompts["briefs/draft"].system(name="x") == "Hello x!"


def test_the_file_systems_own_links_are_followed(tmp_path: Path) -> None:
    write(tmp_path / "..2024" , files(A))
    (tmp_path / "..data").symlink_to("..2024")
    (tmp_path / "prompts").mkdir()
    for name in ("profiles", "objects"):
        (tmp_path / "prompts" / name).symlink_to(f"../..data/{name}")
    assert frozenctx.load(tmp_path / "prompts")["briefs/draft"].system(name="x") == "Hello x!"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_after_fork_a_zip_is_read_by_many_processes_at_once(tmp_path: Path) -> None:
    packages = [package(f"p{n}", literal=f"text {n}") for n in range(40)]
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files(*packages).items():
            archive.writestr(name, data)
    prompts = frozenctx.load(tmp_path / "a.zip")
    children = []
    for _ in range(6):
        child = os.fork()
        if child == 0:
            good = False
            try:
                good = all(prompts[f"p{n}"].system() == f"text {n}" for n in range(40))
            finally:
                os._exit(0 if good else 1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6


@pytest.mark.parametrize("wrong", [3, b"bytes", None])
def test_a_path_of_another_type_is_a_type_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match="the path to load is"):
        frozenctx.load(wrong)


# What is refused


def test_a_source_tree_says_so_and_names_both_ways_out(tmp_path: Path) -> None:
    (tmp_path / "a" / "b.ctx").mkdir(parents=True)
    for path in (tmp_path, tmp_path / "a", tmp_path / "a" / "b.ctx"):
        with pytest.raises(errors.NotArtifacts) as caught:
            frozenctx.load(path)
        assert "holds prompt sources" in str(caught.value)
        assert "`frozenctx build" in str(caught.value)
        assert "`frozenctx_compiler.load(" in str(caught.value)


def test_a_path_without_artifacts_says_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(errors.NotArtifacts, match="does not exist"):
        frozenctx.load(tmp_path / "no")
    with pytest.raises(errors.NotArtifacts, match="holds no artifacts"):
        frozenctx.load(tmp_path)
    (tmp_path / "x.zip").write_bytes(b"not a zip")
    with pytest.raises(errors.NotArtifacts, match="x.zip` is neither an output directory nor a zip file nor a pack"):
        frozenctx.load(tmp_path / "x.zip" / "prompts")
    with zipfile.ZipFile(tmp_path / "y.zip", "w") as archive:
        archive.writestr("other.txt", "x")
    with pytest.raises(errors.NotArtifacts, match="holds no artifacts .* in the zip file"):
        frozenctx.load(tmp_path / "y.zip" / "prompts")
    (pack,) = (data for name, data in with_pack(C).items() if name.startswith("packs/"))
    (tmp_path / "x.bin").write_bytes(pack)
    with pytest.raises(errors.NotArtifacts, match="x.bin` is a pack; rename it: .* ends in `.pack`"):
        frozenctx.load(tmp_path / "x.bin")
    with pytest.raises(errors.NotArtifacts, match="does not exist"):
        frozenctx.load(tmp_path / "x.pack")
    (tmp_path / "x.pack").write_bytes(b"")
    with pytest.raises(errors.Damaged, match="does not begin as a pack does"):
        frozenctx.load(tmp_path / "x.pack")


def test_what_may_not_be_read_says_so_and_not_that_it_does_not_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "x.zip").write_bytes(b"")
    posix_open, stat = frozenctx.pack.Directory.file, os.stat

    def refuse(self: Any, name: str) -> Any:
        with monkeypatch.context() as patched:
            patched.setattr("posix.open", lambda *_: (_ for _ in ()).throw(PermissionError(13, "Permission denied")))
            return posix_open(self, name)

    monkeypatch.setattr(frozenctx.pack.Directory, "file", refuse)
    for path in ("x.zip", "x.zip/prompts"):
        with pytest.raises(errors.LoadError, match="x.zip` cannot be read: Permission denied"):
            frozenctx.load(tmp_path / path)
    monkeypatch.undo()

    def hidden(path: Any, *args: Any, **options: Any) -> Any:
        if "hidden" in os.fsdecode(path):
            raise PermissionError(13, "Permission denied")
        return stat(path, *args, **options)

    monkeypatch.setattr(os, "stat", hidden)
    with pytest.raises(errors.LoadError, match="hidden/prompts` cannot be read: Permission denied"):
        frozenctx.load(tmp_path / "hidden" / "prompts")


def directories(tmp_path: Path) -> dict[str, Path]:
    """Output directories, and what is none, by what is odd about them."""
    found = {"nothing": tmp_path / "nothing", "": Path(""), "é": tmp_path / "é", "NUL": Path("a\0b")}
    for name in ("usual", "several", "none", "stray", "other", "cut", "another", "host", "é"):
        stored(tmp_path / name, A)
        found[name] = tmp_path / name
    stored(found["several"], B, profile="two")
    (found["none"] / "profiles" / "default").unlink()
    (found["stray"] / "profiles" / ".default.swp").write_text("")
    (found["other"] / "profiles" / "default").rename(found["other"] / "profiles" / ".default")
    (found["cut"] / "profiles" / "default").write_text("frozenctx 1 sha256:")
    stored(found["host"], package("m", "{{ 1 | money }}"))
    (pack,) = (found["another"] / "packs").iterdir()
    stored(found["another"], B)
    for other in (found["another"] / "packs").iterdir():
        if other != pack:
            other.write_bytes(pack.read_bytes())
    return found


@pytest.mark.parametrize("profile", [None, "default", "two", "none", ".default", "../objects", 3])
def test_a_path_that_is_a_str_and_one_that_is_none_lead_to_the_same(tmp_path: Path, profile: Any) -> None:
    # An output directory with a pack, given as a str, is opened by a way of its own.
    for odd, path in directories(tmp_path).items():
        said: list[tuple[object, ...]] = []
        for given in (str(path) if odd else "", path if odd else type("Text", (str,), {})("")):
            try:
                prompts = frozenctx.load(given, profile=profile)
                said.append((prompts.digest, prompts.profile, prompts.source, list(prompts)))
            except Exception as error:
                said.append((type(error), str(error)))
        assert said[0] == said[1], odd
        if odd == "usual" and profile in (None, "default"):
            assert said[0][1:] == ("default", "pack", ["briefs/draft"])


def test_wrong_options_are_value_errors() -> None:
    content = files(A)
    with pytest.raises(ValueError, match="extra is 'error' or 'ignore'"):
        frozenctx.load(content, extra="yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pack is None, 'require' or 'never', not 'always'"):
        frozenctx.load(content, pack="always")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="release: expected `sha256:`"):
        frozenctx.load(content, release="latest")
    with pytest.raises(ValueError, match="expect: expected `sha256:`"):
        frozenctx.load(content, expect="abc")


def test_the_one_profile_is_served_and_of_several_one_must_be_named() -> None:
    content = {**files(A, profile="prod"), **files(B, profile="staging")}
    with pytest.raises(errors.UnknownProfile, match="several profiles \\(`prod`, `staging`\\)"):
        frozenctx.load(content)
    assert frozenctx.load(content, profile="prod").profile == "prod"
    assert list(frozenctx.load(content, profile="staging")) == ["chat/draft"]
    for name in ("dev", "../profiles/prod", "", ".lock"):
        with pytest.raises(errors.UnknownProfile, match="it has `prod`, `staging`"):
            frozenctx.load(content, profile=name)


def test_expect_pins_the_release() -> None:
    content = files(A)
    digest = frozenctx.load(content).digest
    assert frozenctx.load(content, expect=digest).digest == digest
    with pytest.raises(errors.ReleaseMismatch, match=digest):
        frozenctx.load(content, expect="sha256:" + "0" * 64)


def test_an_old_release_is_loaded_by_its_digest(tmp_path: Path) -> None:
    old = stored(tmp_path, A)
    stored(tmp_path, C)
    prompts = frozenctx.load(tmp_path, release=f"sha256:{old.release}")
    assert (list(prompts), prompts.profile, prompts.is_current()) == (["briefs/draft"], None, False)
    assert list(frozenctx.load(tmp_path)) == ["chat/title"]
    with pytest.raises(errors.ReleaseGone):
        frozenctx.load(tmp_path, release="sha256:" + "1" * 64)


def test_is_current_follows_the_profile(tmp_path: Path) -> None:
    stored(tmp_path, A)
    prompts = frozenctx.load(tmp_path)
    assert prompts.is_current()
    stored(tmp_path, C)
    assert not prompts.is_current()
    assert prompts["briefs/draft"].system(name="x") == "Hello x!"


def test_an_unknown_need_is_refused_naming_the_version_that_has_it() -> None:
    content = release_of(files(A), needs=["time-travel 7.1"])
    with pytest.raises(errors.UnsupportedFormat) as caught:
        frozenctx.load(content)
    assert f"`time-travel`, which frozenctx 7.1 has; this is frozenctx {VERSION}" in str(caught.value)


def test_an_unknown_format_is_refused_naming_the_version_that_has_it() -> None:
    content = release_of(files(A), format=2, needs=["format-2 2.0"])
    with pytest.raises(errors.UnsupportedFormat, match=r"`format-2`, which frozenctx 2\.0 has"):
        frozenctx.load(content)
    content["profiles/default"] = content["profiles/default"].replace(b"frozenctx 1 ", b"frozenctx 2 ")
    with pytest.raises(errors.UnsupportedFormat, match=r"`format-2`, which frozenctx 2\.0 has"):
        frozenctx.load(content)
    with pytest.raises(errors.UnsupportedFormat, match="format 3, which a later frozenctx has"):
        frozenctx.load(release_of(files(A), format=3))


def test_unknown_fields_are_ignored() -> None:
    content = release_of(files(A), novelty={"x": 1})
    assert frozenctx.load(content)["briefs/draft"].system(name="x") == "Hello x!"


@pytest.mark.parametrize(
    "changes",
    [
        {"prompts": {}},
        {"prompts": [{}]},
        {"prompts": ["x"]},
        {"prompts": [{"key": 1, "name": "n", "version": "v", "prompt": "p"}]},
        {"format": "1"},
        {"needs": None},
        {"needs": [1]},
        {"hostNames": {"thing:x": []}},
        {"hostNames": 3},
        {"hostNames": None},
        {"hostNames": ["filter:x"]},
        {"hostNames": {"filter:x": 5}},
        {"hostNames": {"filter:x": None}},
        {"hostNames": {"filter:x": [5]}},
    ],
)
def test_a_release_of_another_shape_is_damaged(changes: dict[str, Any]) -> None:
    with pytest.raises(errors.LoadError):
        frozenctx.load(release_of(files(A), **changes))


@pytest.mark.parametrize("name", ["../../../etc/passwd", "sha256:" + "../" * 21 + "x", "sha256:" + "A" * 64, 7])
def test_names_stored_in_artifacts_cannot_lead_outside(name: Any) -> None:
    entry = {"key": "k", "name": "n", "version": "v", "prompt": name}
    prompts = frozenctx.load(release_of(files(A), prompts=[entry]))
    with pytest.raises(errors.Damaged, match="is no digest"):
        prompts["k"]


def test_every_flipped_byte_of_a_small_release_is_one_of_our_errors() -> None:
    content = files(package("a", "Hi {{ n }}", literal=""))
    for name, whole in content.items():
        for index in range(len(whole)):
            for flip in (0x01, 0x20, 0x80):
                damaged = whole[:index] + bytes([whole[index] ^ flip]) + whole[index + 1 :]
                with pytest.raises(errors.LoadError):
                    frozenctx.load({**content, name: damaged})["a"].system(n=1)
    for name, whole in content.items():
        for damaged in (b"", whole[:-1], whole + b"\n", whole[:10]):
            with pytest.raises(errors.LoadError):
                frozenctx.load({**content, name: damaged})["a"].system(n=1)


def test_swapped_objects_are_damaged() -> None:
    content = files(A, B, C)
    names = [name for name in content if name.startswith("objects/")]
    for one in names:
        for other in names:
            if one < other:
                swapped = {**content, one: content[other], other: content[one]}
                with pytest.raises(errors.Damaged):
                    frozenctx.load(swapped, verify=True)


def test_verify_reads_everything_and_checks_that_versions_are_true() -> None:
    content = files(A, B)
    assert len(frozenctx.load(content, verify=True)) == 2
    release = json.loads(content[object_name(content["profiles/default"].decode()[19:83], ".json")])
    prompt = json.loads(content[object_name(release["prompts"][0]["prompt"][7:], ".json")])
    lie = {**prompt, "identity": {**prompt["identity"], "model": "other"}}
    data = json.dumps(lie).encode()
    digest = sha256_hex(data)
    entry = {**release["prompts"][0], "prompt": f"sha256:{digest}"}
    lying = release_of({**content, object_name(digest, ".json"): data}, prompts=[entry])
    assert frozenctx.load(lying)["briefs/draft"].system(name="x") == "Hello x!"
    with pytest.raises(errors.Damaged, match="its version is not"):
        frozenctx.load(lying, verify=True)


# The host


def test_what_packages_need_of_the_host_must_be_given() -> None:
    content = files(
        package("a", "{{ 3 | money }} {{ site }} {{ 1 is vip }}"),
        package("b", literal="", system_render="corp/system", user_render="corp/user"),
        package("c", "{{ 1 | money }}"),
    )
    with pytest.raises(errors.HostNamesMissing) as caught:
        frozenctx.load(content)
    for part in ("the filter `money` (`a`, `c`)", "the global `site` (`a`)", "the test `vip` (`a`)",
                 "the renderer `corp/system` (`b`)", "the renderer `corp/user` (`b`)"):  # fmt: skip
        assert part in str(caught.value)
    prompts = frozenctx.load(
        content,
        filters={"money": lambda value: f"${value}", "spare": str},
        tests={"vip": lambda value: value == 1},
        globals={"site": "example"},
        renderers={"corp/system": lambda variables: f"s{variables['x']}", "corp/user": lambda variables: "u"},
    )
    assert prompts["a"].system() == "$3 example True"
    assert [m["content"] for m in prompts["b"].messages(x=1)] == ["s1", "u"]


def test_a_renderer_must_be_callable_and_give_text_and_cannot_change_the_variables() -> None:
    content = files(package("b", literal="", system_render="r", user_render="r"))
    with pytest.raises(TypeError, match="the renderer `r` is not callable"):
        frozenctx.load(content, renderers={"r": "text"})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match="the renderer `r` returned int, not str"):
        frozenctx.load(content, renderers={"r": lambda variables: 3})["b"].system()  # type: ignore[dict-item, return-value]
    popping = frozenctx.load(content, renderers={"r": lambda variables: variables.pop("x")})["b"]
    assert [m["content"] for m in popping.messages(x="t")] == ["t", "t"]


@pytest.mark.parametrize(("option", "name"), [("filters", "upper"), ("tests", "odd"), ("globals", "range")])
def test_a_built_in_cannot_be_replaced(option: str, name: str) -> None:
    options: dict[str, Any] = {option: {name: lambda value: value}}
    with pytest.raises(ValueError, match=f"`{name}` is built in"):
        frozenctx.load(files(A), **options)


def test_a_global_that_no_package_needs_is_not_seen_by_templates() -> None:
    prompts = frozenctx.load(files(package("a", "{{ surprise }}")), globals={"surprise": 1})
    with pytest.raises(errors.UndefinedError):
        prompts["a"].system()


# Declared variables (what the compiler of a later version stores)


@pytest.mark.parametrize(
    "changes",
    [
        {"key": "other"},
        {"version": "briefs/draft@v000000000000"},
        {"identity": []},
        {"settings": {}},
        {"settings": {"model": 3}},
        {"settings": {"model": "m", "tools": "t"}},
        {"messages": 3},
        {"messages": []},
        {"messages": ["system"]},
        {"messages": [{"role": "system"}]},
        {"messages": [{"role": "user", "text": "x"}]},
        {"messages": [{"role": [], "text": "x"}]},
        {"messages": [{"role": "system", "text": 3}]},
        {"messages": [{"role": "system", "program": "sha256:../../../x"}]},
        {"templates": ["p.j2"]},
        {"templates": {"p.j2": "../x"}},
        {"templates": {"p.j2": "sha256:" + "0" * 64}},
        {"meta": "x"},
        {"inputSchema": [1]},
        {"inputSchema": []},
        {"inputSchema": {"properties": 5}},
        {"inputSchema": {"properties": ["name"]}},
        {"inputSchema": {"properties": {"name": {}}, "required": 5}},
        {"inputSchema": {"properties": {"name": {}}, "required": [5, []]}},
        {"inputDefaultValues": [1]},
        {"hostNames": "filter:x"},
        {"hostNames": [5]},
        {"settings": {"model": "m", "tools": [[]]}},
    ],
)
def test_a_prompt_of_another_shape_is_damaged(changes: dict[str, Any]) -> None:
    with pytest.raises(errors.Damaged):
        frozenctx.load(prompt_of(files(A), changes))["briefs/draft"].messages(name="x")


@pytest.mark.parametrize("text", [b"", b"\xff", b"not a program\n", b"\nFILE = 'x'\ndef (\n", b"\nFILE = 'x'\n\0\n"])
def test_a_program_that_is_none_is_one_of_our_errors(text: bytes) -> None:
    digest = sha256_hex(text)
    changes = {"messages": [{"role": "system", "program": f"sha256:{digest}"}]}
    content = {**prompt_of(files(A), changes), object_name(digest, ".py"): text}
    for verify in (False, True):
        with pytest.raises(frozenctx.FrozenctxError):
            frozenctx.load(content, verify=verify)["briefs/draft"].system(name="x")


def test_with_an_input_schema_missing_and_undeclared_variables_are_errors_before_rendering() -> None:
    schema = {"type": "object", "properties": {"title": {}, "tone": {}}, "required": ["title"]}
    content = prompt_of(files(package("a", "{{ title }}{{ ghost }}")), {"inputSchema": schema})
    prompt = frozenctx.load(content)["a"]
    assert prompt.input_schema == schema
    with pytest.raises(errors.VariablesError) as caught:
        prompt.messages(titel=1)
    assert str(caught.value) == "`a` needs `title` and does not declare `titel`; did you mean `title`?"
    assert (caught.value.missing, caught.value.undeclared) == (("title",), ("titel",))
    with pytest.raises(errors.VariablesError, match="does not declare `a`, `titel`; did you mean `title`"):
        prompt.messages(a=1, titel=1)
    assert (caught.value.key, caught.value.version) == ("a", prompt.version)
    lenient = frozenctx.load(content, extra="ignore")["a"]
    assert lenient.messages(title=1, ghost=2)[0]["content"] == "12"
    with pytest.raises(errors.VariablesError, match="needs `title`"):
        lenient.messages(ghost=2)


# Where it runs


def test_nothing_is_written_and_nothing_is_needed_but_the_standard_library(tmp_path: Path) -> None:
    import shutil

    root = Path(__file__).parents[2]
    shutil.copytree(root / "runtime" / "frozenctx", tmp_path / "vendored" / "prompts_runtime",
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    write(tmp_path / "out", files(A))
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    for flags in (["-I", "-S", "-B"], ["-I", "-S", "-B", "-OO"]):
        code = (
            f"import sys; sys.path.insert(0, {str(tmp_path / 'vendored')!r})\n"
            f"from prompts_runtime import load\n"
            f"print(load({str(tmp_path / 'out')!r})['briefs/draft'].system(name='x'))\n"
        )
        done = subprocess.run([sys.executable, *flags, "-c", code], capture_output=True, text=True, cwd="/", env={})
        assert (done.stdout, done.stderr) == ("Hello x!\n", "")
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before


def test_the_digest_of_a_release_is_that_of_its_bytes() -> None:
    made = emitted(A, B)
    assert sha256_hex(made.objects[made.release]) == made.release
    assert json.loads(made.objects[made.release])["format"] == FORMAT
