"""What all tests share: the flag that rewrites expected outputs for review."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-corpus", action="store_true", help="rewrite the expected.txt files of the corpus; read the diff"
    )

collect_ignore_glob = ["corpus/*/tree/*"]  # inputs, whatever they are called
