from typing import Literal


class Signal:
    id: int
    text: str
    source: str | None = None


class Input:
    draft: str
    signals: list[Signal]
    purpose: str
    strict: bool = False


class Finding:
    """One thing to change."""

    quote: str
    """The words of the draft, unchanged."""
    problem: Literal["unsupported", "wrong", "unclear", "missing", "too long"]
    evidence: list[int]
    replacement: str


class Output:
    """The review of one brief."""

    findings: list[Finding]
    verdict: Literal["send", "send after changes", "rewrite"]
