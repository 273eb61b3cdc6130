"""docs/commands.md lists every command of the compiler and of the runtime, with all its options."""

import argparse
import re
from pathlib import Path

import click
import pytest
from frozenctx.commands import _parser
from frozenctx_compiler.cli import artifact_options, frozenctx, source_options

PAGE = (Path(__file__).parents[2] / "docs/commands.md").read_text("utf-8")
COMPILER, RUNTIME = PAGE.split("## Without the compiler")
ROW = re.compile(r"^\| `(?P<usage>(?P<name>[a-z]+)[^`]*)` \| (?P<does>[^|]+) \|(?P<options>[^|]*)\|$", re.MULTILINE)


def rows(text: str) -> dict[str, re.Match[str]]:
    return {row["name"]: row for row in ROW.finditer(text)}


def options_in(text: str) -> set[str]:
    return set(re.findall(r"(?<![\w-])--[a-z-]+", text))


def options_of(command: click.Command) -> set[str]:
    return {option.opts[0] for option in command.params if isinstance(option, click.Option)}


SHARED = {
    "source": options_of(source_options(click.Command("any"))),
    "artifact": options_of(artifact_options(click.Command("any"))),
}


def test_every_command_has_a_row_and_every_row_a_command() -> None:
    assert rows(COMPILER).keys() == frozenctx.commands.keys()
    assert rows(RUNTIME).keys() == runtime_commands().keys()


@pytest.mark.parametrize("name", frozenctx.commands)
def test_a_row_has_the_arguments_and_the_options_of_its_command(name: str) -> None:
    command, row = frozenctx.commands[name], rows(COMPILER)[name]
    arguments = [part.metavar for part in command.params if isinstance(part, click.Argument)]
    assert row["usage"].split() == [name, *arguments]
    own = options_of(command)
    for shared in SHARED.values():
        own -= shared if shared <= own else set()
    assert options_in(row["options"]) == own


@pytest.mark.parametrize("shared", SHARED)
def test_the_options_of_several_commands_are_listed_once(shared: str) -> None:
    (line,) = re.findall(rf"^\*The {shared} options\*.*?(?=\n\n)", COMPILER, re.MULTILINE | re.DOTALL)
    assert options_in(line) == SHARED[shared]
    (named,) = re.findall(r"of (.*?):", line)
    takers = {name for name, command in frozenctx.commands.items() if SHARED[shared] <= options_of(command)}
    assert set(re.findall(r"`([a-z]+)`", named)) == takers


def runtime_commands() -> dict[str, argparse.ArgumentParser]:
    (choices,) = (action.choices for action in _parser()._actions if isinstance(action, argparse._SubParsersAction))
    return dict(choices)


@pytest.mark.parametrize("name", runtime_commands())
def test_a_row_of_the_runtime_has_its_options(name: str) -> None:
    actions = runtime_commands()[name]._actions
    options = {option for action in actions for option in action.option_strings if option.startswith("--")}
    assert options_in(rows(RUNTIME)[name]["options"]) == options - {"--help", "--profile", "--release"}
    arguments = [str(action.metavar) for action in actions if not action.option_strings]
    assert [re.sub(r"[\[\].]", "", part) for part in rows(RUNTIME)[name]["usage"].split()[1:]] == arguments
