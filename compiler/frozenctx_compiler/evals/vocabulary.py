"""The types that `eval.py` speaks with: samples, what is expected of them, turns of an agent, and when to stop it.

In: nothing; `standing_in` offers these names as `dotctx` and `dotctx.eval_types`. Out: plain data, and functions that
look at a turn. The fields and their order are those of Julep's dotctx, so that its eval files load unchanged
(CTX-FORMAT §8). The classes are made once per process: samples of two packages are of one class.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Input: TypeAlias = dict[str, Any]  # the variables of the templates; `Input(title="Acme")` makes one
Output: TypeAlias = Any  # whatever the program that runs the evaluation hands to `score`
Score: TypeAlias = float  # from 0.0, wrong, to 1.0, right


@dataclass
class Turn:
    """One turn of an agent: what the model answered, and what became of its tool calls.

    A tool call is a mapping with `name` and `args`, which are a mapping or the JSON text of one.
    """

    output: Output
    tool_calls: list[dict[str, Any]] = field(default_factory=list)
    tool_results: list[Any] = field(default_factory=list)
    content: str | None = None
    refusal: str | None = None


StopFn: TypeAlias = Callable[[Turn, int], bool]  # (the last turn, its number from 1) → whether to stop


def stop_after_turns(max_turns: int) -> StopFn:
    """Stop when so many turns are done. The function that is returned says how many: `.max_turns`."""

    def stop(last: Turn, turn: int) -> bool:
        return turn >= max_turns

    stop.max_turns = max_turns  # type: ignore[attr-defined]
    return stop


def stop_when_terminal_tool(tool_name: str, /, **arguments: Any) -> StopFn:
    """Stop when the last turn called this tool, with these arguments when some are named; others may stand beside."""

    def stop(last: Turn, turn: int) -> bool:
        for call in last.tool_calls:
            if call.get("name") == tool_name:
                given = _arguments(call)
                if all(name in given and given[name] == value for name, value in arguments.items()):
                    return True
        return False

    return stop


def stop_when_non_tool(*, allow_text_with_tools: bool = True) -> StopFn:
    """Stop when the last turn called no tool; without `allow_text_with_tools`, also when it said something beside."""

    def stop(last: Turn, turn: int) -> bool:
        return not last.tool_calls or bool(last.content and not allow_text_with_tools)

    return stop


def any_stop(*stops: StopFn) -> StopFn:
    """Stop when one of these says so; none never does."""
    return lambda last, turn: any(stop(last, turn) for stop in stops)


def all_stop(*stops: StopFn) -> StopFn:
    """Stop when all of these say so."""
    return lambda last, turn: all(stop(last, turn) for stop in stops)


def _arguments(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments of a tool call; {} when they are no mapping."""
    given = call.get("args", call.get("arguments"))
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = None
    return given if isinstance(given, Mapping) else {}


@dataclass
class ExpectedToolCall:
    """A tool call that a reply should hold. `arguments`: None when they do not matter."""

    name: str
    arguments: dict[str, Any] | str | None = None


@dataclass
class Expected:
    """What a reply should hold. With nothing set, that there is a reply at all."""

    content: str | None = None
    tool_calls: list[ExpectedToolCall] | None = None
    refusal: str | None = None


_FIRST_TURN = stop_after_turns(1)


@dataclass
class Sample:
    """One case of an evaluation: the variables that the prompt is rendered with, and what is expected.

    `expected`: None when any reply will do. `mock_tools`: tool name → its result, or a MockToolConfig. `stop_on`: when
    an agent has done enough. `expected_calls`: groups of tool calls, one for each turn. `tags`: words to select by.
    """

    input: Input
    expected: Expected | None = None
    mock_tools: dict[str, Any] = field(default_factory=dict)
    stop_on: StopFn = field(default_factory=lambda: _FIRST_TURN)
    expected_calls: list[list[dict[str, Any]]] | None = None
    tags: list[str] = field(default_factory=list)
    name: str | None = None


@dataclass
class MockToolConfig:
    """What a tool that is not really called answers: of `match`, pairs of arguments and result, the first whose
    arguments are among those of the call; `default` when there are some and none fits. Without `match`, the
    `responses` in turn, again from the first after the last; without those, `default`.
    """

    match: list[tuple[dict[str, Any], Any]] = field(default_factory=list)
    default: Any = None
    responses: list[Any] = field(default_factory=list)
