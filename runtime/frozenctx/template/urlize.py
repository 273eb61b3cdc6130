"""`urlize`: web and mail addresses in text become links. Loaded at first use, because it needs re.

In: any text. Out: the text, HTML-escaped, with links, equal to jinja2's.
"""

import re

from ..errors import FilterArgumentError
from .markup import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_named = r"(?:https?://|www\.)(?:[\w%-]+\.)*(?:[a-z]{2,63}|xn--[\w%]{2,59})"
_well_known = r"(?:[\w%-]{2,63}\.)+(?:com|edu|gov|info|int|mil|net|org)"
_numbered = r"https?://(?:\d{1,3}(?:\.\d{1,3}){3}|\[(?:[\da-f]{0,4}:){2}(?:[\da-f]{0,4}:?){1,6}\])"
_is_web = re.compile(rf"(?:{_named}|{_well_known}|{_numbered})(?::\d{{1,5}})?(?:[/?#]\S*)?$", re.IGNORECASE).match
_is_mail = re.compile(r"\S+@\w[\w.-]*\.\w+$").match
_is_scheme = re.compile(r"[\w.+-]{2,}:/{0,2}").fullmatch
_opening = re.compile(r"(?:[(<]|&lt;)+").match
_closing = re.compile(r"(?:[)>.,\n]|&gt;)+$").search


def check_scheme(scheme: "Any") -> None:
    """Raise FilterArgumentError unless `scheme` is like `tel:` or `ftp://`."""
    if _is_scheme(scheme) is None:
        raise FilterArgumentError(f"{scheme!r} is not a valid URI scheme prefix.")


def urlize(text: "Any", limit: int | None, rel: str, target: str | None, extra_schemes: "Iterable[str]") -> str:
    """Link the addresses in `text`; `limit` shortens what is shown of a web address."""
    attributes = (f' rel="{escape(rel)}"' if rel else "") + (f' target="{escape(target)}"' if target else "")
    words = re.split(r"(\s+)", str(escape(text)))
    for index, word in enumerate(words):
        before, address, after = apart(word)
        words[index] = before + linked(address, limit, attributes, extra_schemes) + after
    return "".join(words)


def apart(word: str) -> tuple[str, str, str]:
    """Divide `word` into punctuation before an address, the address, and punctuation after it."""
    before = after = ""
    if opening := _opening(word):
        before = opening.group()
        word = word[opening.end() :]
    # Most words do not end so; the search, which is slow on long ones, is then saved.
    if word.endswith((")", ">", ".", ",", "\n", "&gt;")) and (closing := _closing(word)):
        after = closing.group()
        word = word[: closing.start()]
    # A bracket that opens inside the address also closes inside it.
    for start, end in ("(", ")"), ("<", ">"), ("&lt;", "&gt;"):
        opened = word.count(start)
        if opened <= word.count(end):
            continue
        for _ in range(min(opened, after.count(end))):
            cut = after.index(end) + len(end)
            word += after[:cut]
            after = after[cut:]
    return before, word, after


def linked(address: str, limit: int | None, attributes: str, extra_schemes: "Iterable[str]") -> str:
    """Return the link for `address`, or the text itself when it is none."""
    if _is_web(address):
        shown = address if limit is None or len(address) <= limit else f"{address[:limit]}..."
        scheme = "" if address.startswith(("https://", "http://")) else "https://"
        return f'<a href="{scheme}{address}"{attributes}>{shown}</a>'
    if address.startswith("mailto:") and _is_mail(address[7:]):
        return f'<a href="{address}">{address[7:]}</a>'
    if "@" in address and not address.startswith(("www.", "@")) and ":" not in address and _is_mail(address):
        return f'<a href="mailto:{address}">{address}</a>'
    for scheme in extra_schemes:
        if address != scheme and address.startswith(scheme):
            address = f'<a href="{address}"{attributes}>{address}</a>'
    return address
