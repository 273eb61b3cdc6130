"""A Dockerfile, followed step by step without a container engine: each stage is a directory.

COPY copies between them. RUN runs in `sh` on this machine, with `frozenctx` being that of the checkout and the paths
that the Dockerfile makes leading into the directory of its stage; installing packages is left out. What a base image
brings is not there: `python` is the interpreter of the tests.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).parents[2]
OURS = re.compile(r"(?<![\w./])/(?=(?:src|app|image|assemble\.py)\b)")  # the paths that the Dockerfile itself makes


@dataclass
class Stage:
    """One stage: its directory, the base image it names, and what it says of the process to start."""

    base: str
    directory: Path
    environment: dict[str, str] = field(default_factory=dict)
    user: str | None = None
    entrypoint: list[str] = field(default_factory=list)
    copies: int = 0
    ran: list[str] = field(default_factory=list)
    workdir: str = "/"


def instructions(text: str) -> list[tuple[str, str]]:
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in lines)]


def follow(dockerfile: Path, context: Path, work: Path) -> list[Stage]:
    """Follow all instructions; `context` is what `docker build` would be given. Fails as a RUN fails."""
    shims(work / "bin")
    stages: list[Stage] = []
    named: dict[str, Stage] = {}
    for word, rest in instructions(dockerfile.read_text("utf-8")):
        if word == "FROM":
            base, *name = rest.split()
            stage = Stage(base, work / f"stage{len(stages)}")
            stage.directory.mkdir()
            stages.append(stage)
            if name:
                assert name[0].upper() == "AS"
                named[name[1]] = stage
            continue
        stage = stages[-1]
        if word == "WORKDIR":
            stage.workdir = rest
            below(stage, rest).mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            stage.copies += 1
            words = rest.split()
            source = context
            if words[0].startswith("--from="):
                source = named[words.pop(0).removeprefix("--from=")].directory
            ignored = read_ignored(dockerfile) if source == context else []
            copy(source / words[0].lstrip("/"), below(stage, words[1]), ignored)
        elif word == "RUN":
            stage.ran.append(rest)
            if not rest.startswith("pip install"):
                execute(stage, rest, work / "bin")
        elif word == "ENV":
            for pair in shlex.split(rest):
                variable, _, value = pair.partition("=")
                stage.environment[variable] = value
        elif word == "USER":
            stage.user = rest
        elif word == "ENTRYPOINT":
            stage.entrypoint = json.loads(rest)
        else:
            raise AssertionError(f"no test follows {word}")
    return stages


def below(stage: Stage, path: str) -> Path:
    return stage.directory / path.lstrip("/")


def read_ignored(dockerfile: Path) -> list[str]:
    return Path(f"{dockerfile}.dockerignore").read_text("utf-8").splitlines()


def copy(source: Path, target: Path, ignored: list[str]) -> None:
    def ignore(directory: str, names: list[str]) -> set[str]:
        everywhere = [pattern.removeprefix("**/") for pattern in ignored if pattern.startswith("**/")]
        patterns = everywhere + (ignored if directory == str(source) else [])
        return {name for name in names for pattern in patterns if fnmatchcase(name, pattern)}

    if source.is_dir():
        shutil.copytree(source, target, symlinks=True, dirs_exist_ok=True, ignore=ignore)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def execute(stage: Stage, command: str, bin: Path) -> None:
    here = f"{stage.directory}/"
    environment = {name: OURS.sub(lambda _: here, value) for name, value in stage.environment.items()}
    done = subprocess.run(
        ["sh", "-ec", OURS.sub(lambda _: here, command)],
        cwd=below(stage, stage.workdir),
        env={"PATH": f"{bin}:/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, f"RUN {command}\n{done.stdout}{done.stderr}"


def shims(directory: Path) -> None:
    """Make `frozenctx`, the compiler of this checkout, and `python`, an interpreter without any package."""
    directory.mkdir(exist_ok=True)
    roots = ":".join(str(ROOT / name) for name in ("runtime", "artifacts", "compiler"))
    scripts = {
        "frozenctx": f'PYTHONPATH={shlex.quote(roots)} exec {shlex.quote(sys.executable)} -m frozenctx_compiler "$@"',
        "python": f'exec {shlex.quote(sys.executable)} -S "$@"',
        "python3": f'exec {shlex.quote(sys.executable)} -S "$@"',
    }
    for name, script in scripts.items():
        (directory / name).write_text(f"#!/bin/sh\n{script}\n")
        (directory / name).chmod(0o755)
