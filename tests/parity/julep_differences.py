"""Which row of COMPATIBILITY.md a difference from Julep belongs to.

In: what `with_julep.py` found of a package: that one side alone refuses it (our codes; the words of Julep's exception),
or a part that is not the same. Out: the first cell of the row, or None. A test holds the rows to that page.
"""

import re

RELEASE = "3.0.0rc6"

_BLOCKS = "expressions and blocks that stand in each other more than 50 deep, filters in a row more than 100"
_BOOLEANS = '`"true"` and `"false"` for booleans'
_BOTH_NAMES = "keys that are equal after case folding, or in another normalisation"
_DECLARED = "defaults that are no constants or of another type, names declared twice, methods"
_DEFAULTS = "defaults that are sets, `list()`, constants by name, `+1`"
_FILES = "links and paths that leave the root, lead in circles or to no file"
_FRONT_MATTER = "front matter with blanks behind its fences, without a key, or at the end of the file"
_INPUT = (
    "templates that use what `Input` does not declare, or what may be left out without a guard (Julep ignores `Input`)"
)
_IN_NAMES = "import filters in comments, raw blocks and text, and absent optional targets, in a renderer name"
_LEAKS = "a description on one field of a class that is used twice"
_LITERALS = "`Literal`: negative numbers, a Literal in it, `True` beside integers"
_MARKERS = "role markers in comments, raw blocks, tags and expressions"
_MARKS = "a BOM, CRLF or lone CR"
_MORE_TYPES = (
    "classes that contain themselves; Enum, datetime, date, time, UUID; aliases, `NewType`, functional TypedDict; "
    "strings below fields"
)
_NO_MODEL = "no model"
_NO_NAME = "a minimal package without `name`"
_NULLS = "`model: null`, `name: null`, `system: null`"
_OTHER_VALUES = "settings of another type, unknown keys of `sub`"
_REPLY = "`reply_schema` and `schema_file` beside templates; a reply schema that is `{}` or a boolean"
_SAMPLES = "`samples/`, `expect`, `frozenctx test`"
_SCALARS = "scalars that YAML 1.1 and YAML 1.2 read differently"
_SKILL_WORDS = "skills: descriptions that are no text"
_TOLD = "descriptions of tools and parameters"
_TWO = "`settings.yaml` beside `settings.yml`, `prompt.j2` beside `messages/`, `system` beside `system_file`"
_TYPES = "types that JSON Schema does not express (keys that are no text, as in `dict[int, str]`), names of other files"
_UNREAD = "YAML and JSON that are not read: tags in messages, aliases of themselves, NaN, what has no end"

# Rows about what a package is called, and which model it has, when it says neither.
DEFAULTS = {_NO_MODEL, _NO_NAME}

# Codes of errors here, in packages that Julep takes.
REFUSED_HERE = {
    "ambiguous-scalar": _SCALARS,
    "bad-declaration": _DECLARED,
    "bad-default": _DECLARED,
    "bad-message": "`messages/` without a message",
    "bad-model": "a model with control characters or an empty half (`a/`, `/a`, `@low`)",
    "bad-name": "names with control characters, `@`, `,`, `/`",
    "bad-reply-schema": "a reply schema that means nothing (`type: int`, a `$ref` that leads nowhere)",
    "bad-sample": _SAMPLES,
    "bad-skill": _SKILL_WORDS,
    "bad-tool": "`*args` and `**kwargs` of a tool; overloads, decorators, methods; a second or odd `__server__`",
    "bad-type": _TYPES,
    "bad-value": _OTHER_VALUES,
    "both-spellings": "both spellings of one setting",
    "computed-target": "computed targets",
    "duplicate-key": "duplicate keys at any depth",
    "env-unset": "a variable without default that is not given",
    "internal-name": "names beginning with `_` as attributes, also through `attr`, `attribute=`, `format`",
    "json-syntax": _UNREAD,
    "key-collision": _BOTH_NAMES,
    "link-loop": _FILES,
    "misplaced-tag": _UNREAD,
    "missing-file": "a named file that does not exist",
    "not-a-file": _FILES,
    "not-iterable": _INPUT,
    "not-plain-data": _UNREAD,
    "nul-character": "undecodable bytes, NUL",
    "outside-root": _FILES,
    "python-syntax": "`type Name = …`, type parameters of classes",
    "recursive-alias": _UNREAD,
    "reserved-tool": "the block of skills, `__load_skill__`, its answers",
    "sample-input": _SAMPLES,
    "schema-too-large": _UNREAD,
    "setting-conflict": _TWO,
    "template-cycle": "templates that include each other in every rendering",
    "template-syntax": _BLOCKS,
    "text-before-role": "comments before the first role",
    "token-filter-not-yet": "`count_tokens`, `truncate_tokens`",
    "tool-name": "wire names",
    "two-settings": _TWO,
    "unclosed-front-matter": "front matter opened and never closed",
    "undeclared-input": _INPUT,
    "unknown-attribute": _INPUT,
    "unknown-filter": "an unknown filter or test behind a condition",
    "unknown-import": "`from` of a name that its literal target does not export",
    "unknown-key": "unknown keys in a minimal package",
    "unknown-mount": _FILES,
    "unknown-type": _TYPES,
    "yaml-1-1": _SCALARS,
    "yaml-too-large": _UNREAD,
}

