"""What a program that uses the runtime sees under `mypy --strict`."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONSUMER = '''
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypedDict

import frozenctx
from frozenctx import errors


class SystemMessage(TypedDict, total=False):
    role: Literal["system"]
    content: str


class UserMessage(TypedDict, total=False):
    role: Literal["user"]
    content: str


def create(*, model: str, messages: Iterable[SystemMessage | UserMessage], max_tokens: int | None) -> str:
    return ""


prompts = frozenctx.load("dist/prompts", profile="prod", filters={"money": str}, extra="ignore")
prompt = prompts["briefs/draft"]
create(model=prompt.model_name, messages=prompt.messages(title="x"), max_tokens=prompt.settings.max_tokens)
create(model=prompt.model_name, messages=prompt.messages({"title": 1}, more=2), max_tokens=None)
mapping: Mapping[str, frozenctx.Prompt] = prompts
maybe: frozenctx.Prompt | None = prompts.get("x")
system: str = prompt.system({"a": 1}, b=2)
user: str | None = prompt.user(self=1, vars=2, history=3)
effort: str | None = prompt.settings.reasoning_effort
tools: tuple[str, ...] = prompt.tools
schema: dict[str, Any] = prompt.reply_schema
current: bool = prompts.is_current()
in_memory = frozenctx.load({"profiles/default": b""})
checked = frozenctx.load("dist/prompts", types="check")
title: str = prompt.parse("{}", prose="strip")["title"]
try:
    prompt.parse("{}")
except errors.ReplyError as reply_error:
    feedback: str = reply_error.feedback
    places: list[str] = [pointer for pointer, message in reply_error.problems]
try:
    prompts.named("draft")
except errors.UnknownName as error:
    where: tuple[str | None, int | None] = (error.file, error.line)
'''
WRONG = '''
import frozenctx

prompt = frozenctx.load("x")["y"]
prompt.settings.max_token
prompt.messages([1])
frozenctx.load("x", extra="maybe")
prompt.user().upper()
prompt.parse(b"{}")
prompt.parse("{}", prose="keep")
frozenctx.load("x", types="all")
'''


def mypy(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "consumer.py").write_text(text)
    environment = {**os.environ, "MYPYPATH": str(ROOT / "runtime")}
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), "consumer.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    return [line for line in done.stdout.splitlines() if line.startswith("consumer.py")]


def test_a_consumer_is_clean_under_mypy_strict_and_mistakes_are_seen(tmp_path: Path) -> None:
    assert mypy(tmp_path, CONSUMER) == []
    seen = [line.partition(": error")[0] for line in mypy(tmp_path, WRONG)]
    assert seen == [f"consumer.py:{line}" for line in range(5, 12)]
