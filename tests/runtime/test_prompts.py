"""What a loaded prompt does: its texts, its variables, its exceptions, and what it says about itself."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import frozenctx
import pytest
from frozenctx import errors
from handmade import files, package, stored

SETTINGS: dict[str, Any] = {
    "max_tokens": 0,
    "temperature": 1.0,
    "tools": ("web/search", "crm/read"),
    "reply_schema": {"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "number"}}},
    "meta": {"owner": "team", "tags": ["x"]},
    "sub": {"shape": "Agent", "summary_policy": "result_only"},
}


def load(*packages: Any, **options: Any) -> frozenctx.Prompts:
    return frozenctx.load(files(*packages), **options)


def one(system: str, user: str | None = None, **settings: Any) -> frozenctx.Prompt:
    return load(package("briefs/draft", system, user, **settings))["briefs/draft"]


# Texts


def test_messages_are_system_and_user_with_their_texts() -> None:
    assert one("Be {{ tone }}.", "Go: {{ task }}").messages(tone="kind", task="x") == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Go: x"},
    ]


def test_without_a_user_text_there_is_one_message_and_user_is_none() -> None:
    prompt = one("Hi")
    assert prompt.messages() == [{"role": "system", "content": "Hi"}]
    assert prompt.user() is None
    assert prompt.system() == "Hi"


def test_partials_are_found_by_the_names_that_the_package_gives_them() -> None:
    a = package("a", "{% include 'p.j2' %}", partials={"p.j2": "one {{ x }}"})
    b = package("b", "{% extends 'p.j2' %}", partials={"p.j2": "two{% import 'q.j2' as q %}{{ q.f(x) }}",
                                                       "q.j2": "{% macro f(y) %}<{{ y }}>{% endmacro %}"})  # fmt: skip
    prompts = load(a, b)
    assert [prompts["a"].system(x=1), prompts["b"].system(x=2)] == ["one 1", "two<2>"]


def test_a_literal_text_is_no_template() -> None:
    assert load(package("a", literal="{{ not a template }}"))["a"].system(x=1) == "{{ not a template }}"


# Variables


@pytest.mark.parametrize("name", ["self", "vars", "history", "extra", "user", "messages", "class", "more", "key"])
def test_every_keyword_is_a_variable(name: str) -> None:
    template = "{{ self }}" if name == "self" else f"{{{{ {name} }}}}"
    prompt = one(template, template)
    if name == "self":  # in a template, `self` is the template; the keyword is taken all the same
        assert len(prompt.messages(**{name: "v"})) == 2
    else:
        assert [m["content"] for m in prompt.messages(**{name: "v"})] == ["v", "v"]
        assert prompt.system(**{name: "v"}) == prompt.user(**{name: "v"}) == "v"


def test_a_mapping_and_keywords_mean_the_same() -> None:
    prompt = one("{{ a }}{{ b }}")

    class OnlyMapping(Mapping[str, Any]):
        def __getitem__(self, key: str) -> Any:
            return {"a": 1, "b": 2}[key]

        def __iter__(self) -> Any:
            return iter("ab")

        def __len__(self) -> int:
            return 2

    assert prompt.system({"a": 1, "b": 2}) == prompt.system({"a": 1}, b=2) == prompt.system(OnlyMapping()) == "12"


def test_a_name_given_both_ways_is_a_type_error_that_names_it() -> None:
    with pytest.raises(TypeError, match="given in the mapping and as a keyword: `a`"):
        one("{{ a }}").messages({"a": 1}, a=1)


@pytest.mark.parametrize("wrong", ["text", [("a", 1)], 3])
def test_variables_that_are_no_mapping_are_a_type_error(wrong: Any) -> None:
    with pytest.raises(TypeError, match="variables come as a mapping or as keywords"):
        one("x").messages(wrong)


def test_the_callers_mapping_is_not_changed() -> None:
    given = {"a": 1}
    one("{% set a = 2 %}{% set b = 3 %}{{ a }}").system(given)
    assert given == {"a": 1}


def test_names_that_a_template_does_not_use_are_ignored_without_an_input_schema() -> None:
    assert one("x").system(nobody="asks") == "x"


# Exceptions


def test_a_template_error_says_key_version_role_file_and_line_and_has_one_note() -> None:
    prompt = one("fine", "line one\n{{ ghost }}")
    with pytest.raises(errors.UndefinedError) as caught:
        prompt.messages()
    error = caught.value
    assert str(error) == "'ghost' is undefined"
    assert (error.key, error.version, error.role) == ("briefs/draft", prompt.version, "user")
    assert (error.file, error.line) == ("briefs/draft.ctx/prompt.j2", 2)
    note = f"in {prompt.version}, role user, briefs/draft.ctx/prompt.j2 line 2; given: no variables"
    assert error.__notes__ == [note]
    assert isinstance(error, frozenctx.FrozenctxError)


def test_an_error_in_a_partial_names_the_partial() -> None:
    prompt = load(package("a", "\n{% include 'p.j2' %}", partials={"p.j2": "\n\n{{ x.y }}"}))["a"]
    with pytest.raises(errors.UndefinedError) as caught:
        prompt.system()
    assert (caught.value.file, caught.value.line, caught.value.role) == ("partials/p.j2", 3, "system")


def test_an_exception_of_the_callers_own_object_passes_with_a_note_only() -> None:
    class Own(Exception):
        pass

    raised = Own("mine")

    class Item:
        @property
        def title(self) -> str:
            raise raised

    prompt = one("{{ item.title }}")
    for _ in range(2):
        with pytest.raises(Own) as caught:
            prompt.messages(item=Item())
        assert caught.value is raised
        assert not hasattr(raised, "key")
        assert len(raised.__notes__) == 1
        assert prompt.version in raised.__notes__[0]


def test_a_prompt_rendered_inside_anothers_filter_keeps_its_own_place() -> None:
    inner = one("{{ ghost }}")
    outer = load(package("outer", "{{ 1 | money }}"), filters={"money": lambda value: inner.system()})["outer"]
    with pytest.raises(errors.UndefinedError) as caught:
        outer.system()
    assert caught.value.key == "briefs/draft"
    assert len(caught.value.__notes__) == 1


# What it is


def test_settings_have_one_attribute_each_and_none_when_unset() -> None:
    settings = one("x", **SETTINGS).settings
    assert (settings.model, settings.max_tokens, settings.temperature) == ("openai:gpt-5", 0, 1.0)
    assert settings.tools == ("web/search", "crm/read")
    assert settings.sub == {"shape": "Agent", "summary_policy": "result_only"}
    unset = [name for name in dir(settings) if getattr(settings, name) is None]
    assert unset == sorted(set(dir(settings)) - {"model", "max_tokens", "temperature", "tools", "sub"})


def test_an_unknown_setting_is_an_attribute_error_with_the_nearest_name() -> None:
    with pytest.raises(AttributeError, match="no setting `max_token`; did you mean `max_tokens`"):
        one("x").settings.max_token  # type: ignore[attr-defined]  # noqa: B018


def test_settings_of_the_runtime_are_those_that_the_compiler_stores() -> None:
    from frozenctx.settings import SETTINGS as of_runtime
    from frozenctx_artifacts.objects import StoredSettings

    fields = zip(StoredSettings.__struct_fields__, StoredSettings.__struct_encode_fields__, strict=True)
    assert list(fields) == list(of_runtime.items())


@pytest.mark.parametrize(
    ("model", "provider", "name"),
    [("openai:gpt-5", "openai", "gpt-5"), ("claude-sonnet-4", None, "claude-sonnet-4"), ("a:b:c/d", "a", "b:c/d")],
)
def test_model_is_provider_and_model_name(model: str, provider: str | None, name: str) -> None:
    prompt = one("x", model=model)
    assert (prompt.model, prompt.provider, prompt.model_name) == (model, provider, name)


def test_property_order_of_a_reply_schema_is_the_sources() -> None:
    assert list(one("x", **SETTINGS).reply_schema["properties"]) == ["z", "a"]


def test_what_is_handed_out_is_a_copy_and_attributes_cannot_be_set() -> None:
    prompt = one("x", **SETTINGS)
    for value in (prompt.identity, prompt.meta, prompt.reply_schema, prompt.settings.sub or {}):
        value.clear()
    prompt.messages().clear()
    assert prompt.identity["name"] == "draft"
    assert prompt.meta == {"owner": "team", "tags": ["x"]}
    assert prompt.reply_schema == SETTINGS["reply_schema"]
    assert prompt.settings.sub == SETTINGS["sub"]
    for name in ("key", "model", "settings", "anything"):
        with pytest.raises(AttributeError):
            setattr(prompt, name, 1)
    with pytest.raises(AttributeError):
        prompt.settings.model = "other"


def test_version_is_the_key_and_twelve_digits_of_the_identity() -> None:
    from hashlib import sha256
    from json import dumps

    prompt = one("x", **SETTINGS)
    text = dumps(dict(sorted(prompt.identity.items())), separators=(",", ":"))
    assert prompt.version == f"briefs/draft@v{sha256(text.encode()).hexdigest()[:12]}"
    assert prompt.digest.startswith("sha256:")
    assert len(prompt.digest) == 71


def test_tools_are_a_tuple_and_skills_a_mapping() -> None:
    prompt = one("x", tools=("a",), skills=("search",))
    assert (prompt.tools, one("x").tools) == (("a",), ())
    assert (dict(one("x").skills), one("x").skills.block(), one("x").skills.tool()) == ({}, "", None)


def test_objects_are_whole_for_whoever_looks_at_them_and_have_no_more(tmp_path: Path) -> None:
    program = (
        "import sys, frozenctx\n"
        "prompts = frozenctx.load(sys.argv[1])\n"
        "prompt = prompts['a']\n"
        "for each in (prompts, prompt, prompts._release.contents):\n"
        "    assert not hasattr(each, '__dict__') and not hasattr(each, 'nothing')\n"
        "assert {'named', 'is_current', 'digest', 'get'} <= {*dir(prompts)}\n"
        "assert {'parse', 'tool', 'skills', 'model', 'messages', 'version'} <= {*dir(prompt)}\n"
        "class Own(frozenctx.Prompt): pass\n"
        "own = Own(prompt._release, prompt._head)\n"
        "assert (own.version, own.messages()) == (prompt.version, prompt.messages())\n"
        "print(prompts, prompt, prompts._release.contents)\n"
    )
    stored(tmp_path, package("a", literal="x"))
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "<frozenctx.Prompts: 1 prompts, sha256:" in done.stdout
    assert "> <frozenctx.Prompt a@v" in done.stdout
    assert "> <the pack /" in done.stdout


def test_the_classes_are_whole_for_whoever_looks_at_them() -> None:
    program = (
        "import frozenctx, inspect\n"
        "from unittest.mock import create_autospec\n"
        "assert {'parse', 'tool', 'skills', 'model', 'messages'} <= {*dir(frozenctx.Prompt)}\n"
        "assert {'named', 'is_current', 'digest'} <= {*dir(frozenctx.Prompts)}\n"
        "assert list(inspect.signature(frozenctx.Prompt.parse).parameters) == ['self', 'text', 'prose']\n"
        "mock = create_autospec(frozenctx.Prompt, instance=True)\n"
        "mock.parse.return_value = 3\n"
        "assert mock.parse('x') == 3\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
