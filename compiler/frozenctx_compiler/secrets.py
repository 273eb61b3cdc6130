"""Secrets: which values of the environment are some, and whether a text holds one.

In: everything that a build is given for `$env`, and what the project says about names. Out: `Secrets`, which finds the
values in texts in every encoding that a careless hand might have used, and keeps them out of texts that are shown. The
invariant: a value is never given out again, neither whole nor in part; only names are.
"""

import re
from collections.abc import Collection, Iterable, Mapping

from .encodings import forms, readings
from .shapes import DOT, is_placeholder, is_repeated, pasted

# A name says that its value is secret by its last word, if the value can be one (`MAX_TOKENS=800` is none).
WORDS = frozenset(["KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CREDENTIALS", "DSN"])
# KEY and TOKEN have other meanings too, which the word before tells: SORT_KEY=created_at, EOS_TOKEN=<|endoftext|>.
_OTHER_KEYS = frozenset([
    "SORT", "PARTITION", "PRIMARY", "FOREIGN", "CACHE", "MODEL", "INDEX", "LOOKUP",
    "ORDER", "SHARD", "RANGE", "OBJECT", "DEDUP", "CONFIG", "SETTING", "LABEL",
    "TAG", "FEATURE", "FLAG", "EOS", "BOS", "PAD", "STOP", "SEP", "UNK", "CLS", "MASK", "START", "END", "EOT",
    "BEGIN", "PER", "MAX", "MIN", "NUM", "FIRST", "LAST", "SPECIAL",
])  # fmt: skip
_IDENTIFIER = re.compile(r"(?:<\|?)?[A-Za-z0-9]+(?:[_.:/@ -][A-Za-z0-9]+)*(?:\|?>)?")
_UNITS = (
    r"%|[kKMGT]i?[bB]?|ns|us|ms|s|min|h|d|USD|EUR|GBP|CHF|JPY|tokens?|requests?|chars?|characters|bytes|words|rpm|tpm"
)
_PLAIN = re.compile(
    rf"[+-]?(?:[0-9][0-9_,']*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?: ?(?:{_UNITS})(?:/[a-z]{{1,8}})?)?"
    r"|true|false|yes|no|on|off|null|none",
    re.I,
)
_MOST_DIGITS = 15  # of a number: what has more is none that anybody computes with
_PROVIDERS = (
    "ai21|ai21labs|aion-labs|alibaba|amazon|anthracite-org|anthropic|arcee-ai|azure|azure_ai|azure_openai|baidu|bedrock"
    "|bytedance|cerebras|cohere|databricks|deepinfra|deepseek|deepseek-ai|fireworks|fireworks_ai|gemini|github|google"
    "|groq|huggingface|hyperbolic|ibm|ibm-granite|inflection|liquid|meta|meta-llama|microsoft|minimax|mistral|mistralai"
    "|moonshot|moonshotai|nebius|nousresearch|novita|nvidia|ollama|openai|openrouter|perplexity|qwen|replicate|sambanova"
    "|stepfun|tencent|thudm|together|together_ai|vertex_ai|vertexai|vllm|voyage|watsonx|writer|x-?ai|xiaomi|z-ai|zai-org"
)
_FAMILIES = (
    "claude|gpt|chatgpt|gemini|gemma|llama|codellama|mistral|mixtral|ministral|magistral|codestral|devstral|pixtral|o[134]"
    "|deepseek|qwen[0-9.]*|qwq|command(?=-(?:r|a|light|nightly)\\b)|grok|kimi|glm|jamba|ernie|hunyuan|minimax|nemotron|olmo"
    "|dbrx|text-embedding|(?:phi|nova|titan|granite|yi|falcon|sonar|step|embed|rerank|aya|voyage)(?=-v?[0-9])"
)
_SLUG = re.compile(rf"(?:(?:{_PROVIDERS})[:/]([\w.:/@-]{{1,80}})|((?:{_FAMILIES})-[\w.:@-]{{1,60}}))", re.I)
_NO_KEY = ("not-needed", "not-used", "not-required", "no-key", "none-needed", "sk-no-key", "unused")
LEAST = 8  # characters of a value that a name makes a secret
SHORTEST = 4  # characters of a value that can be looked for at all


def is_secret(name: str, value: str) -> bool:
    """Whether a name says that its value is a secret, or the value itself does (docs/secrets.md has the rule)."""
    return any(pasted(value)) or (says_secret(name) and _can_be_secret(name, value))


def says_secret(name: str) -> bool:
    return name.rpartition("_")[2].upper() in WORDS


def _can_be_secret(name: str, value: str) -> bool:
    text = value.strip()
    if len(value) < LEAST or _is_number(text) or is_slug(text):
        return False
    words = name.upper().split("_")
    if words[-1] not in ("KEY", "APIKEY", "TOKEN"):
        return True
    other = words[-1] != "APIKEY" and len(words) > 1 and words[-2] in _OTHER_KEYS
    if is_repeated(text) or (other and _is_identifier(text)):
        return False
    return looks_random(text) or not (is_placeholder(text) or text.lower().startswith(_NO_KEY))


