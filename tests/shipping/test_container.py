"""What examples/container shows, done: the stages of the image, the zip file, the volumes, the scripts of profiles."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import frozenctx
import pytest
import yaml
from frozenctx.format import interpreter
from shipping import machine
from shipping.dockerfile import Stage, follow, instructions, shims
from shipping.machine import CONTAINER, NOBODY, ROOT

TITLE = {"key": "chat/title", "variables": {"turns": [{"author": "ada", "text": "Where is my export?"}]}}
TAG = str(sys.implementation.cache_tag)
README = (CONTAINER / "README.md").read_text("utf-8")


# The image


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> list[Stage]:
    """The Dockerfile followed. Its interpreter is that of the tests, so the tag that it requires is replaced."""
    if shutil.which("ldd", path=f"{os.environ.get('PATH', '')}:/usr/bin:/bin") is None:
        pytest.skip("this machine has no ldd")
    work = tmp_path_factory.mktemp("image")
    text = (CONTAINER / "Dockerfile").read_text("utf-8")
    assert "--require-pack cpython-313" in text
    (work / "Dockerfile").write_text(text.replace("cpython-313", TAG))
    shutil.copy(CONTAINER / "Dockerfile.dockerignore", work)
    return follow(work / "Dockerfile", ROOT, work)


def test_the_image_is_made_in_three_stages_and_ships_by_one_copy_without_pip(stages: list[Stage]) -> None:
    build, pack, final = stages
    assert [stage.base for stage in stages] == ["python:3.13", "python:3.13-slim", "scratch"]
    assert any("pip install" in command for command in build.ran)
    assert not any("pip" in command for command in pack.ran)
    assert {path.name for path in (build.directory / "src").iterdir()} >= {"pyproject.toml", "README.md", "LICENSE"}
    assert not (build.directory / "src" / ".git").exists()
    assert not (build.directory / "src" / "tests").exists()
    assert (final.ran, final.copies, final.user) == ([], 1, f"{NOBODY}:{NOBODY}")
    for stage in stages:
        assert "/" not in stage.base  # an ordinary name, no registry


def answers(stages: list[Stage], *requests: dict[str, Any], **how: Any) -> list[dict[str, Any]]:
    final = stages[-1]
    text = "".join(f"{json.dumps(request)}\n" for request in requests)
    done = machine.run(final.directory, *final.entrypoint, environment=final.environment, text=text, **how)
    assert done.stderr == ""
    assert done.returncode == 0
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_service_answers_on_a_machine_that_holds_the_image_alone(stages: list[Stage]) -> None:
    final = stages[-1].directory
    before = machine.files_of(final)
    assert not [name for name, _, _ in before if name.endswith(("/sh", "/bash", "/pip", "/ensurepip"))]
    assert not any((final / name).exists() for name in ("tmp", "proc", "dev", "etc", "home"))
    title, unknown = answers(stages, TITLE, {"key": "chat/titel", "variables": {}})
    assert title["messages"][1]["content"] == "Ada: Where is my export?\n"
    assert title["version"].startswith("chat/title@v")
    assert "did you mean `chat/title`" in unknown["error"]
    assert machine.files_of(final) == before


def test_the_service_answers_from_a_read_only_root_to_another_user(stages: list[Stage]) -> None:
    (title,) = answers(stages, TITLE, read_only=True)
    assert title["messages"][1]["content"] == "Ada: Where is my export?\n"
    (again,) = answers(stages, TITLE, user=NOBODY)
    assert again == title


def test_the_service_starts_with_the_release_it_is_told_or_not_at_all(stages: list[Stage]) -> None:
    final = stages[-1]
    (title,) = answers(stages, TITLE)
    for release, fits in ((title["release"], True), (f"sha256:{'0' * 64}", False)):
        environment = {**final.environment, "RELEASE": release}
        done = machine.run(final.directory, *final.entrypoint, environment=environment)
        assert (done.returncode == 0) is fits
        assert ("ReleaseMismatch" in done.stderr) is not fits


def test_every_instruction_of_the_dockerfile_is_one_that_is_followed() -> None:
    words = {word for word, _ in instructions((CONTAINER / "Dockerfile").read_text("utf-8"))}
    assert words <= {"FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT"}


# Commands of the README


def commands(start: str) -> list[str]:
    """The lines of the README's sh blocks that begin with a word."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if start in line]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The examples, and a shell in which `frozenctx` and `python` are there."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    shims(tmp_path / "bin")
    return tmp_path


