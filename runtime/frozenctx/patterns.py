"""Regular expressions as JSON Schema writes them (ECMA 262), read by Python's `re`.

In: the text of a `pattern`. Out: a compiled expression for `search`, or ValueError with the reason. What both read and
take for different things is rewritten: `$` is the end of the text and nothing before it, `.` stops at each line end of
ECMA, `\\d`, `\\w`, `\\b` are ASCII and `\\s` is not, `\\B` is found in an empty text, `[]` is nothing and `[^]`
anything, a named group has no `P`, two escapes of a surrogate pair are one character, and a group that took no part is
found again anywhere. What one of the two alone reads (`\\p{L}` there, `(?i)` here) is left as it is: `re` has the last
word.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

_SPACES = r"\s\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"  # \s is ASCII here
_PAIR = r"\\u[Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2}"
_TOKEN = _PAIR + r"|\\u\{[0-9A-Fa-f]+\}|\\k<\w+>|\\[1-9][0-9]*|\\.|\[\^?\]|\[\^?|\]|\(\?<(?![=!])|[$.&~|]"
_OUTSIDE = {
    "$": r"\Z",
    ".": r"[^\n\r\u2028\u2029]",
    r"\s": f"[{_SPACES}]",
    r"\S": f"[^{_SPACES}]",
    r"\B": r"(?!\b)",
    "[]": "(?!)",
    "[^]": r"[\x00-\U0010ffff]",
    "(?<": "(?P<",
}
_INSIDE = {r"\s": _SPACES, "[": r"\[", "&": r"\&", "~": r"\~", "|": r"\|"}  # re keeps [[ && ~~ || for later


def compiled(pattern: str) -> "re.Pattern[str]":
    """Return the expression. Raises ValueError when `re` cannot read it."""
    import re

    inside = False

    def token(found: "re.Match[str]") -> str:
        nonlocal inside
        text = found[0]
        if text.startswith(r"\u{"):
            code = int(text[3:-1], 16)
            return rf"\U{code:08x}" if code <= 0x10FFFF else text
        if text[:2] == r"\u" and len(text) == 12:
            return chr(0x10000 + ((int(text[2:6], 16) & 0x3FF) << 10) + (int(text[8:], 16) & 0x3FF))
        if text.startswith(r"\k<"):
            return f"(?({text[3:-1]})(?P={text[3:-1]})|)"
        if text[1:2] in tuple("123456789") and not inside:
            return f"(?({text[1:]}){text}|)"
        if inside:
            if text in ("[]", "[^]"):  # the bracket closes the class that is open
                inside = False
                return text.replace("[", r"\[")
            inside = text != "]"
            return text.replace("[", r"\[") if text[0] == "[" else _INSIDE.get(text, text)
        inside = text in ("[", "[^")
        return _OUTSIDE.get(text, text)

    try:
        return re.compile(re.sub(_TOKEN, token, pattern, flags=re.DOTALL), re.ASCII)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        raise ValueError(str(error)) from error
