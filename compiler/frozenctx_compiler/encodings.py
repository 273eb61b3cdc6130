"""A value in other clothes: the ways in which careless hands encode one, and texts with their encodings taken off.

In: a value, or a text that may hold one. Out: forms to look for, and readings to look in. The invariant: whatever a
text holds of a value, as it is or escaped (as in JSON, Python, YAML, URLs, HTML, up to three times over), reversed, in
hex or in base64 behind any number of bytes, some form of the value is in some reading of the text. Escapes are taken
off the text rather than put on the value: there are many ways to write one and one way to read it. Letters are
compared without their case.
"""

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator
from unicodedata import normalize

DENSE = 6  # characters of a value that is looked for in hex, base64 and reversed: shorter ones are found anywhere
_LAYERS = 3  # of escapes
_HEX = "[0-9A-Fa-f]"
_ESCAPE = re.compile(
    rf"\\(?:u({_HEX}{{4}})|u\{{({_HEX}{{1,6}})\}}|U({_HEX}{{8}})|x({_HEX}{{2}})|([0-7]{{3}})|([abfnrtv\\'\"/\n]))"
)
_PERCENT = re.compile(rf"(?:%{_HEX}{{2}})+")
_ENTITY = re.compile(rf"&(?:#[xX]({_HEX}{{1,8}});?|#([0-9]{{1,9}});?|\w+;?)")
_NAMED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\n": ""}
_WRAPPED = re.compile(r"(?<=[A-Za-z0-9+/_=-]{20})(?:\r?\n|\\r\\n|\\n)[ \t]*(?=[A-Za-z0-9+/_-])")


def forms(value: str) -> tuple[str, ...]:
    """What is looked for in the readings of a text, each without case."""
    found: dict[str, None] = {}
    for text in dict.fromkeys((value, value.strip())):
        if not text:
            continue
        for plain in (text, text.replace("\r\n", "\n"), normalize("NFC", text)):
            written = (plain, plain.upper(), plain.replace("'", "''"), plain.replace(" ", "+"))
            found.update(dict.fromkeys(each.casefold() for each in written))
        if len(text) >= DENSE:
            found.update(dict.fromkeys(each.casefold() for each in _dense(text)))
    return tuple(found)


def _dense(text: str) -> Iterator[str]:
    yield text[::-1]
    for written in dict.fromkeys((text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1])):
        raw = written.encode("utf-8", "surrogatepass")
        yield raw.hex()
        for before in range(3):
            # Characters that also depend on the bytes before and behind are cut off.
            digits = base64.b64encode(b"\0" * before + raw).rstrip(b"=").decode()
            core = digits[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]
            yield core
            yield core.replace("+", "-").replace("/", "_")


def readings(texts: Iterable[str]) -> str:
    """All that the texts say, with and without their escapes, as one text without case."""
    found: dict[str, None] = {}
    for text in dict.fromkeys(texts):
        found.setdefault(text)
        layer = [text]
        for _ in range(_LAYERS):
            layer = [read for each in layer for read in _taken_off(each) if read not in found]
            found.update(dict.fromkeys(layer))
    return "\0".join(found).casefold()


def _taken_off(text: str) -> Iterator[str]:
    """The text with one kind of escape read."""
    if "\\" in text:
        yield _unescaped(text)
    if "%" in text:
        yield _PERCENT.sub(lambda found: bytes.fromhex(found[0].replace("%", "")).decode("utf-8", "replace"), text)
    if "&" in text:
        yield _ENTITY.sub(_entity, text)
    if "\n" in text or "\\n" in text:
        yield _WRAPPED.sub("", text)
    if not text.isascii():
        yield normalize("NFC", text)


def _unescaped(text: str) -> str:
    read = _ESCAPE.sub(_char, text)
    if any("\ud800" <= char <= "\udfff" for char in read):  # halves of pairs, which belong together
        read = read.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return read


def _char(found: re.Match[str]) -> str:
    if found[6]:
        return _NAMED.get(found[6], found[6])
    return _coded(found, int(found[5], 8) if found[5] else int(next(filter(None, found.groups())), 16))


def _entity(found: re.Match[str]) -> str:
    if not found[1] and not found[2]:
        return html.unescape(found[0])
    return _coded(found, int(found[1], 16) if found[1] else int(found[2]))


def _coded(found: re.Match[str], code: int) -> str:
    return chr(code) if code < 0x110000 else found[0]
