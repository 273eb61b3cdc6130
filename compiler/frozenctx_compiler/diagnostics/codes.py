"""The registry of diagnostic codes: kebab-case, never renamed or reused, one line of meaning each.

A *fault* has no single meaning or is unsafe to ship: always an error. A *lint* has a default level that a project
moves. Every code has a page `docs/errors/<code>.md` and a corpus case; a test holds the three together.
"""

from dataclasses import dataclass
from typing import Literal

from .model import Level


@dataclass(frozen=True, slots=True)
class Code:
    name: str
    kind: Literal["fault", "lint"]
    level: Level
    meaning: str


def _fault(name: str, meaning: str) -> Code:
    return Code(name, "fault", "error", meaning)


def _lint(name: str, level: Level, meaning: str) -> Code:
    return Code(name, "lint", level, meaning)


_ALL: tuple[Code, ...] = (
    # -- project and discovery (frozenctx.toml, roots, packages, keys) --
    _fault("no-such-path", "a path, a tree or a mount that was named does not exist"),
    _fault("toml-syntax", "frozenctx.toml is not TOML"),
    _fault("unknown-profile", "a profile without files of its own that frozenctx.toml does not have"),
    _fault("required-version", "frozenctx.toml requires another version of frozenctx"),
    _fault("unknown-option", "a key that frozenctx.toml does not have"),
    _fault("bad-option", "a key of frozenctx.toml has a value that it cannot have"),
    _fault("no-packages", "there is no package where one was looked for"),
    _fault("key-collision", "the keys of two packages are equal, or differ in case only"),
    _fault("bad-key", "the key of a package holds a control character"),
    _lint("leftover-package", "note", "a `.ctx` directory without settings and prompt is skipped"),
    _lint("unmatched-pattern", "warning", "a pattern under `[packages] also` matches no package"),
    # -- files (links, encodings, confinement) --
    _fault("missing-file", "a file that is named does not exist"),
    _fault("not-a-file", "something that is no regular file stands where a file is read, or no directory where one is"),
    _fault("unreadable-file", "a source file cannot be opened or read"),
    _fault("not-utf-8", "a source file, or the name of one, is not UTF-8"),
    _fault("nul-character", "a source file holds a NUL character"),
    _fault("outside-root", "a path or a link leads out of the root"),
    _fault("unknown-mount", "a target begins with `@` and names no mount"),
    _fault("link-loop", "a link leads back to itself or to a directory around it"),
    _fault("name-collision", "two names in a directory are equal after Unicode normalisation"),
    # -- layouts, front matter, role markers, messages, samples --
    _fault("missing-settings", "a package directory has a prompt and no settings"),
    _fault("two-settings", "a package holds both settings.yaml and settings.yml"),
    _fault("two-prompts", "a package holds both prompt.j2 and messages/"),
    _lint("unknown-file", "note", "a file in a package that nothing reads"),
    _fault("unclosed-front-matter", "front matter is opened and never closed"),
    _fault("unknown-role", "a role other than `system` and `user`"),
    _fault("role-order", "roles are repeated, or not `system` and then `user`"),
    _fault("role-marker-in-block", "a role marker stands inside an open Jinja block"),
    _fault("text-before-role", "there is text before the first role marker"),
    _fault("bad-message", "a message is not a mapping of `role` and `content`, both strings"),
    # -- skills --
    _lint("unlisted-skills", "warning", "a package has skills and its settings list none"),
    _fault("unknown-skill", "the settings list a skill that the package does not have"),
    _fault("bad-skill", "a SKILL.md is not front matter with a `name` and, below it, instructions"),
    _lint("skill-description", "warning", "a description of a skill is cut off, misnamed, or looks other than it is"),
    _fault("bad-resource", "a file of a skill has a name that not every system can hold, or not beside another one"),
    _fault("skill-too-large", "a skill has too many files, or too large ones"),
    _fault("outside-package", "a link in a skill leads out of the package"),
    _lint("large-resource", "warning", "a file of a skill has more than 1 MiB"),
    _fault("reserved-tool", "a tool has the name of the one that loads skills"),
    # -- YAML and expressions --
    _fault("yaml-syntax", "the text is not YAML, or not one document of it"),
    _fault("yaml-too-large", "YAML that is nested too deeply, or grows too large when its aliases are followed"),
    _fault("duplicate-key", "a mapping holds a key twice"),
    _fault("recursive-alias", "a YAML value contains itself"),
    _fault("complex-key", "a mapping key is a list or a mapping"),
    _fault("bad-merge", "the merge key `<<` is given something that is no mapping"),
    _fault("ambiguous-scalar", "an unquoted YAML value that YAML 1.1 and YAML 1.2 read differently"),
    _lint("yaml-1-1", "warning", "a value that only YAML 1.1 reads as the key's type"),
    _fault("unknown-tag", "a YAML tag that is not known, or gives something that is not plain data"),
    _fault("misplaced-tag", "a YAML tag that does not fit where it stands"),
    _fault("expression-syntax", "an expression that is not YAQL"),
    _fault("unknown-function", "an expression calls a function that there is not"),
    _fault("refused-function", "a function whose result differs from build to build, or that may never end"),
    _fault("expression-failed", "an expression that has no value"),
    _fault("expression-cycle", "a value that needs itself"),
    _fault("expression-too-large", "expressions that take too many steps or make too large values"),
    _lint("forgotten-tag", "error", "a setting is the text of an expression, without the tag `!?` before it"),
    _lint("env-unset", "error", "an environment variable without a default is not given"),
    _fault("env-default", "a default was used although every value has to be given"),
    _fault("secret-frozen", "a secret of the environment would be in what a build writes, or in what it says"),
    _fault("pasted-secret", "a source file holds what looks like a secret"),
    _lint("unmatched-fingerprint", "warning", "a fingerprint under `[secrets] allow` that nothing has"),
    _lint("secret-default", "error", "a secret is written down as the default of its variable"),
    _lint("unknown-mark", "warning", "a name is marked as secret or public, and no such variable is given or read"),
    _fault("short-secret", "the value of a secret is too short to be looked for"),
    _lint("unused-env", "warning", "an environment variable is given that nothing reads"),
    _fault("env-file", "a line of an environment file is not `NAME=value`"),
    _fault("env-assignment", "a value for `--env` is not `NAME=value`"),
    _fault("json-syntax", "a JSON file is not strict JSON"),
    # -- settings --
    _fault("bad-value", "a setting has a value of the wrong type or out of its range"),
    _fault("bad-name", "a prompt's name is empty or holds a character that names cannot hold"),
    _fault("bad-model", "a model slug is empty, has an empty half, or holds a control character"),
    _fault("bad-eval", "eval.yaml is not of the form that an evaluation has"),
    _fault("python-syntax", "a Python file of a package is not Python"),
    _lint("eval-signature", "error", "an eval.py without a `sample` or `score` that could be called as evaluations do"),
    _fault("unknown-type", "a stub names a type that it does not declare"),
    _fault("bad-type", "a stub has a type that JSON Schema does not express"),
    _fault("bad-declaration", "a stub holds something that declares nothing, or has no single meaning"),
    _fault("bad-default", "a default in a stub is no constant, or is not of its field's type"),
    _fault("schema-too-large", "classes that use each other make a schema of too many parts"),
    _lint("schema-keyword-unknown", "warning", "a reply schema has a keyword that replies cannot be compared with"),
    _lint("bad-reply-schema", "error", "a keyword of a reply schema has a value that it cannot have"),
    _fault("bad-sample", "a sample is not `variables`, `description` and `expect`"),
    _lint("sample-input", "error", "a variable of a sample that is not as `Input` declares it"),
    _fault("sample-expectation", "the text that a sample gives is not as the sample expects it"),
    _fault("bad-tool", "a function of tools.pyi that no tool can be"),
    _fault("tool-name", "two tools of a package have the same wire name"),
    _lint("tool-parameter-name", "note", "a parameter of a tool has a name that not every provider takes"),
    _lint("tool-docstring", "warning", "the docstring of a tool describes what is no parameter, or one twice"),
    _lint("tool-schema-drift", "error", "a server serves a tool with another input schema than tools.pyi declares"),
    _lint("tool-text-drift", "note", "a server serves a tool with other texts than tools.pyi"),
    _lint("tool-not-served", "error", "a tool of a package that its server does not serve"),
    _lint("server-not-in-snapshot", "warning", "the snapshot of served tools lacks a server that a package names"),
    _fault("bad-snapshot", "the file for `--tools-snapshot` is not of its form"),
    _lint("unknown-key", "error", "a key that no setting of a package without templates has"),
    _fault("unknown-setting", "a key that no setting of a package with templates has"),
    _lint("both-spellings", "error", "a setting is given in snake_case and in camelCase"),
    _lint("empty-system", "warning", "a prompt whose system text is empty"),
    _lint("default-model", "warning", "a package names no model"),
    _fault("setting-conflict", "two settings exclude each other"),
    _fault("setting-in-layout", "a setting that does not belong in this kind of package"),
    _fault("setting-not-yet", "a setting that this version does not support"),
    # -- templates --
    _fault("template-syntax", "a template is not Jinja"),
    _fault("computed-target", "what a template includes, imports or extends is not a literal"),
    _lint("shadowed-partial", "warning", "a target exists under two directories that could be its base"),
    _fault("not-plain-data", "imported YAML holds dates, sets, bytes or something else that is not plain data"),
    _fault("internal-name", "a template names something that begins with two underscores"),
    _lint("private-attribute", "warning", "a template reads an attribute whose name begins with an underscore"),
    _fault("template-cycle", "templates include, import or extend each other without end"),
    _fault("token-filter-not-yet", "a filter that counts tokens, which this version does not support"),
    _fault("unknown-filter", "a template uses a filter that does not exist"),
    _fault("unknown-test", "a template uses a test that does not exist"),
    _lint("unknown-import", "error", "a template imports a name that the other template does not export"),
    # -- templates against `Input` --
    _lint("undeclared-input", "error", "a template uses a variable that `Input` does not declare"),
    _lint("unknown-attribute", "error", "a template reads an attribute that its value's type does not have"),
    _lint("not-iterable", "error", "a template goes through the items of something that has none"),
    _lint("unguarded-input", "warning", "a variable that may be left out, or none, is used without a guard"),
    _lint("field-or-method", "warning", "an attribute that is a method of mappings, and a field of the class"),
    _lint("unguarded-attribute", "warning", "an attribute that may be left out, or none, is used without a guard"),
    _lint("unused-input", "warning", "a variable that `Input` declares and no template uses"),
    _lint("no-input-defaults", "warning", "`input_defaults: apply` in a package that declares no `Input`"),
    _lint("never-given", "warning", "a template asks for a variable whose name is nearly one of `Input`"),
)

CODES: dict[str, Code] = {code.name: code for code in _ALL}
