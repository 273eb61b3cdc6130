"""The example of docs/errors-at-render.md fails as the page says."""

import re
import traceback
from pathlib import Path

import frozenctx_compiler
import pytest
from frozenctx.errors import UndefinedError
from source_trees import write

PAGE = (Path(__file__).parents[2] / "docs/errors-at-render.md").read_text("utf-8")


def test_the_example_fails_as_it_says(tmp_path: Path) -> None:
    sources = re.findall(r"^`(\S+)`\n\n```jinja\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    write(tmp_path, {**dict(sources), "briefs/draft.ctx/settings.yaml": "model: openai/gpt-5\n"})
    prompts = frozenctx_compiler.load(tmp_path)
    (call,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    (printed,) = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    with pytest.raises(UndefinedError) as caught:
        eval(call, {"prompts": prompts})
    error = caught.value
    said = re.sub(r"briefs/draft@v[0-9a-f]{12}", str(error.version), printed)
    assert "".join(traceback.format_exception_only(error)) == said
    assert (error.key, error.role, error.file, error.line) == ("briefs/draft", "system", "partials/lists.j2", 3)
