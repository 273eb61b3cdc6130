"""The tests of the language (`is odd`). See the package.

In: the value left of `is`, then the arguments; a test marked `pass_environment` takes the environment first. Out: what
counts as true or false. Invariant: result and exception equal those of jinja2 3.1.6, whose function names are kept
because Python puts them into the message of a wrong call. Loading this module imports no other of the library.
"""

from . import Absent, pass_environment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def test_odd(value: "Any") -> "Any":
    return value % 2 == 1


def test_even(value: "Any") -> "Any":
    return value % 2 == 0


def test_divisibleby(value: "Any", num: "Any") -> "Any":
    return value % num == 0


def test_defined(value: "Any") -> bool:
    return not isinstance(value, Absent)


def test_undefined(value: "Any") -> bool:
    return isinstance(value, Absent)


@pass_environment
def test_filter(env: "Any", value: "Any") -> bool:
    return value in env.filters


@pass_environment
def test_test(env: "Any", value: "Any") -> bool:
    return value in env.tests


def test_none(value: "Any") -> bool:
    return value is None


def test_boolean(value: "Any") -> bool:
    return value is True or value is False


def test_false(value: "Any") -> bool:
    return value is False


def test_true(value: "Any") -> bool:
    return value is True


def test_integer(value: "Any") -> bool:
    return isinstance(value, int) and value is not True and value is not False


def test_float(value: "Any") -> bool:
    return isinstance(value, float)


def test_lower(value: "Any") -> bool:
    return str(value).islower()


def test_upper(value: "Any") -> bool:
    return str(value).isupper()


def test_string(value: "Any") -> bool:
    return isinstance(value, str)


def test_mapping(value: "Any") -> bool:
    if isinstance(value, dict):
        return True
    # Where collections.abc has it from: every process with a site has loaded this one, and not that one.
    from _collections_abc import Mapping

    return isinstance(value, Mapping)


def test_number(value: "Any") -> bool:
    if isinstance(value, (int, float, complex)):
        return True
    from numbers import Number

    return isinstance(value, Number)


def test_sequence(value: "Any") -> bool:
    try:
        len(value)
        value.__getitem__  # noqa: B018
    except Exception:
        return False
    return True


def test_sameas(value: "Any", other: "Any") -> bool:
    return value is other


def test_iterable(value: "Any") -> bool:
    try:
        iter(value)
    except TypeError:
        return False
    return True


def test_escaped(value: "Any") -> bool:
    return hasattr(value, "__html__")


def test_in(value: "Any", seq: "Any") -> bool:
    return value in seq
