"""A build, prune or rollback that is killed at any call to the system leaves the release before whole.

The functions of `os` that change something are wrapped in a child process, which ends itself at the n-th call: before
it, after it, or when a write has written half. For every n, until the child survives.
"""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import frozenctx
import pytest
from frozenctx.switch import rollback
from frozenctx_compiler.store import prune_releases
from handmade import package, stored

OLD = package("a", "old {{ x }}"), package("kept", literal="same")
NEW = package("a", "new {{ x }}{% include 'p' %}", partials={"p": "!"}), package("kept", literal="same")

CHANGING = ("mkdir", "open", "write", "close", "fsync", "sync", "replace", "rename", "unlink", "rmdir")
DEAD = 9


def die_at(last: int, when: str) -> None:
    """Wrap the functions that change something: the call number `last` is the end of this process."""
    calls = 0

    def wrap(name: str) -> Callable[..., Any]:
        function: Callable[..., Any] = getattr(os, name)

        def wrapped(*arguments: Any, **options: Any) -> Any:
            nonlocal calls
            calls += 1
            number = calls
            if number == last and when == "before":
                os._exit(DEAD)
            if number == last and when == "half" and name == "write":
                function(arguments[0], bytes(arguments[1])[: len(arguments[1]) // 2])
                os._exit(DEAD)
            try:
                return function(*arguments, **options)
            finally:
                if number == last:
                    os._exit(DEAD)

        return wrapped

    for name in CHANGING:
        setattr(os, name, wrap(name))


def killed(action: Callable[[Path], object], out: Path, when: str, last: int) -> bool:
    """Run `action(out)` in a child process that dies at call number `last`; return whether it came so far."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            die_at(last, when)
            action(out)
            status = 0
        finally:
            os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in (0, DEAD)
    return status == DEAD


def text_of(out: Path) -> str:
    """The text that the output directory serves, everything in it checked."""
    return frozenctx.load(out, verify=True)["a"].system(x=1)


@pytest.mark.parametrize("when", ["before", "half", "after"])
def test_a_first_build_killed_anywhere_can_be_repeated(tmp_path: Path, when: str) -> None:
    last = 0
    while True:
        last += 1
        out = tmp_path / str(last)
        died = killed(lambda out: stored(out, *NEW), out, when, last)
        try:
            assert text_of(out) == "new 1!"
        except (frozenctx.errors.NotArtifacts, frozenctx.errors.UnknownProfile):
            assert died
        stored(out, *OLD)
        assert text_of(out) == "old 1"
        assert list((out / "tmp").iterdir()) == []
        if not died:
            break
    assert last > 30


@pytest.mark.parametrize("when", ["before", "half", "after"])
@pytest.mark.parametrize("options", [{}, {"prune": True, "keep": 0}], ids=["build", "build and prune"])
def test_a_build_killed_anywhere_leaves_the_old_release_or_the_new_one(
    tmp_path: Path, when: str, options: dict[str, Any]
) -> None:
    stored(tmp_path / "before", *OLD)
    seen = []
    last = 0
    while True:
        last += 1
        out = tmp_path / str(last)
        shutil.copytree(tmp_path / "before", out)
        reader = frozenctx.load(out)
        died = killed(lambda out: stored(out, *NEW, **options), out, when, last)
        seen.append(text_of(out))
        try:
            assert reader["a"].system(x=1) == "old 1"
        except frozenctx.errors.ReleaseGone:
            assert options
        stored(out, *NEW)
        assert text_of(out) == "new 1!"
        if not died:
            break
    switched = seen.index("new 1!")
    assert switched > 10
    assert seen == ["old 1"] * switched + ["new 1!"] * (len(seen) - switched)


@pytest.mark.parametrize("when", ["before", "after"])
def test_prune_killed_anywhere_leaves_the_current_release_and_can_be_repeated(tmp_path: Path, when: str) -> None:
    stored(tmp_path / "before", *OLD)
    stored(tmp_path / "before", *NEW)
    shutil.copytree(tmp_path / "before", tmp_path / "done")
    prune_releases(str(tmp_path / "done"), keep=0)
    expected = sorted(path.relative_to(tmp_path / "done") for path in (tmp_path / "done").rglob("*"))
    last = 0
    while True:
        last += 1
        out = tmp_path / str(last)
        shutil.copytree(tmp_path / "before", out)
        died = killed(lambda out: prune_releases(str(out), keep=0), out, when, last)
        assert text_of(out) == "new 1!"
        prune_releases(str(out), keep=0)
        assert sorted(path.relative_to(out) for path in out.rglob("*")) == expected
        if not died:
            break
    assert last > 10


def test_rollback_killed_anywhere_leaves_one_of_the_two_releases(tmp_path: Path) -> None:
    old = stored(tmp_path / "before", *OLD).release
    stored(tmp_path / "before", *NEW)
    seen = []
    last = 0
    while True:
        last += 1
        out = tmp_path / str(last)
        shutil.copytree(tmp_path / "before", out)
        died = killed(lambda out: rollback(str(out), f"sha256:{old}"), out, "before", last)
        seen.append(text_of(out))
        if not died:
            break
    assert set(seen) == {"new 1!", "old 1"}
    assert seen == sorted(seen)
