"""Which values are secrets, what a text looks like that holds one, and what pasted ones look like."""

import base64
import html
import json
from time import process_time
from unicodedata import normalize
from urllib.parse import quote, quote_plus

import pytest
from frozenctx_compiler.secrets import Secrets, is_secret
from frozenctx_compiler.shapes import SHAPES, fingerprint, pasted
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
        ("SORT_KEY", "created_at"), ("PARTITION_KEY", "tenant_id"), ("PROMPT_CACHE_KEY", "support-v2"),
        ("EOS_TOKEN", "<|endoftext|>"), ("STOP_TOKEN", "<|im_end|>"), ("PRICE_PER_TOKEN", "1.5e-07 USD"),
        ("MAX_TOKEN", "1,000,000"), ("MAX_TOKEN", "unlimited"), ("MODEL_KEY", "moonshotai/kimi-k2"),
        ("DRAFT_KEY", "deepseek-chat"), ("DRAFT_KEY", "qwen2.5-72b"), ("DRAFT_KEY", "command-r-plus"),
        ("DRAFT_KEY", "fireworks_ai/accounts/fireworks/models/llama-v3p1-8b-instruct"), ("DRAFT_KEY", "mixtral-8x7b"),
        ("DRAFT_KEY", "bedrock/us.anthropic.claude-sonnet-4-20250514-v1:0"), ("OPENAI_API_KEY", "not-needed"),
        ("OPENAI_API_KEY", "sk-no-key-required"), ("OPENAI_API_KEY", "your-key-here"),
        ("API_KEY", "xxxxxxxxxxxxxxxxxxxx"), ("DRAFT_KEY", "nova-2-pro"), ("DRAFT_KEY", "command-a-03-2025"),
    ],
)  # fmt: skip
def test_numbers_models_and_identifiers_are_none(name: str, value: str) -> None:
    assert not is_secret(name, value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("API_KEY", "google:hunter2secret"), ("API_KEY", "meta/Zk39fj2kfj239fj"),
        ("API_KEY", "o1-0f9a8b7c6d5e4f3a2b1c"),
        ("API_KEY", "claude-prod-Zk39fj2kfj239fj"), ("SERVICE_KEY", "azure:0f9a8b7c6d5e4f3a2b1c0f9a8b7c6d5e"),
        ("DB_PASSWORD", "gpt-Tr0ub4dor3x"), ("API_KEY", "123456789012345678"), ("API_KEY", "super-secret-value"),
        ("DB_PASSWORD", "customer"), ("SORT_PASSWORD", "created_at"), ("API_TOKEN", "supersecretvalue"),
        ("CACHE_KEY", "Zk39fj2kfj239fj"), ("DB_PASSWORD", "your-password"), ("API_KEY", "correct-horse-battery-staple"),
        ("API_KEY", "example-key-0f9a8b7c6d5e4f3a"), ("API_KEY", "not-needed-0f9a8b7c6d5e4f3a"),
        ("API_KEY", "nova-secretvalue"), ("API_KEY", "step-by-step-secret"), ("API_KEY", "command-center"),
        ("ROUTING_KEY", "correct-horse-battery"), ("HASH_KEY", "correct-horse-battery"),
    ],
)  # fmt: skip
def test_what_only_begins_like_a_model_or_a_number_is_one(name: str, value: str) -> None:
    assert is_secret(name, value)


def test_what_is_marked_is_secret_and_what_is_public_is_not() -> None:
    env = {"SALT": "2026-pepper", "CACHE_KEY": "prefix-of-the-cache", "A_TOKEN": "abcdefgh-1", "PIN": "12"}
    assert Secrets([env], ["SALT"], ["CACHE_KEY"]).names == ("A_TOKEN", "SALT")
    assert Secrets([env], ["PIN", "CACHE_KEY"], ["CACHE_KEY"]).names == ("A_TOKEN", "CACHE_KEY")
    assert Secrets([env], ["PIN"], []).too_short == ("PIN",)
    assert "abcdefgh-1" not in repr(Secrets([env], [], []))


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=6, max_size=60).filter(
    lambda text: len(text.strip()) >= 6
)


def percent(text: str) -> str:
    return "".join(f"%{byte:02x}" for byte in text.encode())


def entities(text: str, form: str) -> str:
    return "".join(f"&#{ord(char):{form}};" for char in text)