def _is_number(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and sum(char.isdigit() for char in text) <= _MOST_DIGITS


def is_slug(text: str) -> bool:
    """Whether a text names a model: `provider/name` or `provider:name` of a known provider, or a known family."""
    found = _SLUG.fullmatch(text)
    return found is not None and not looks_random(found[1] or found[2])


def _is_identifier(text: str) -> bool:
    return _IDENTIFIER.fullmatch(text) is not None and not looks_random(text)


def looks_random(text: str) -> bool:
    """Whether some run of letters and digits is no word, number or version: 12 characters or more that mix letters and
    digits, 16 letters or more, or four changes between letters, capitals within a word, and digits."""
    for run in re.findall(r"[A-Za-z0-9]+", text):
        mixed = not run.isalpha() and not run.isdigit()
        changes = len(re.findall(r"[a-z](?=[A-Z0-9])|[A-Z](?=[0-9])|[0-9](?=[A-Za-z])", run))
        if (mixed and len(run) >= 12) or (run.isalpha() and len(run) >= 16) or changes >= 4:
            return True
        if run.isdigit() and len(run) > _MOST_DIGITS:
            return True
    return False


class Secrets:
    """The secret values among those that the environments of a build are made of, and whether texts hold them."""

    __slots__ = ("_beginnings", "_forms", "_public", "_shown", "marked", "names", "too_short")

    def __init__(
        self, environments: Iterable[Mapping[str, str]], marked: Collection[str], public: Collection[str]
    ) -> None:
        """`environments`: all that was given, also what something stronger replaced. `marked`: names whose values are
        secret whatever they are; `public`: names whose values are not."""
        self.marked, self._public = frozenset(marked), frozenset(public)
        given = {(name, value) for env in environments for name, value in env.items()}
        found = sorted((name, value) for name, value in given if self.judge(name, value))
        short = (name for name, value in found if 0 < len(value.strip()) < SHORTEST)
        self.too_short = tuple(dict.fromkeys(short))
        self._forms: dict[str, tuple[str, ...]] = {}
        shown: set[str] = set()
        for name, value in found:
            if len(value.strip()) >= SHORTEST:
                self._forms[name] = (*self._forms.get(name, ()), *forms(value))
                shown |= {value, value.strip(), *forms(value)}
        self._shown = tuple(sorted(shown, key=lambda form: (-len(form), form)))
        self._beginnings: dict[str, list[str]] = {}
        for form in dict.fromkeys(form.lower() for form in self._shown):
            self._beginnings.setdefault(form[:SHORTEST], []).append(form)
        self.names = tuple(self._forms)

    def __bool__(self) -> bool:
        return bool(self.names)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self.names)})"

    def judge(self, name: str, value: str) -> bool:
        """Whether such a value of such a name is a secret."""
        return name in self.marked or (name not in self._public and is_secret(name, value))

    def among(self, texts: Iterable[str]) -> tuple[str, ...]:
        """The names of the secrets that texts hold in any encoding, sorted."""
        if not self._forms:
            return ()
        read = readings(texts)
        return tuple(name for name, each in self._forms.items() if any(form in read for form in each))

    def in_text(self, text: str) -> tuple[str, ...]:
        return self.among((text,))

    def place(self, name: str, text: str) -> tuple[int, int] | None:
        """Where a text holds a secret, as it is or in an encoding without escapes; None when nowhere."""
        for form in sorted(self._forms[name], key=len, reverse=True):
            found = re.search(re.escape(form), text, re.IGNORECASE)
            if found is not None:
                return found.span()
        return None

    def hidden(self, text: str) -> str:
        """The text with a dot in the place of each character of a secret, also of one that was cut off with `…`. A line
        that still holds one, in an encoding, becomes dots altogether."""
        text = self._without_beginnings(text) if "…" in text else text
        if not self.in_text(text):
            return text
        for form in self._shown:
            text = re.sub(re.escape(form), _dots, text, flags=re.IGNORECASE)
        if self.in_text(text):
            text = "\n".join(_DOTTED.sub(DOT, line) if self.in_text(line) else line for line in text.split("\n"))
        return _DOTTED.sub(DOT, text) if self.in_text(text) else text

    def _without_beginnings(self, text: str) -> str:
        """Dots for the beginning of a secret before each `…`."""
        parts = text.split("…")
        for index, part in enumerate(parts[:-1]):
            folded = part.lower()
            for start in range(len(part) - SHORTEST + 1):
                begin = folded[start:]
                if any(form.startswith(begin) for form in self._beginnings.get(begin[:SHORTEST], ())):
                    parts[index] = part[:start] + DOT * len(begin)
                    break
        return "…".join(parts)


_DOTTED = re.compile(r"[^\s`]")


def _dots(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", DOT, found[0])


NO_SECRETS = Secrets((), (), ())
