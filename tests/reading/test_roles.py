"""Role markers split template data and nothing else; what is cut out knows where it came from."""

import re
from typing import Any

import pytest
from frozenctx_compiler import roles
from frozenctx_compiler.diagnostics import Report
from frozenctx_compiler.excerpt import Excerpt
from hypothesis import given, settings
from hypothesis import strategies as st

FILE = "a.ctx/prompt.j2"


def split(text: str) -> tuple[dict[str, str] | None, Report]:
    report = Report()
    sections = roles.split(Excerpt(FILE, text), report.scoped("a"))
    return None if sections is None else {role: excerpt.text for role, excerpt in sections}, report


def sections_of(text: str) -> dict[str, str]:
    sections, report = split(text)
    assert sections is not None, report.diagnostics
    assert report.diagnostics == ()
    return sections


def fault_of(text: str) -> tuple[str, int, int]:
    """(code, line, column) of the one finding."""
    sections, report = split(text)
    assert sections is None
    (finding,) = report.diagnostics
    assert finding.span is not None
    assert finding.span.file == FILE
    return finding.code, finding.span.line, finding.span.column


@pytest.mark.parametrize(
    ("text", "sections"),
    [
        ("<<<role:system>>>\nA\n<<<role:user>>>\nB\n", {"system": "A", "user": "B"}),
        ("<<<role:system>>>A", {"system": "A"}),
        ("\n \n<<< role:SYSTEM\t>>>A<<<\nrole:User >>>B", {"system": "A", "user": "B"}),
        ("<<<role:system>>><<<role:user>>>", {"system": "", "user": ""}),
        ("<<<role:system>>>\u00a0\x0b\x1c A \u2028<<<role:user>>>\ufeffB", {"system": "A", "user": "\ufeffB"}),
        ("  no markers \n", {"system": "  no markers \n"}),
        ("", {"system": ""}),
        (
            "a << b <<<EOF>>> <<<role: system>>> <<<role:>>>",
            {"system": "a << b <<<EOF>>> <<<role: system>>> <<<role:>>>"},
        ),
    ],
)
def test_markers_split_and_sections_are_stripped(text: str, sections: dict[str, str]) -> None:
    assert sections_of(text) == sections


MARK = "<<<role:user>>>"


@pytest.mark.parametrize(
    "inner",
    [
        f"{{# {MARK} #}}",
        f"{{#- {MARK} -#}}",
        f"{{#\n{MARK}\n#}}",
        f"{{% raw %}}{MARK}{{% endraw %}}",
        f"{{%- raw -%}} {MARK} {{%- endraw +%}}",
        f"{{{{ '{MARK}' }}}}",
        f'{{% set x = "{MARK}" %}}',
        f"{{% if '{MARK}' %}}y{{% endif %}}",
        f"{{{{ {{'a': '{MARK}'}}['a'] }}}}",
    ],
)
def test_a_marker_outside_template_data_is_no_marker(inner: str) -> None:
    assert sections_of(inner) == {"system": inner}
    text = f"<<<role:system>>>\n{inner} x\n{MARK}\nB {inner}"
    assert sections_of(text) == {"system": f"{inner} x", "user": f"B {inner}"}