def shell(checkout: Path, *lines: str, **environment: str) -> str:
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(lines)],
        cwd=checkout,
        env={"PATH": f"{checkout / 'bin'}:/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def bare(code: str, *arguments: object, cwd: str = "/") -> str:
    command = [sys.executable, "-I", "-S", "-B", "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=cwd, env={}, timeout=60)
    assert done.stderr == ""
    return done.stdout


def test_every_command_of_the_readme_is_run_by_a_test_here_or_needs_a_container_engine() -> None:
    run = [*commands("docker "), *commands("make_zip"), *commands("configmap.py"), *commands("profiles/")]
    assert set(run) | set(commands("frozenctx build")) == set(commands(""))


# The zip file

CALL = """
import json, sys
sys.path.insert(0, sys.argv[1])
from handler import handler, prompts
print(json.dumps([handler(json.loads(sys.argv[2]), None), prompts.source]))
"""


def test_the_zip_file_of_a_function_works_unpacked_and_read_only_and_as_it_is(checkout: Path) -> None:
    build, make = [*commands("frozenctx build")[:1], *commands("make_zip")]
    shell(checkout, build, make)
    packed = checkout / "dist" / "function.zip"
    first = packed.read_bytes()
    os.utime(checkout / "dist/prompts/profiles/default", (1, 1))
    shell(checkout, make)
    assert packed.read_bytes() == first
    unpacked = checkout / "task"
    with zipfile.ZipFile(packed) as archive:
        archive.extractall(unpacked)
        assert not any(name.startswith("prompts/records") for name in archive.namelist())
    for path in [*unpacked.rglob("*"), unpacked]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    for place in (unpacked, packed):
        answer, source = json.loads(bare(CALL, place, json.dumps(TITLE)))
        assert answer["messages"][1]["content"] == "Ada: Where is my export?\n"
        assert source == "pack"
    for path in [unpacked, *unpacked.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_an_output_without_runtime_makes_no_zip_file(checkout: Path) -> None:
    shell(checkout, "frozenctx build examples/prompts -o dist/prompts")
    with pytest.raises(AssertionError, match="build it with --vendor-runtime"):
        shell(checkout, *commands("make_zip"))


# Kubernetes


def test_a_config_map_holds_a_pack_that_loads_where_kubernetes_mounts_it(checkout: Path) -> None:
    (line,) = commands("configmap.py")
    shell(checkout, commands("frozenctx build")[0], line.replace("cpython-313", TAG))
    (manifest,) = yaml.safe_load_all((checkout / "dist/prompts.yaml").read_text("utf-8"))
    release = manifest["metadata"]["annotations"]["frozenctx/release"]
    assert (manifest["kind"], manifest["immutable"]) == ("ConfigMap", True)
    assert manifest["metadata"]["name"] == f"prompts-{release[7:19]}"
    # What the README says of its size, and why `kubectl apply` does not take it.
    (size,) = (len(base64.b64decode(data)) for data in manifest["binaryData"].values())
    assert 1 << 18 < size < 400_000
    assert 65 < (1 << 20) // (size // 26) < 95
    # A volume of it: a directory of this time, `..data` that leads there, and a link for each file.
    volume = checkout / "volume"
    (volume / "..2026_01").mkdir(parents=True)
    for name, data in manifest["binaryData"].items():
        (volume / "..2026_01" / name).write_bytes(base64.b64decode(data, validate=True))
        (volume / name).symlink_to(f"..data/{name}")
    (volume / "..data").symlink_to("..2026_01")
    code = """
import sys; sys.path.insert(0, sys.argv[1])
import frozenctx
prompts = frozenctx.load(sys.argv[2], expect=sys.argv[3])
print(prompts["chat/title"].user(turns=[{"author": "ada", "text": "x"}]), len(prompts), prompts.source)
"""
    said = bare(code, ROOT / "runtime", volume / "prompts.pack", release)
    assert said.split() == ["Ada:", "x", "26", "pack"]


def test_a_config_map_of_an_interpreter_without_a_pack_is_refused(checkout: Path) -> None:
    shell(checkout, commands("frozenctx build")[0])
    with pytest.raises(AssertionError, match="has 0 packs of the release of `default` for cpython-399"):
        shell(checkout, commands("configmap.py")[0].replace("cpython-313", "cpython-399"))


@pytest.mark.parametrize("name", ["configmap.yaml", "volume.yaml"])
def test_a_manifest_mounts_read_only_what_its_environment_names(name: str) -> None:
    documents = list(yaml.safe_load_all((CONTAINER / "kubernetes" / name).read_text("utf-8")))
    (deployment,) = (document for document in documents if document["kind"] == "Deployment")
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    (mount,) = container["volumeMounts"]
    environment = {each["name"]: each["value"] for each in container["env"]}
    assert environment["PROMPTS"].startswith(mount["mountPath"])
    assert mount["readOnly"]
    assert container["securityContext"] == {"readOnlyRootFilesystem": True, "runAsNonRoot": True}
    assert [volume["name"] for volume in pod["volumes"]] == [mount["name"]]
    known = set(re.findall(r'os\.environ(?:\.get\(|\[)"(\w+)"', (CONTAINER / "app/service.py").read_text("utf-8")))
    assert environment.keys() <= known | {"PYTHONPATH"}


# Profiles


def test_a_release_is_promoted_from_one_profile_to_another_and_rolled_back(checkout: Path) -> None:
    out = checkout / "dist/prompts"
    builds, (promote, back) = commands("--profile"), commands("profiles/")
    assert len(builds) == 2
    shell(checkout, *builds)

    def serves(profile: str) -> str:
        return frozenctx.load(out, profile=profile, pack="require").digest

    runtime = str(ROOT / "runtime")
    live, green = serves("live"), serves("green")
    assert live != green
    running = frozenctx.load(out, profile="live")
    shell(checkout, promote, PYTHONPATH=runtime)
    assert (serves("live"), serves("green")) == (green, green)
    assert (running.digest, running.is_current()) == (live, False)
    shell(checkout, back, PYTHONPATH=runtime)
    assert (serves("live"), serves("green"), running.is_current()) == (live, green, True)
    shell(checkout, back, PYTHONPATH=runtime)
    assert serves("live") == green


def test_the_scripts_change_nothing_when_a_release_is_damaged_or_there_is_no_earlier_one(checkout: Path) -> None:
    out = checkout / "dist/prompts"
    runtime = str(ROOT / "runtime")
    builds, (promote, back) = commands("--profile"), commands("profiles/")
    shell(checkout, builds[0])
    live = (out / "profiles/live").read_bytes()

    def refused(command: str, why: str) -> None:
        with pytest.raises(AssertionError, match=why) as caught:
            shell(checkout, command, PYTHONPATH=runtime)
        assert str(caught.value).partition("\nassert ")[0].count("error: ") == 1

    refused(back, "profile live has no earlier release")
    refused(back.replace("live", "other"), "has no profile `other`")
    refused(promote, "has no profile `green`")
    refused(promote.replace("green live", "live green"), "has no profile `green`")
    shell(checkout, builds[1])
    green = frozenctx.load(out, profile="green")
    digest = next(iter(green.values())).digest.removeprefix("sha256:")
    path = out / "objects" / digest[:2] / f"{digest[2:]}.json"
    path.write_bytes(path.read_bytes()[:-1] + b" ")
    with pytest.raises(AssertionError, match="is damaged"):
        shell(checkout, promote, PYTHONPATH=runtime)
    assert (out / "profiles/live").read_bytes() == live


def test_the_interpreter_of_the_tests_keeps_bytecode() -> None:
    assert interpreter() is not None
