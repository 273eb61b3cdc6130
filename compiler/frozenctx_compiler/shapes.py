"""What secrets of known providers look like, wherever they were pasted.

In: a text. Out: where in it something has the shape of a secret, and by which fingerprint a reviewer allows it. The
invariants: no entropy decides, only shapes do; what the examples of documentation are made of is passed over.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

DOT = "•"  # what is shown for a character of a secret


@dataclass(frozen=True, slots=True)
class Shape:
    """How secrets of one provider look. `words`: one of them stands in every text that has one (they are looked for
    first, which is far faster; the fewer, the faster). Group 1 of the pattern, or all of it, is the secret."""

    what: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]


def _shape(what: str, words: str, pattern: str) -> Shape:
    return Shape(what, tuple(words.split()), re.compile(pattern))


SHAPES = (
    _shape("an AWS access key id", "AKIA ASIA ABIA ACCA", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    _shape(
        "an AWS secret key", "aws_secret AWS_SECRET awsSecret",
        r"(?i:aws_?secret_?(?:access_?)?key)['\"]?\s*[:=]\s*['\"]?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
    ),
    _shape("a GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"\bgh[pousr]_[A-Za-z0-9]{36,255}\b"),
    _shape("a GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{60,255}\b"),
    _shape("a GitLab token", "glpat- gldt- glrt- glptt- glcbt-", r"\bgl(?:pat|dt|rt|ptt|cbt)-[A-Za-z0-9_-]{20,}"),
    _shape("a Slack token", "xox", r"\bxox[abeoprs]-[A-Za-z0-9-]{20,}"),
    _shape("a Slack token", "xapp-", r"\bxapp-[A-Za-z0-9-]{20,}"),
    _shape(
        "a Slack webhook", "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9_]{8,}/[A-Za-z0-9_/]{10,}",
    ),
    _shape("a Stripe key", "k_live_ k_test_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
    _shape("a Stripe key", "whsec_", r"\bwhsec_[A-Za-z0-9]{16,}"),
    _shape("an Anthropic key", "sk-ant-", r"\bsk-ant-[a-z0-9]+-[A-Za-z0-9_-]{20,}"),
    _shape("an OpenAI key", "sk-proj- sk-svcacct- sk-admin-", r"\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}"),
    _shape("an OpenAI key", "T3BlbkFJ", r"\bsk-[A-Za-z0-9_-]{16,}T3BlbkFJ[A-Za-z0-9_-]{16,}"),
    _shape("an OpenRouter key", "sk-or-", r"\bsk-or-v1-[a-f0-9]{64}\b"),
    _shape("a Google key", "AIza", r"\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    _shape("a Google OAuth secret", "GOCSPX-", r"\bGOCSPX-[A-Za-z0-9_-]{24,}"),
    _shape("a Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{34,}\b"),
    _shape("a Groq key", "gsk_", r"\bgsk_[A-Za-z0-9]{40,}\b"),
    _shape("an xAI key", "xai-", r"\bxai-[A-Za-z0-9]{60,}\b"),
    _shape("a Replicate token", "r8_", r"\br8_[A-Za-z0-9]{37}\b"),
    _shape("a Perplexity key", "pplx-", r"\bpplx-[A-Za-z0-9]{40,}\b"),
    _shape("a Databricks token", "dapi", r"\bdapi[a-f0-9]{32}\b"),
    _shape("an npm token", "npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
    _shape("a PyPI token", "pypi-", r"\bpypi-AgE[A-Za-z0-9_-]{50,}"),
    _shape("a SendGrid key", "SG.", r"\bSG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}"),
    _shape("a DigitalOcean token", "_v1_", r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    _shape("a Shopify token", "shp", r"\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}\b"),
    _shape("a Vault token", "hvs. hvb.", r"\bhv[bs]\.[A-Za-z0-9_-]{24,}"),
    _shape("a Telegram token", ":AA", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    _shape("an Azure storage key", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    _shape("a JSON web token", "eyJ", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}"),
    _shape(
        "a private key", "PRIVATE",
        r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\n|[\sA-Za-z0-9+/=:,.-]){40,}",
    ),
    _shape(
        "a password in a URL", "://",
        r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s:/@'\"<>{}$]{0,64}:([^\s/@'\"<>{}$]{6,128})@[A-Za-z0-9]",
    ),
)  # fmt: skip
_WORDS = tuple(dict.fromkeys(word for shape in SHAPES for word in shape.words))
# A vendor's examples, and what people write where a secret would stand. Two of them are whole shapes of their own.
_EXAMPLE = re.compile(
    r"example|EXAMPLE|(?i:(?<![a-z])(?:your|my|here|placeholder|dummy|fake|sample|changeme|redacted|insert|replace)(?![a-z]))"
    r"|\.eyJzdWIiOiIxMjM0NTY3ODkwIiwi"  # the token of jwt.io
)
_REPEATED = re.compile(r"(.)\1{7,}")  # `xxxxxxxx`
_PASSWORD = re.compile(
    r"(?i)(?:the|a)?[_.-]?(?:pass(?:word|wd)?|secret|token|key|change-me|user|username|administrator|xxx+|\*+|\.\.\.|…+)"
    r"(?:[_.-]?(?:123|1234))?|[0-9]{1,6}"
)
_NO_PASSWORD = re.compile(r"(?i)(?:docker|oci|pkg)://|[^@]*@sha(?:256|512):")  # references to images and packages


@dataclass(frozen=True, slots=True)
class Pasted:
    """A secret in a text, by its shape: from `start` to `end`. `fingerprint`: what an allow list names it by."""

    what: str
    start: int
    end: int
    fingerprint: str


def may_hold_pasted(text: str) -> bool:
    """Whether a text has a word that stands in every secret of some shape."""
    return any(map(text.__contains__, _WORDS))


def pasted(text: str) -> Iterator[Pasted]:
    """What in a text has the shape of a known provider's secret, in order of the shapes. Examples are none."""
    for shape in SHAPES if may_hold_pasted(text) else ():
        if not any(word in text for word in shape.words):
            continue
        for found in shape.pattern.finditer(text):
            group = 1 if found.lastindex else 0
            if not _is_example(shape, found, found[group]):
                yield Pasted(shape.what, *found.span(group), fingerprint(found[group]))


def _is_example(shape: Shape, found: re.Match[str], secret: str) -> bool:
    if shape.what == "a private key":  # whose text has runs of one letter
        return False
    if is_placeholder(secret):
        return True
    if shape.what != "a password in a URL":
        return False
    user = found[0].partition("://")[2].partition(":")[0]
    whole = found.string[found.start() : found.end() + 8]
    return secret == user or bool(_PASSWORD.fullmatch(secret)) or bool(_NO_PASSWORD.match(whole))


def is_placeholder(value: str) -> bool:
    """Whether a value only stands where a secret would: it says so, or most of it is one character."""
    return bool(_EXAMPLE.search(value)) or is_repeated(value)


def is_repeated(value: str) -> bool:
    """Whether most of a value is one character."""
    repeated = _REPEATED.search(value)
    return repeated is not None and 2 * len(repeated[0]) >= len(value)


def without_pasted(text: str) -> str:
    """The text with a dot in the place of each character of a pasted secret."""
    for found in list(pasted(text)):
        dots = "".join(char if char == "\n" else DOT for char in text[found.start : found.end])
        text = text[: found.start] + dots + text[found.end :]
    return text


def fingerprint(secret: str) -> str:
    """16 hex digits of its sha256: enough to tell secrets of a tree apart, and no way back to a strong one."""
    return sha256(secret.encode()).hexdigest()[:16]
