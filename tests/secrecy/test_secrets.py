"""Which values are secrets, what a text looks like that holds one, and what pasted ones look like."""

import base64
import html
import json
from urllib.parse import quote, quote_plus

import pytest
from frozenctx_compiler.secrets import SHAPES, Secrets, fingerprint, is_secret, pasted
from hypothesis import given
from hypothesis import strategies as st

WORDS = ["KEY", "APIKEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "CREDENTIALS", "DSN"]


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("before", ["", "SERVICE_", "my_"])
def test_a_name_says_so_by_its_last_word(word: str, before: str) -> None:
    assert is_secret(before + word, "correct horse")
    assert is_secret((before + word).lower(), "correct horse")
    assert not is_secret(f"{before}{word}_PATH", "correct horse")
    assert not is_secret(f"{before}{word}S" if word[-1] != "S" and word != "CREDENTIAL" else "MONKEY", "correct horse")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("DRAFT_MAX_TOKENS", "800"), ("MAX_TOKEN", "12345678"), ("MODEL", "anthropic/claude-sonnet-4"),
        ("FALLBACK_KEY", "openai/gpt-5-mini@high"), ("FALLBACK_KEY", "claude-sonnet-4-5"), ("A_KEY", "short"),
        ("A_TOKEN", "1234567.5e10"), ("USE_TOKEN", "true"), ("MONKEY", "correct horse"), ("PROMPT", "a password"),
    ],
)  # fmt: skip
def test_numbers_models_and_short_values_are_none(name: str, value: str) -> None:
    assert not is_secret(name, value)


def test_what_is_marked_is_secret_and_what_is_public_is_not() -> None:
    env = {"SALT": "2026-pepper", "CACHE_KEY": "prefix-of-the-cache", "A_TOKEN": "abcdefgh-1", "PIN": "12"}
    assert Secrets([env], ["SALT"], ["CACHE_KEY"]).names == ("A_TOKEN", "SALT")
    assert Secrets([env], ["PIN", "CACHE_KEY"], ["CACHE_KEY"]).names == ("A_TOKEN", "CACHE_KEY")
    assert Secrets([env], ["PIN"], []).too_short == ("PIN",)
    assert "abcdefgh-1" not in repr(Secrets([env], [], []))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=6, max_size=60)


@given(TEXTS, st.binary(max_size=7), st.binary(max_size=7))
def test_a_secret_is_found_in_every_encoding(value: str, before: bytes, behind: bytes) -> None:
    secrets = Secrets([{"X": value}], ["X"], [])
    raw = value.encode()
    encoded = [
        raw, raw[::-1], value[::-1].encode(), raw.hex().encode(), raw.hex().upper().encode(), before + raw + behind,
        json.dumps({"x": value}).encode(), json.dumps([value], ensure_ascii=False).encode(),
        json.dumps(json.dumps(value)).encode(), quote(value).encode(), quote(value, safe="").encode(),
        quote_plus(value).encode(), html.escape(value).encode(), html.escape(value, quote=False).encode(),
        base64.b64encode(before + raw + behind), base64.urlsafe_b64encode(before + raw + behind),
        base64.b64encode(raw).rstrip(b"="),
    ]  # fmt: skip
    assert [form for form in encoded if secrets.in_bytes(form) != ("X",)] == []
    assert value not in secrets.hidden(f"before {value} behind {value}")


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), min_size=6, max_size=30))
def test_a_secret_is_found_in_the_text_of_a_program(value: str) -> None:
    secrets = Secrets([{"X": value}], ["X"], [])
    for text in (ascii(value), repr(value), ascii(value + "'"), ascii(value + '"'), ascii("it's " + value)):
        assert secrets.in_text(text) == ("X",)


def test_what_is_not_there_is_not_found() -> None:
    secrets = Secrets([{"X": "correct horse battery"}], ["X"], [])
    assert secrets.in_bytes(b"correct horse") == ()
    assert secrets.hidden("correct horse") == "correct horse"


def letters(count: int, alphabet: str = "aB3dE5gH7jK9mN2pQ4sT6vW8xY1zC0fL") -> str:
    return (alphabet * 10)[:count]


# Put together here, so that this file holds none.
REAL = [
    "AKIA" + letters(16, "ABCDEFGH234567"),
    "aws_secret_access_key = " + letters(40),
    "ghp" + "_" + letters(36),
    "github" + "_pat_" + letters(82),
    "glpat" + "-" + letters(20),
    "xoxb" + "-123456789012-" + letters(24),
    "xapp" + "-1-" + letters(30),
    "https://hooks.slack" + ".com/services/T01234567/B01234567/" + letters(24),
    "sk" + "_live_" + letters(24),
    "whsec" + "_" + letters(32),
    "sk" + "-ant-api03-" + letters(90),
    "sk" + "-proj-" + letters(48),
    "sk" + "-" + letters(20) + "T3Blbk" + "FJ" + letters(20),
    "sk" + "-or-v1-" + letters(64, "0123456789abcdef"),
    "AI" + "za" + letters(35),
    "GOCSPX" + "-" + letters(28),
    "hf" + "_" + letters(34),
    "gsk" + "_" + letters(52),
    "xai" + "-" + letters(80),
    "r8" + "_" + letters(37),
    "pplx" + "-" + letters(48),
    "dapi" + letters(32, "0123456789abcdef"),
    "npm" + "_" + letters(36),
    "pypi" + "-AgEIcHlwaS5vcmc" + letters(60),
    "SG" + "." + letters(22) + "." + letters(43),
    "dop" + "_v1_" + letters(64, "0123456789abcdef"),
    "shpat" + "_" + letters(32, "0123456789abcdef"),
    "hvs" + "." + letters(30),
    "123456789" + ":AA" + letters(33),
    "Account" + "Key=" + letters(86) + "==",
    "eyJ" + letters(20) + ".eyJ" + letters(30) + "." + letters(40),
    "-----BEGIN RSA " + "PRIVATE KEY-----\n" + "\n".join([letters(64)] * 3) + "\n-----END RSA PRIVATE KEY-----",
    "postgres://app:" + "Tr0ub4dor-3x@db.internal/app",
]


def test_every_shape_is_found() -> None:
    found = [[each.what for each in pasted(f"Before.\n  value: {text!s} \nBehind.")] for text in REAL]
    assert [text for text, what in zip(REAL, found, strict=True) if not what] == []
    assert {shape.what for shape in SHAPES} == {what for whats in found for what in whats}


@pytest.mark.parametrize(
    "text",
    [
        "The system prompt must never include a password or an API key.",
        "Set OPENAI_API_KEY to sk-..., or ANTHROPIC_API_KEY to sk-ant-....",
        "postgres://user:password@localhost/db",
        "https://user:<password>@example.org",
        "https://{{ user }}:{{ password }}@example.org",
        "redis://:${REDIS_PASSWORD}@cache",
        "see http://localhost:8080/path@2x and https://example.org:443/a@b",
        "d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "6f1ed002-ab55-4d4e-9e25-0a1f3c1d5b5a",
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----",
        "An AKIA id, a ghp_ token, an hf_ token.",
    ],
)
def test_what_only_speaks_of_secrets_is_none(text: str) -> None:
    assert list(pasted(text)) == []


def test_a_fingerprint_names_a_secret_without_telling_it() -> None:
    (found,) = pasted(REAL[2])
    assert found.fingerprint == fingerprint(REAL[2])
    assert len(found.fingerprint) == 16
    assert found.fingerprint != next(pasted(REAL[2][:-1] + "x")).fingerprint