@pytest.mark.parametrize(
    ("head", "kept"),
    [
        ("{# a #}\n", "{# a #}"),
        ("\n\n  {# a #}  \n", "{# a #}"),
        ("{# a\n b #}\n\n{#- c -#}\n", "{# a\n b #}\n\n{#- c -#}"),
        ("# note\n{# a #}\n  # note\n", "{# a #}"),
        ("{# a #}\n# between\n{# b #}\n", "{# a #}\n{# b #}"),
        ("{# a #} # the whole line is dropped\n{# b #}", "{# b #}"),
        ("{# a #}{# b #}", "{# a #}{# b #}"),
        ("{# # not a note #}\n", "{# # not a note #}"),
        ("{# <<<role:user>>> #}\n", "{# <<<role:user>>> #}"),
    ],
)
def test_comments_before_the_first_marker_are_put_before_the_system_text(head: str, kept: str) -> None:
    assert sections_of(f"{head}<<<role:system>>>\n A\nB\n") == {"system": f"{kept}A\nB"}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("hello\n<<<role:system>>>A", ("text-before-role", 1, 1)),
        ("# note\n  {# c #} tail\n<<<role:system>>>A", ("text-before-role", 2, 11)),
        ("{% set x = 1 %}\n<<<role:system>>>A", ("text-before-role", 1, 1)),
        ("{{ x }}<<<role:system>>>A", ("text-before-role", 1, 1)),
        ("{% raw %}{% endraw %}<<<role:system>>>A", ("text-before-role", 1, 1)),
        ("# note {# begins\nends #}\n<<<role:system>>>A", ("text-before-role", 1, 1)),
        ("{# begins\nends #} # note\n<<<role:system>>>A", ("text-before-role", 2, 9)),
        ("<<<role:user>>>A", ("role-order", 1, 1)),
        ("<<<role:user>>>A<<<role:system>>>B", ("role-order", 1, 1)),
        ("<<<role:system>>>A\n <<<role:system>>>B", ("role-order", 2, 2)),
        ("<<<role:system>>>A<<<role:user>>>B<<<role:user>>>", ("role-order", 1, 35)),
        ("<<<role:system>>>A<<<role:user>>>B<<<role:system>>>", ("role-order", 1, 35)),
        ("<<<role:assistant>>>A", ("unknown-role", 1, 1)),
        ("<<<role:system>>>A<<<role:user>>>B<<<role:assistant>>>", ("unknown-role", 1, 35)),
        ("<<<role:system>>>A\n{% if x %}\n<<<role:user>>>B{% endif %}", ("role-marker-in-block", 3, 1)),
        ("{% if x %}<<<role:system>>>A{% endif %}", ("role-marker-in-block", 1, 11)),
        ("<<<role:system>>>{% set x | f(a=1) %}<<<role:user>>>{% endset %}", ("role-marker-in-block", 1, 38)),
        (
            "<<<role:system>>>{% for a in b %}{% if c %}{% endif %}<<<role:user>>>{% endfor %}",
            ("role-marker-in-block", 1, 55),
        ),
        ("<<<role:system>>>{# never closed", ("template-syntax", 1, 18)),
        ("x\n<<<role:system>>> {#", ("text-before-role", 1, 1)),
    ],
)
def test_what_cannot_be_split_is_reported_where_it_stands(text: str, fault: tuple[str, int, int]) -> None:
    assert fault_of(text) == fault


@pytest.mark.parametrize(
    "before",
    [
        "{% set x = 1 %}",
        "{% set x = {'a': 1} %}",
        "{% set a, b = c %}",
        "{% set x %}y{% endset %}",
        "{% block b required %}{% endblock b %}",
        "{% include 'x' %}{% import 'y' as y %}{% from 'z' import q %}{% do f() %}",
        "{% for a in b recursive %}{% else %}{% continue %}{% endfor %}",
        "{% call(x) f(y=1) %}{% endcall %}{%- filter upper -%}{% endfilter %}",
        "{% macro m(a=1) %}{% endmacro %}{% with a = 1 %}{% endwith %}{% autoescape true %}{% endautoescape %}",
        "{%+ if a == b %}{% elif c %}{% else %}{% endif %}",
    ],
)
def test_a_marker_after_closed_blocks_is_a_marker(before: str) -> None:
    assert sections_of(f"<<<role:system>>>{before}{MARK}B") == {"system": before, "user": "B"}


# -- against a reading that knows the answer beforehand --------------------------------------------------------------

