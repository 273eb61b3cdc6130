"""Secrets: which values of the environment are some, what a text looks like that holds one, and shapes of pasted ones.

In: the build's Env and what the project says about its names. Out: `Secrets`, which finds the values in bytes and texts
in every encoding that a careless hand might have used, and keeps them out of texts that are shown. The invariant: a
value is never given out again, neither whole nor in part; only names are.
"""

import base64
import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote, quote_plus

# A name says that its value is secret by its last word, if the value can be one (`MAX_TOKENS=800` is none).
_WORDS = frozenset(
    ["KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CREDENTIALS", "DSN"]
)
_PLAIN = re.compile(r"[+-]?[0-9][0-9_]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|true|false|yes|no|on|off|null|none", re.I)
_PROVIDERS = (
    "ai21|anthropic|azure|azure_openai|bedrock|cerebras|cohere|databricks|deepseek|fireworks|fireworks_ai|gemini|google"
    "|groq|huggingface|meta|mistral|nvidia|ollama|openai|openrouter|perplexity|qwen|replicate|sambanova|together"
    "|together_ai|vertex_ai|vertexai|vllm|watsonx|x-?ai"
)
_SLUG = re.compile(
    rf"(?:(?:{_PROVIDERS})[:/][\w.:/@-]{{1,80}}|(?:claude|gpt|gemini|llama|mistral|o[134])-[\w.@-]{{1,60}})", re.I
)
LEAST = 8  # characters of a value that a name makes a secret
SHORTEST = 4  # characters of a value that can be looked for at all
_ENCODED = 6  # characters of a value that is looked for in other alphabets as well: shorter ones are found anywhere


@dataclass(frozen=True, slots=True)
class Shape:
    """How secrets of one provider look. `words`: one of them stands in every text that has one (they are looked for
    first, which is far faster). Group 1 of the pattern, or all of it, is the secret."""

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
    _shape("a Slack token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", r"\bxox[abeoprs]-[A-Za-z0-9-]{20,}"),
    _shape("a Slack token", "xapp-", r"\bxapp-[A-Za-z0-9-]{20,}"),
    _shape(
        "a Slack webhook", "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9_]{8,}/[A-Za-z0-9_/]{10,}",
    ),
    _shape("a Stripe key", "sk_live_ rk_live_ sk_test_ rk_test_", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"),
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
    _shape("a DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    _shape("a Shopify token", "shpat_ shpca_ shppa_ shpss_", r"\bshp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}\b"),
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
# What stands for a password in examples.
_PLACEHOLDER = re.compile(
    r"(?i)(?:my|your|the|a)?[_.-]?(?:pass(?:word|wd)?|secret|token|key|changeme|change-me|example|placeholder|redacted|user"
    r"|username|xxx+|\*+|\.\.\.|…+)(?:[_.-]?(?:here|123|1234))?"
)


@dataclass(frozen=True, slots=True)
class Pasted:
    """A secret in a text, by its shape: from `start` to `end`. `fingerprint`: what an allow list names it by."""

    what: str
    start: int
    end: int
    fingerprint: str


def pasted(text: str) -> Iterator[Pasted]:
    """What in a text has the shape of a known provider's secret, in order of the shapes."""
    for shape in SHAPES:
        if not any(word in text for word in shape.words):
            continue
        for found in shape.pattern.finditer(text):
            group = 1 if found.lastindex else 0
            secret = found[group]
            if shape.what == "a password in a URL" and _PLACEHOLDER.fullmatch(secret):
                continue
            yield Pasted(shape.what, *found.span(group), fingerprint(secret))


def fingerprint(secret: str) -> str:
    """16 hex digits of its sha256: enough to tell secrets of a tree apart, and no way back to a strong one."""
    return sha256(secret.encode()).hexdigest()[:16]


def is_secret(name: str, value: str) -> bool:
    """Whether a name says that its value is a secret, or the value itself does."""
    if any(pasted(value)):
        return True
    if name.rpartition("_")[2].upper() not in _WORDS or len(value) < LEAST:
        return False
    return not _PLAIN.fullmatch(value.strip()) and not _SLUG.fullmatch(value.strip())


class Secrets:
    """The secret values among those of the environments of a build, and where they are."""

    __slots__ = ("_needles", "names", "too_short")

    def __init__(
        self, environments: Iterable[Mapping[str, str]], marked: Collection[str], public: Collection[str]
    ) -> None:
        """`marked`: names whose values are secret whatever they are; `public`: names whose values are not."""
        found = sorted(
            {
                (name, value)
                for env in environments
                for name, value in env.items()
                if name in marked or (name not in public and is_secret(name, value))
            }
        )
        self.too_short = tuple(dict.fromkeys(name for name, value in found if 0 < len(value) < SHORTEST))
        self._needles: dict[str, tuple[bytes, ...]] = {}
        for name, value in found:
            if len(value) >= SHORTEST:
                self._needles[name] = (*self._needles.get(name, ()), *needles(value))
        self.names = tuple(self._needles)

    def __bool__(self) -> bool:
        return bool(self.names)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self.names)})"

    def in_bytes(self, data: bytes) -> tuple[str, ...]:
        """The names of the secrets that bytes hold in any encoding, sorted."""
        return tuple(name for name, forms in self._needles.items() if any(form in data for form in forms))

    def in_text(self, text: str) -> tuple[str, ...]:
        return self.in_bytes(text.encode("utf-8", "surrogatepass"))

    def hidden(self, text: str) -> str:
        """The text with a dot in the place of each character of a secret."""
        for forms in self._needles.values():
            for form in forms:
                word = form.decode("utf-8", "replace")
                if word in text:
                    text = text.replace(word, "•" * len(word))
        return text


def _as_python(value: str) -> Iterator[str]:
    """What stands between the quotes of a literal of Python, whichever quotes they are."""
    for literal in (ascii, repr):
        text = "".join([char if char in "'\"" else literal(char)[1:-1] for char in value])
        yield text
        yield text.replace("'", "\\'")
        yield text.replace('"', '\\"')


def needles(value: str) -> tuple[bytes, ...]:
    """The forms of a value that are looked for: as it is, in capitals and in small letters; escaped as in JSON, Python,
    URLs and HTML; and for values of some length in hex, reversed, and in base64 and base64url behind any number of
    bytes."""
    raw = value.encode("utf-8", "surrogatepass")
    forms = {value, value.upper(), value.lower(), quote(value, safe=""), quote(value), quote_plus(value)}
    for text in (value, json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1], *_as_python(value)):
        forms |= {text, html.escape(text), html.escape(text, quote=False), json.dumps(text)[1:-1]}
        forms.add(html.escape(text).replace("&#x27;", "&#39;").replace("&quot;", "&#34;"))
    found = {form.encode("utf-8", "surrogatepass") for form in forms}
    if len(value) >= _ENCODED:
        found |= {value[::-1].encode("utf-8", "surrogatepass"), raw[::-1]}
        found |= {raw.hex().encode(), raw.hex().upper().encode()}
        for before in range(3):
            # Characters that also depend on the bytes before and behind are cut off.
            digits = base64.b64encode(b"\0" * before + raw).rstrip(b"=")
            core = digits[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]
            found |= {core, core.replace(b"+", b"-").replace(b"/", b"_")}
    return tuple(sorted(found, key=lambda form: (-len(form), form)))


NO_SECRETS = Secrets((), (), ())
