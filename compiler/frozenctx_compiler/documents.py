"""The tables of keys of every document but settings: messages, samples, evals, skills and frozenctx.toml.

CTX-FORMAT §1, §2, §7 and §8 say what they hold. `DOCUMENTS` is everything that `frozenctx schema` can print, in the
order in which it lists it. `check_settings`, `messages`, `samples`, `check_evals` and `project` read these tables;
of skills, whose two keys `check_skills` looks at itself, there is one for editors.
"""

from .diagnostics import CODES
from .keys import (
    FILLED,
    MAPPING,
    NUMBER,
    STRING,
    Document,
    Key,
    Type,
    choice,
    either,
    integer,
    list_of,
    record,
    table,
)
from .settings import FRONT_MATTER, SETTINGS

MESSAGE = Document(
    "messages",
    "One message of a .ctx package",
    "A file of `messages/`: the template of one role, taken as it is.",
    ("**/*.ctx/messages/*.yaml", "**/*.ctx/messages/*.yml"),
    record(
        Key("role", choice("system", "user"), "whose text it is", required=True, null=False),
        Key("content", STRING, "the template, neither split nor stripped", required=True, null=False),
    ),
    notes=("the files of a directory are one `system`, optionally then one `user`", "the content must be Jinja"),
)

_TEXT = Type("string", "not empty")
_EXPECTED = record(
    Key("contains", list_of(_TEXT), "texts that stand in the rendered text"),
    Key("not_contains", list_of(_TEXT), "texts that do not stand in the rendered text"),
    Key("max_chars", integer(0, worded=False), "how many characters the rendered text has at most"),
)
SAMPLE = Document(
    "samples",
    "A sample of a .ctx package",
    "Variables that a prompt is tried with, and what its text is expected to hold.",
    ("**/*.ctx/samples/*.yaml",),
    record(
        Key("variables", MAPPING, "the variables of the templates: names and values", required=True, null=False),
        Key("description", STRING, "what the sample is for"),
        Key(
            "expect",
            record(
                Key("system", _EXPECTED, "what is expected of the system text"),
                Key("user", _EXPECTED, "what is expected of the user text"),
            ),
            "what is expected of the rendered texts",
        ),
    ),
)
SAMPLES_OF_FILE = Document(
    "samples-of-file",
    "Samples of a single-file .ctx package",
    "`<stem>.samples.yaml` beside `<stem>.ctx`: name → sample.",
    ("**/*.samples.yaml",),
    table(SAMPLE.body),
)

_TAGS = Key("tags", either(STRING, list_of(STRING)), "words to select by")
_EVAL = (
    Key(
        "models",
        list_of(
            Type("string", "model"),
            record(Key("id", Type("string", "model"), "the model", required=True, null=False), _TAGS),
        ),
        "the models to evaluate, each a slug or `id` and `tags`",
    ),
    Key(
        "datasets",
        list_of(
            FILLED,
            record(
                Key("file", FILLED, "the path of the file, relative to eval.yaml", required=True, null=False),
                Key("format", FILLED, "the format of the file", "the file's suffix"),
                _TAGS,
            ),
        ),
        "the files of examples, each a path or `file`, `format` and `tags`",
    ),
    Key("threshold", NUMBER, "the score from which an example passes", "0.5"),
    Key("concurrency", integer(1, worded=True), "how many examples are evaluated at once", "5"),
    Key("scoring", MAPPING, "what `score` of eval.py is configured with"),
    Key("agent", MAPPING, "how the prompt is run, when it is run as an agent"),
)
EVAL = Document(
    "eval",
    "Evaluation of a .ctx package",
    "`eval.yaml`: what a package is evaluated with. Builds never read it; `frozenctx check --evals` checks it.",
    ("**/*.ctx/eval.yaml", "**/*.ctx/eval.yml"),
    record(*_EVAL, Key("profiles", table(record(*_EVAL)), "name → what is different under that name")),
    expressions=True,
    notes=("of `eval.yaml` and `eval.yml` there may be one", "whether the files of `datasets` exist is not looked at"),
)

SKILL = Document(
    "skill",
    "Front matter of SKILL.md",
    "What stands between the first line `---` of `skills/<name>/SKILL.md` and the next such line.",
    (),
    record(
        Key("name", Type("string", "skill name"), "the name of the directory", required=True, null=False),
        Key("description", STRING, "what the skill is for: what a model chooses it by", "`(no description)`"),
        open=True,
    ),
    notes=("what follows the front matter must not be blank",),
)