_TEXT = ["a", "  ", "\n", "\n\n", "é 日本", "<<<", ">>>", "#", "\x0c", "\u2028", "<<<role>>>", "'", "\t", "-"]
_HIDDEN = [
    "{# <<<role:user>>> #}",
    "{#- <<<role:system>>>\n -#}",
    "{% raw %}<<<role:user>>>{% endraw %}",
    "{%- raw -%}\n<<<role:user>>>\n{%- endraw -%}",
    "{{ '<<<role:user>>>' }}",
    "{{- 1 -}}",
    "{% set x = '<<<role:user>>>' -%}",
    "{% if x %} y {% endif %}",
    "{%+ for a in b -%}\n{{ a }}\n{% endfor +%}",
]
_BODY = st.lists(st.sampled_from(_TEXT + _HIDDEN), max_size=8).map("".join)
_MARKER = st.sampled_from(["<<<role:{}>>>", "<<< role:{} >>>", "<<<\n role:{}\t>>>"])
_HEAD_LINES = ["", "  ", "{# c #}", " {# <<<role:user>>>\n # two #}", "# note", " # {# x #} note"]
_HEAD = st.lists(st.sampled_from(_HEAD_LINES), max_size=5)


def header_of(lines: list[str]) -> str:
    return "\n".join(line for line in [*lines, ""] if not line.lstrip().startswith("# ")).strip()


@settings(max_examples=300)
@given(head=_HEAD, system=_BODY, user=_BODY | st.none(), first=_MARKER, second=_MARKER)
def test_sections_equal_the_parts_a_prompt_was_built_from(
    head: list[str], system: str, user: str | None, first: str, second: str
) -> None:
    text = "".join(f"{line}\n" for line in head) + first.format("system") + system
    expected = {"system": header_of(head) + system.strip()}
    if user is not None:
        text += second.format("user") + user
        expected["user"] = user.strip()
    assert sections_of(text) == expected


@settings(max_examples=300)
@given(head=_HEAD, system=_BODY, user=_BODY, first_line=st.integers(1, 3))
def test_every_line_of_a_section_is_found_again_in_the_file(
    head: list[str], system: str, user: str, first_line: int
) -> None:
    body = "".join(f"{line}\n" for line in head) + f"<<<role:system>>>{system}<<<role:user>>> {user}"
    file = "front\n" * (first_line - 1) + body
    count = body.count("\n") + 1
    prompt = Excerpt(FILE, body, tuple(range(first_line, first_line + count)), (0,) * count)
    sections: Any = roles.split(prompt, Report().scoped("a"))
    file_lines = file.split("\n")
    for role, excerpt in sections:
        lines = excerpt.text.split("\n")
        header_lines = header_of(head).count("\n") + 1 if role == "system" and header_of(head) else 0
        assert len(excerpt.lines) == len(excerpt.columns) == len(lines)
        for index, line in enumerate(lines):
            if index == header_lines - 1:
                line = line[len(header_of(head).split("\n")[-1]) :]  # the line that header and section share
                start = len(lines[index]) - len(line) + excerpt.columns[index]
            else:
                start = excerpt.columns[index]
            if line:
                assert file_lines[excerpt.lines[index] - 1][start:].startswith(line)


def test_a_place_in_a_section_is_the_place_in_the_file() -> None:
    text = "# n\n{# one\n two #}\n <<<role:system>>>  A {{ x\n }} B\n<<<role:user>>>\n\n  C"
    sections: Any = roles.split(Excerpt(FILE, text), Report().scoped("a"))
    for role, word in (("system", "A"), ("system", "B"), ("user", "C"), ("system", "one"), ("system", "x")):
        template = dict(sections)[role]
        excerpt = Excerpt(FILE, template.text, template.lines, template.columns)
        offset = excerpt.text.index(word)
        span = excerpt.span_at(offset, len(word))
        line = text.split("\n")[span.line - 1]
        assert line[span.column - 1 : span.end_column - 1] == word


def test_markers_are_found_without_end_in_a_large_prompt() -> None:
    body = "".join(f"line {n} {{{{ x }}}} {{# c #}}\n" for n in range(2000))
    assert re.sub(r"\s", "", sections_of(f"<<<role:system>>>{body}<<<role:user>>>{body}")["user"])
