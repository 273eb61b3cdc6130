"""What evaluating one document may cost: counted, never timed, so that a verdict is the same on every machine.

In: each call of a function, each item that an iterator gives, each value a function takes or gives. Out: nothing, or
`Exceeded`. The invariants: a document ends after `MOST_STEPS` steps, no value is ever larger than what stands below,
and nothing nests deeper than the interpreter's stack allows. docs/expressions.md explains the numbers.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

MOST_STEPS = 20_000  # of one document with all it imports; settings that people write take a few hundred
MOST_TEXT = 200_000  # characters of one value, all its strings together
MOST_WRITTEN = 100_000  # characters of all expressions of one document that have to be read by YAQL
MOST_RESULT = 2_000_000  # characters of all that a document comes to
MOST_VALUES = 50_000  # items of one value, counted as often as they stand in it
MOST_BITS = 4096  # of an integer
DEEPEST_VALUE = 60  # lists in lists
DEEPEST_CALLS = 100  # calls in calls: functions, references from value to value, iterators over iterators
MOST_COMPARISONS = 1_000_000  # of characters, in functions that compare all with all
TEXT_PER_STEP = 100  # characters that are looked at for the price of a call
VALUES_PER_STEP = 10

_LEAVES = (type(None), bool, float)


class Exceeded(BaseException):
    """A limit is passed. The message is a clause about the document: `it takes …`.

    Not an Exception, for YAQL passes over some of those. `where` is the file and the node of what was being read or
    evaluated, once somebody knows.
    """

    where: tuple[str, Any] | None = None


class Budget:
    """What is left to one document."""

    __slots__ = ("depth", "given", "looks", "steps", "written")

    def __init__(self) -> None:
        self.steps = self.depth = self.looks = self.written = self.given = 0

    def step(self, count: int = 1) -> None:
        self.steps += count
        if self.steps > MOST_STEPS:
            raise Exceeded(f"it takes more than {MOST_STEPS:,} steps")

    def look(self) -> None:
        """Pay for one part of a document, which costs less than a call."""
        self.looks += 1
        if self.looks % VALUES_PER_STEP == 0:
            self.step()

    def read(self, length: int) -> None:
        """Pay for an expression of so many characters, before it is read."""
        self.written += length
        if self.written > MOST_WRITTEN:
            raise Exceeded(f"its expressions are longer than {MOST_WRITTEN:,} characters together")

    def give(self, length: int) -> None:
        """Pay for so many characters of the result, which can hold one text many times."""
        self.given += length
        if self.given > MOST_RESULT:
            raise Exceeded(f"it comes to more than {MOST_RESULT:,} characters")

    def enter(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST_CALLS:
            raise Exceeded(f"it goes more than {DEEPEST_CALLS} calls deep")

    def leave(self) -> None:
        self.depth -= 1

    def weigh(self, value: object) -> None:
        """Pay for looking at a value, and refuse it if it is too large."""
        kind = type(value)
        if kind is str:
            self.text(len(value))  # type: ignore[arg-type]
        elif kind is int:
            allow_bits(value.bit_length())  # type: ignore[attr-defined]
        elif kind not in _LEAVES:
            self._weigh_all(value)

    def text(self, length: int) -> None:
        """Pay for a string of so many characters."""
        allow_text(length)
        self.step(length // TEXT_PER_STEP)

    def values(self, count: int) -> None:
        """Pay for a value of so many items."""
        allow_values(count)
        self.step(count // VALUES_PER_STEP)

    def _weigh_all(self, value: object) -> None:
        text = count = 0
        waiting: list[tuple[Any, int]] = [(value, 0)]
        while waiting:
            part, depth = waiting.pop()
            count += 1
            if type(part) is str:
                text += len(part)
            elif type(part) is int:
                allow_bits(part.bit_length())
            else:
                below = _below(part)
                if below is None:
                    continue
                if depth == DEEPEST_VALUE:
                    raise Exceeded(f"it makes a value that is nested more than {DEEPEST_VALUE} levels deep")
                waiting.extend((child, depth + 1) for child in below)
            if text > MOST_TEXT or count + len(waiting) > MOST_VALUES:
                self.text(text)
                self.values(count + len(waiting))
        self.text(text)
        self.values(count)


def allow_text(length: int) -> None:
    """Refuse a string of so many characters, before it is made."""
    if length > MOST_TEXT:
        raise Exceeded(f"it makes a text of more than {MOST_TEXT:,} characters")


def allow_values(count: int) -> None:
    """Refuse a value of so many items, before it is made."""
    if count > MOST_VALUES:
        raise Exceeded(f"it makes a value of more than {MOST_VALUES:,} items")


def allow_bits(bits: int) -> None:
    """Refuse an integer of so many bits, before it is made."""
    if bits > MOST_BITS:
        raise Exceeded(f"it makes an integer of more than {MOST_BITS:,} bits")


def allow_product(first: int, second: int) -> None:
    """Refuse to compare each character of one text with each of another, where that takes too long."""
    if first * second > MOST_COMPARISONS:
        raise Exceeded(f"it compares more than {MOST_COMPARISONS:,} pairs of characters at once")


def _below(part: Any) -> list[Any] | None:
    """The values directly inside one; None for what holds none, or works its own out when it is asked."""
    if type(part) in (tuple, list):
        return part  # type: ignore[no-any-return]
    if type(part) is dict or (isinstance(part, Mapping) and type(part).__name__ == "FrozenDict"):
        return [*part.keys(), *part.values()]
    return None


class Counted:
    """An iterator, each item of which costs a step, however deep the iterators below it are."""

    __slots__ = ("_budget", "_inner")

    def __init__(self, inner: Iterator[Any], budget: Budget) -> None:
        self._inner, self._budget = inner, budget

    def __iter__(self) -> "Counted":
        inner = iter(self._inner)
        return self if inner is self._inner else Counted(inner, self._budget)  # a new one: `memorize` begins anew

    def __next__(self) -> Any:
        self._budget.step()
        self._budget.enter()
        try:
            return next(self._inner)
        finally:
            self._budget.leave()


class Unfit(ValueError):
    """A function does not take what it is given. The message is a clause without any value in it."""


_NAME = "name_of_function"


def failed_in(error: BaseException) -> str | None:
    """The innermost function that raised an error, if one did."""
    return getattr(error, _NAME, None)


def bounded(name: str, function: Callable[..., Any], budget: Budget) -> Callable[..., Any]:
    """`function` with its arguments and its result paid for. What it raises, `failed_in` knows to be of `name`."""

    def run(*args: Any, **named: Any) -> Any:
        budget.step()
        for value in args:
            budget.weigh(value)
        for value in named.values():
            budget.weigh(value)
        try:
            result = function(*args, **named)
        except (ValueError, TypeError, ArithmeticError, IndexError, StopIteration) as error:
            if failed_in(error) is None:
                setattr(error, _NAME, name)
            raise
        if isinstance(result, Iterator) and type(result) is not Counted:
            return Counted(result, budget)
        budget.weigh(result)
        return result

    return run