TOOLS_SNAPSHOT = Document(
    "tools-snapshot",
    "Snapshot of the tools that MCP servers serve",
    "A JSON file that `--tools-snapshot` compares with `tools.pyi`: by server the result of MCP's `tools/list`.",
    (),
    record(
        Key(
            "servers",
            table(
                record(
                    Key(
                        "tools",
                        list_of(
                            record(
                                Key("name", FILLED, "what the server calls it", required=True, null=False),
                                Key("description", STRING, "what a model is told about it"),
                                Key("inputSchema", MAPPING, "JSON Schema of the arguments", required=True, null=False),
                                open=True,
                            )
                        ),
                        "the tools of all pages together",
                        required=True,
                        null=False,
                    ),
                    open=True,
                )
            ),
            "server, as `__server__` in `tools.pyi` names it → what it answered",
            required=True,
            null=False,
        ),
    ),
    notes=("`nextCursor` must be absent or null", "two tools of a server have two names"),
)

_PATH, _FILLED_PATH = Type("string", "path"), Type("string", "filled path")
LEVEL = choice("error", "warning", "note")
PROJECT = Document(
    "toml",
    "frozenctx.toml",
    "The project file: where packages are, what builds take by default, how severe each lint is.",
    ("**/frozenctx.toml",),
    record(
        Key("required-version", STRING, "the versions of frozenctx that may build this, such as `>=0.1,<1`"),
        Key("trees", table(STRING), "directory → prefix of the keys of its packages", "the root, without a prefix"),
        Key("mounts", table(_PATH, "mount name"), "name → directory outside the root, read as `@name/…`"),
        Key(
            "packages",
            record(Key("also", list_of(_PATH), "patterns of package directories without the suffix `.ctx`")),
            "what is a package besides `*.ctx`",
        ),
        Key(
            "defaults",
            record(
                Key("model", Type("string", "model"), "the model of packages that name none"),
                Key("out", _FILLED_PATH, "the directory that artifacts go to, relative to the root"),
                Key("profile", _FILLED_PATH, "the profile that a build switches", "`default`"),
                Key("links", choice("inside", "follow"), "whether links may lead out of the root", "`inside`"),
            ),
            "defaults of packages and of the command line",
        ),
        Key(
            "env",
            record(
                Key("files", list_of(_FILLED_PATH), "files of NAME=value lines, below the root"),
                Key("values", table(STRING, "identifier"), "name → value; weaker than the files"),
                Key("secret", list_of(Type("string", "identifier")), "names whose values may never be frozen"),
                Key("public", list_of(Type("string", "identifier")), "names that look like secrets and are none"),
            ),
            "what `$env` reads, weaker than `--env-file` and `--env`",
        ),
        Key(
            "secrets",
            record(
                Key(
                    "allow",
                    table(Type("string", "filled"), "fingerprint"),
                    "fingerprint of what looks like a secret in a source → why it is none",
                )
            ),
            "what a reviewer has allowed",
        ),
        Key(
            "profiles",
            table(list_of(_FILLED_PATH), "profile name"),
            "profile → environment files of its own, below the root; a build makes a release for each",
            "one profile",
        ),
        Key(
            "host",
            record(
                Key("filters", list_of(Type("string", "identifier")), "filters that templates may use"),
                Key("tests", list_of(Type("string", "identifier")), "tests that templates may use"),
                Key("globals", list_of(Type("string", "identifier")), "globals that templates may use"),
            ),
            "what the program that loads the prompts supplies",
        ),
        Key(
            "lint",
            record(
                *(
                    Key(code.name, LEVEL, code.meaning, f"`{code.level}`")
                    for code in sorted(CODES.values(), key=lambda code: code.name)
                    if code.kind == "lint"
                )
            ),
            "how severe a lint is",
        ),
    ),
    nulls=False,
    notes=(
        "`required-version` must be a version specifier, and fit",
        "trees and mounts must be directories; prefixes, patterns and paths must lead nowhere else",
        "`defaults.model` is looked at when a package names no model",
    ),
)

DOCUMENTS: tuple[Document, ...] = (
    SETTINGS,
    FRONT_MATTER,
    MESSAGE,
    SAMPLE,
    SAMPLES_OF_FILE,
    EVAL,
    SKILL,
    TOOLS_SNAPSHOT,
    PROJECT,
)