# Words of Julep's exceptions, about packages that are taken here.
REFUSED_THERE = (
    (
        r"unsupported generic type: |unsupported annotation: |unknown schema class: (List|Dict|Set|Tuple|object)\b",
        "`Union`, `Annotated`, `ReadOnly`, other collections, quoted annotations",
    ),
    (r"unknown schema class: |recursive schema types", _MORE_TYPES),
    (r"Literal\[\.\.\.\] needs constant values", _LITERALS),
    (r"unsupported reply= value|unknown settings keys in .*: .*(reply_schema|replySchema|schema_file) \(", _REPLY),
    (r"unknown settings keys in ", "`input_defaults`, `meta`, `x-…`"),
    (
        r"dynamic include/import target|No filter named|No test named|unknown tag 'do'",
        "choices between literals as targets, `{% do %}`, filters and tests of the host",
    ),
    (r"role marker|before the first <<<|unknown tag 'endraw'|unexpected char", _MARKERS),
    (r"zip\(\) argument", "comments before the first role"),
    (
        r"Unsupported yglu configuration|could not determine a constructor",
        "expressions beyond `$env.get`: `$env.NAME`, and all of Yglu",
    ),
    (r"require_tool_call must be true or false", _BOOLEANS),
    (r"contains unsupported files|is not a skill directory", "other files of a skill than SKILL.md"),
    (r"'skills' in .* must be a list|need a 'name'", _NULLS),
    (r"has no YAML frontmatter", _FRONT_MATTER),
    (r"U\+FEFF", _MARKS),
    (r"dotctx path does not exist", _BOTH_NAMES),
)

# Parts that differ: a pattern of `part here Julep`, and one of where.
DIFFERS = (
    (r'name "(.*)" "\1\.ctx"', "", _NO_NAME),
    (r'model .* "None"', "", _NULLS),
    (r'system "" null', "", _NULLS),
    (r"(name|model|system|systemRender) ", "[ -]bom|byte order mark|windows/", _MARKS),
    (r"(model|systemRender) ", "single/|front-matter: |^files: ", _FRONT_MATTER),
    (r'model .* "claude-sonnet-4"$|reasoningEffort "low" -$', "", _NO_MODEL),
    (r"agent - true$", "", _BOOLEANS),
    (r"system(Render)? ", "mounts", _FILES),
    (
        r"(system|user)Render ",
        "rich/captures|renderer-names-name|absent|in a comment|in a raw|in text|outreach",
        _IN_NAMES,
    ),
    (r"(system|user)Render ", "a marker in a comment", _MARKERS),
    (
        r"systemRender ",
        "import_text in parentheses|holds a quote|an escape",
        "import filters in parentheses, of paths with quotes or escapes",
    ),
    (r"replySchema .* null$", "examples: |reply_schema: {}", _REPLY),
    (r"(replySchema|tool f) ", r"tuple\[\(\)\]", "`tuple[()]`"),
    (r"(replySchema|tool f) ", r"Literal\[", _LITERALS),
    (r"replySchema ", r"Required\[", "`Required` and `NotRequired` in plain classes"),
    (r"replySchema ", r"= ({1, 2}|list\(\)|CONSTANT|\+1)$", _DEFAULTS),
    (r'(replySchema|tool f) .*"Ellipsis"', "", "`= ...`"),
    (r"replySchema ", "inheritance|a plain base|stubs-(of-every-form|with-class)", "bases of plain classes"),
    (r"replySchema ", "a functional|an Enum|words below", _MORE_TYPES),
    (r'replySchema .*"description"', "examples: ", _MORE_TYPES),
    (r"replySchema ", "a default at one of two uses", _LEAKS),
    (r"replySchema ", "a class called list", "a class called like a built-in type"),
    (r"replySchema ", "docstring", "docstrings"),
    (
        r"tools? ",
        "an annotated server|cls$|positional-only|tool-server",
        "positional-only parameters, `self`, `cls`, `__server__: str = …`",
    ),
    (r"tool f ", "a class at two parameters", _LEAKS),
    (r"tool ", "^tools: |examples: |tool-", _TOLD),
    (r"skill", "null as description", "skills: keys, activation, faults"),
)


def explanation(where: str, kind: str, what: str, here: str = "", there: str = "") -> str | None:
    """`kind`: "refused here" with a code, "refused there" with Julep's words, "differs" with a part and both values."""
    if kind == "refused here":
        return REFUSED_HERE.get(what)
    if kind == "refused there":
        return next((row for pattern, row in REFUSED_THERE if re.search(pattern, what)), None)
    told = f"{what} {here} {there}"
    found = (row for part, place, row in DIFFERS if re.match(part, told) and re.search(place, where))
    return next(found, None)


def rows() -> list[str]:
    """All rows that are named here."""
    named = [*REFUSED_HERE.values(), *(row for _, row in REFUSED_THERE), *(row for _, _, row in DIFFERS)]
    return list(dict.fromkeys(named))