@given(TEXTS, st.binary(max_size=7), st.binary(max_size=7))
def test_a_secret_is_found_in_every_encoding(value: str, before: bytes, behind: bytes) -> None:
    secrets = Secrets([{"X": value}], ["X"], [])
    raw = value.encode()
    as_json = json.dumps(value)
    encoded = [
        value, value[::-1], json.dumps(value[::-1]), raw.hex(), raw.hex().upper(), value.upper(), value.lower(),
        (before + raw + behind).decode("utf-8", "replace"), as_json, json.dumps([value], ensure_ascii=False),
        as_json.replace("\\u00", "\\U000000"), as_json.replace("/", "\\/"), json.dumps(as_json),
        json.dumps(json.dumps(as_json)), "".join(f"\\U{ord(char):08x}" for char in value),
        "".join(f"\\u{ord(char):04X}" if ord(char) < 0x10000 else char for char in value),
        quote(value), quote(value, safe=""), quote(value, safe="!'()*"), quote(value).lower(), quote_plus(value),
        percent(value), quote(as_json), html.escape(value), html.escape(value, quote=False), html.escape(as_json),
        html.escape(value).replace("&#x27;", "&apos;"), entities(value, "d"), entities(value, "06d"),
        value.replace("'", "''"), base64.b64encode(before + raw + behind).decode(),
        base64.urlsafe_b64encode(before + raw + behind).decode(), base64.b64encode(raw).decode().rstrip("="),
        base64.b64encode(before + as_json.encode() + behind).decode(), repr(value), ascii(value), repr(value + "'\""),
        base64.encodebytes(before * 20 + raw + behind * 20).decode(),
        normalize("NFD", value) if normalize("NFC", value) == value else value,
    ]  # fmt: skip
    assert [form for form in encoded if secrets.in_text(form) != ("X",)] == []
    assert value.strip() not in secrets.hidden(f"before {value} behind {value}")


@pytest.mark.parametrize("value", ["hunter2-Hunt\n", " hunter2-Hunt", "\thunter2-Hunt\r\n"])
def test_blanks_around_a_value_are_no_part_of_the_secret(value: str) -> None:
    secrets = Secrets([{"X": value}], ["X"], [])
    for text in ("openai/hunter2-Hunt", b"hunter2-Hunt".hex(), base64.b64encode(b"xhunter2-Huntx").decode()):
        assert secrets.in_text(text) == ("X",)


def test_what_was_cut_off_is_hidden_as_well() -> None:
    secrets = Secrets([{"X": "Zk39fjPq" * 12}], ["X"], [])
    assert secrets.hidden("found `" + "Zk39fjPq" * 4 + "Zk3…`") == "found `" + "•" * 35 + "…`"
    assert secrets.hidden("write `model: …`, found `x…`") == "write `model: …`, found `x…`"


def test_many_secrets_are_looked_for_in_many_texts_fast() -> None:
    secrets = Secrets([{f"S{i}_TOKEN": f"secret-{i}-{i * i:08x}" for i in range(200)}], [], [])
    texts = [f"Package {i}: you are an assistant.\n" + f"Say {i} & 'x' \\n. 100%\n" * 200 for i in range(500)]
    started = process_time()
    assert secrets.among([*texts, "secret-7-00000031"]) == ("S7_TOKEN",)
    assert process_time() - started < 60  # 2 MB, about one second; what is to be seen is that it ends


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF), min_size=6, max_size=30))
def test_a_secret_is_found_in_the_text_of_a_program(value: str) -> None:
    secrets = Secrets([{"X": value}], ["X"], [])
    for text in (ascii(value), repr(value), ascii(value + "'"), ascii(value + '"'), ascii("it's " + value)):
        assert secrets.in_text(text) == ("X",)


def test_what_is_not_there_is_not_found() -> None:
    secrets = Secrets([{"X": "correct horse battery"}], ["X"], [])
    assert secrets.in_text("correct horse") == ()
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
        "AKIA" + "IOSFODNN7EXAMPLE",
        "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
        "sk-proj-" + "your-key-goes-here-please-now",
        "ghp_" + "x" * 36,
        "hf_" + "x" * 34,
        "sk-ant-api03-" + "x" * 90,
        "AI" + "za" + "X" * 35,
        "xoxb-" + "your-token-goes-here-000",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ"
        ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
        "https://user:YOUR_API_KEY@host postgres:postgres@localhost",
        "postgres://postgres:postgres@localhost, https://admin:administrator@localhost",
        "docker://img:v1.2.34@sha256:0f9a8b7c6d oci://ghcr:latest@sha256:0f9a8b pkg://foo:bar1234@1.2.3",
        "http://localhost:808080@x",
    ],
)
def test_what_only_speaks_of_secrets_is_none(text: str) -> None:
    assert list(pasted(text)) == []


def test_a_fingerprint_names_a_secret_without_telling_it() -> None:
    (found,) = pasted(REAL[2])
    assert found.fingerprint == fingerprint(REAL[2])
    assert len(found.fingerprint) == 16
    assert found.fingerprint != next(pasted(REAL[2][:-1] + "x")).fingerprint
