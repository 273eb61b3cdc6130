"""Whatever stands in a tree, reading it ends in a package or in a finding, never in an exception."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from source_trees import read_files

_WORDS = r"""
    --- \n \n {{ }} {% %} {# #} {%- -%} raw endraw if endif for x in y endfor set = block b
    <<<role:system>>> <<<role:user>>> include import from extends 'partials/a.j2' 'partials/d.yaml'
    import_text import_yaml | ~ ( ) [ ] , : - & * ! !? !!set "a" role: system content: |+ > ? 2024-01-01
    @m/x ../ /etc .. \t \ufeff \x85 \u2028 \x0c \xe9 012 << %YAML --- ... # { } \0
"""
_PARTS = st.sampled_from([word.encode("ascii").decode("unicode_escape") for word in _WORDS.split()])
_TEXT = st.lists(_PARTS, max_size=25).map(lambda parts: " ".join(parts)) | st.text(max_size=40)
_BYTES = _TEXT.map(lambda text: text.encode("utf-8", "surrogatepass")) | st.binary(max_size=40)


@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(contents=st.lists(_BYTES, min_size=8, max_size=8))
def test_anything_is_read_or_reported(tmp_path_factory: pytest.TempPathFactory, contents: list[bytes]) -> None:
    names = (
        "single.ctx",
        "single.samples.yaml",
        "rich.ctx/prompt.j2",
        "rich.ctx/settings.yaml",
        "messages.ctx/messages/1.yaml",
        "partials/a.j2",
        "partials/d.yaml",
        "frozenctx.toml",
    )
    files: dict[str, str | bytes] = dict(zip(names, contents, strict=True))
    root = tmp_path_factory.mktemp("tree")
    outcome = read_files(root, {**files, "messages.ctx/settings.yaml": ""})
    if not any(finding.span and finding.span.file == "frozenctx.toml" for finding in outcome.report.diagnostics):
        missing = {"single", "rich", "messages"} - set(outcome.packages)
        assert all(outcome.report.failed(key) for key in missing)
    (root / "frozenctx.toml").unlink()
    outcome = read_files(root, {})
    missing = {"single", "rich", "messages"} - set(outcome.packages)
    assert all(outcome.report.failed(key) for key in missing)
