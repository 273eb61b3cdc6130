"""What a plain YAML scalar means, and whether it means the same to everybody (CTX-FORMAT §3, one meaning per scalar).

In: a composed scalar node. Out: its value, or the two values it has: the one of PyYAML, which reads YAML 1.1, and the
one of the YAML 1.2 core schema, which Yglu's parser and most other languages read. The invariant: `Meanings.agree` is
true exactly when both give the same type and the same value, so an author's file never depends on who reads it.
"""

import math
import re
from typing import NamedTuple

import yaml
from yaml.constructor import SafeConstructor

_PREFIX = "tag:yaml.org,2002:"
NULL, BOOL, INT, FLOAT, STR = (_PREFIX + name for name in ("null", "bool", "int", "float", "str"))
TIMESTAMP, MERGE, VALUE = (_PREFIX + name for name in ("timestamp", "merge", "value"))
# Styles that `yamltree.compose` gives to unquoted scalars with a tag; PyYAML keeps no trace of one.
TAGGED = "!!"  # an explicit core tag
FORCED = "!"  # the tag `!`: a string to the specification, nothing to PyYAML

# YAML 1.2.2, section 10.3.2, the core schema's tag resolution.
_NULL_12 = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL_12 = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT_12 = re.compile(r"[-+]?[0-9]+\Z")
_OCTAL_12 = re.compile(r"0o[0-7]+\Z")
_HEX_12 = re.compile(r"0x[0-9a-fA-F]+\Z")
_FLOAT_12 = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")
_INF_12 = re.compile(r"([-+]?)\.(?:inf|Inf|INF)\Z")
_NAN_12 = re.compile(r"\.(?:nan|NaN|NAN)\Z")

_NUMERIC_START = frozenset("-+.0123456789")  # text to YAML 1.1 that can be more to 1.2 begins like a number
_MANY_DIGITS = 300  # fewer than any interpreter refuses to read
_pyyaml = SafeConstructor()


class Other:
    """A YAML 1.1 value that is no plain data (a date), or none (`0x_`): the words for it."""

    __slots__ = ("words",)

    def __init__(self, words: str) -> None:
        self.words = words


class Meanings(NamedTuple):
    """Both readings of one plain scalar; `first` is YAML 1.1's (PyYAML's), `second` the 1.2 core schema's."""

    first: object
    second: object

    @property
    def agree(self) -> bool:
        return same(self.first, self.second)

    def dispute(self, text: str) -> str:
        """The headline that says how the two differ."""
        return f"`{text}` is {described(self.first)} in YAML 1.1 and {described(self.second)} in YAML 1.2"


def meanings(node: yaml.ScalarNode) -> Meanings:
    """Both readings of a scalar node whose tag PyYAML has resolved. Quoted and block scalars are strings in both."""
    text: str = node.value
    if not node.style and text.isdigit() and text.isascii() and text[0] != "0" and len(text) < _MANY_DIGITS:
        number = int(text)
        return Meanings(number, number)
    if node.tag == STR and (node.style or (text and text[0] not in _NUMERIC_START)):
        return Meanings(text, text)
    if node.style == FORCED:
        return Meanings(_first(node), text)
    if node.style:
        return Meanings(_first(node), _tagged_second(node.tag, text))
    return Meanings(_first(node), core_schema(text))


def is_text(node: yaml.Node) -> bool:
    """Whether a node that PyYAML took for a string is plainly one: a scalar, ASCII, and a string to everybody.

    What most nodes are, told at a glance; of the others `meanings` says what they mean.
    """
    text: object = node.value
    if type(text) is not str or not text.isascii():
        return False
    return (bool(text) and text[0] not in _NUMERIC_START) or bool(getattr(node, "style", None))


def core_schema(text: str) -> object:
    """The value of an untagged plain scalar in the YAML 1.2 core schema."""
    if text in _NULL_12:
        return None
    if text in _BOOL_12:
        return _BOOL_12[text]
    if _INT_12.match(text):
        return _integer(text, 10)
    if _OCTAL_12.match(text):
        return _integer(text[2:], 8)
    if _HEX_12.match(text):
        return _integer(text[2:], 16)
    if _FLOAT_12.match(text):
        return float(text)
    if found := _INF_12.match(text):
        return -math.inf if found[1] == "-" else math.inf
    if _NAN_12.match(text):
        return math.nan
    return text


def same(first: object, second: object) -> bool:
    """The same type and the same value; nan equals nan, and 0.0 differs from -0.0."""
    if type(first) is not type(second) or isinstance(first, Other):
        return False
    if isinstance(first, float) and isinstance(second, float):
        if math.isnan(first) or math.isnan(second):
            return math.isnan(first) and math.isnan(second)
        return first == second and math.copysign(1, first) == math.copysign(1, second)
    return first == second


def described(value: object) -> str:
    """The value in the words of a message: `750`, `true`, `the string "12:30"`, `a date`."""
    if isinstance(value, Other):
        return value.words
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'the string "{value}"'
    return f"the number {value}"


def _first(node: yaml.ScalarNode) -> object:
    if node.tag == STR:
        return node.value
    if node.tag == TIMESTAMP:
        return Other("a date")
    if node.tag == MERGE:
        return Other("a merge key")
    if node.tag == VALUE:
        return Other("a default value key")
    try:
        return yaml.SafeLoader.yaml_constructors[node.tag](_pyyaml, node)
    except (ValueError, KeyError, IndexError, OverflowError):
        return Other("no value")


def _tagged_second(tag: str, text: str) -> object:
    """A scalar under an explicit core tag: the tag decides, the core schema says how the text is read."""
    if tag == STR:
        return text
    value = core_schema(text)
    if tag == FLOAT and type(value) is int:
        return float(value)
    wanted = {NULL: type(None), BOOL: bool, INT: int, FLOAT: float}.get(tag)
    return value if type(value) is wanted else Other("no value")


def _integer(digits: str, radix: int) -> object:
    try:
        return int(digits, radix)
    except ValueError:  # more digits than the interpreter converts
        return Other("a number too long to read")
