"""Plain values → typed settings: every rule of CTX-FORMAT §3 that is about values.

In: a ResolvedPackage, the project (its defaults) and its Sources (the files that settings name). Out: a
CheckedPackage, or None when the package has an error. Everything wrong in one file is reported in one run, each
finding at its place; a value that resolve could not read is passed over. A value that came from the environment is
never shown.
"""

import math
import re
from collections.abc import Mapping
from typing import Any
from unicodedata import category

from .check_document import EXPRESSION, all_of, dotted, found_words, nearest, one_of, short
from .check_reply_schema import check_reply_schema
from .diagnostics import Related, Scope, Span
from .jsontree import FAULTY, Places, parse_json
from .keys import Key, Type
from .models import DEFAULT_MODEL, parse_slug
from .package import CheckedPackage, Layout, ResolvedPackage, Settings
from .project import FILE, Project
from .samples import check_samples
from .settings import EITHER, KEYS, LARGEST, REFUSED, SPELLINGS, coerce
from .sources import SourceFault, Sources
from .spelling import did_you_mean
from .yamltree import UNREADABLE, Path

_WHERE: dict[Layout, str] = {
    "minimal": "a package without templates",
    "rich": "a package with templates",
    "single": "a single-file package",
}
_COERCED = {
    "integer": ("an integer", 'values of the environment must be numeric strings, such as "1200"'),
    "number": ("a finite number", 'values of the environment must be numeric strings, such as "0.5"'),
    "boolean": ("`true` or `false`", 'values of the environment must be exactly "true" or "false"'),
}
_PLAINLY = {
    "integer": "write it with digits alone, such as `1200`",
    "number": "write it with digits, such as `0.5`",
    "boolean": "write `true` or `false`",
}
_TRUE = frozenset({"true", "yes", "y", "on", "1"})
_FALSE = frozenset({"false", "no", "n", "off", "0"})
_TAG_INSIDE = re.compile(r"""^(["']?)\s*(?:!\?\s*)?""")


def check_settings(
    resolved: ResolvedPackage, project: Project, sources: Sources, scope: Scope
) -> CheckedPackage | None:
    """The checked package; None when it has an error, from this pass or an earlier one."""
    read = resolved.read
    checker = _Checker(resolved, sources, scope)
    settings = checker.settings(project.defaults.get("model"), project.places.get("model", Span(FILE)))
    samples = check_samples(read.samples, scope)
    if settings is None or scope.failed:
        return None
    return CheckedPackage(read, settings, resolved.env, samples)


class _Checker:
    """The settings of one package under check."""

    __slots__ = (
        "asks_in_vain",
        "content",
        "directory",
        "document",
        "entries",
        "layout",
        "located",
        "scope",
        "sources",
        "spelled",
        "stem",
        "stubs",
        "untagged",
    )

    def __init__(self, resolved: ResolvedPackage, sources: Sources, scope: Scope) -> None:
        files = resolved.read.files
        self.located, self.scope, self.sources = resolved.settings, scope, sources
        self.document = resolved.read.settings
        self.content: dict[Any, Any] = resolved.settings.value
        self.layout: Layout = resolved.read.layout
        self.stem, self.entries = files.stem, files.entries
        self.directory = (files.path.rpartition("/")[0] or ".") if files.single_file else files.path
        # What makes it a package with templates though it has no template (nothing, when it has one).
        prompt = {"prompt.j2", "messages"} & {*files.entries}
        self.stubs = [name for name in ("schema.pyi", "tools.pyi") if name in files.entries and not prompt]
        self.asks_in_vain = bool(resolved.env.missing)  # then a missing model has been explained
        self.spelled: dict[str, str] = {}  # key → how this file spells it
        self.untagged: set[Path] = set()  # texts that were meant to be evaluated

    # -- places and words -------------------------------------------------------------------------------------------

    def value_span(self, path: Path) -> Span:
        return self.located.spans.get(path) or self.located.keys.get(path) or Span(self.located.file)

    def key_span(self, path: Path) -> Span:
        return self.located.keys.get(path) or self.value_span(path)

    def found(self, path: Path, value: object) -> str:
        """The words for a value that is not what was expected."""
        if path in self.located.origins:
            return f"the value of the environment variable `{self.located.origins[path]}`"
        words = found_words(value)
        is_number = isinstance(value, int | float) and words.startswith("`")
        return f"`{self.written(path) or value}`" if is_number else words

    def written(self, path: Path) -> str | None:
        """A number or boolean as the author wrote it: `1.10` and not `1.1`. None when the text says something else."""
        span = self.located.spans.get(path)
        if span is None or span.line != span.end_line:
            return None
        text = self.text_at(span)
        return text if text[:1] in tuple("+-.0123456789") or text.isalpha() else None

    def text_at(self, span: Span) -> str:
        """What the author wrote in a stretch of one line, in the settings or in a file that they import."""
        above = self.document.lines_above if span.file == self.document.file else 0
        return self.text_of(span.file).split("\n")[span.line - 1 - above][span.column - 1 : span.end_column - 1]

    def text_of(self, file: str) -> str:
        return self.document.text if file == self.document.file else self.sources.text(file)

    def spelling(self, path: Path) -> str:
        """A key as the author wrote it: `true`, where the data has True. One that an expression made is not shown."""
        name, span = path[-1], self.located.keys.get(path)
        if not self.is_written(path):
            return "…"
        if isinstance(name, str) or span is None or span.line != span.end_line or self.is_made(path):
            return short(str(name))
        return short(self.text_at(span))

    def is_made(self, path: Path) -> bool:
        """Whether an expression made a key."""
        span = self.located.keys.get(path)
        return span is None or (span.line == span.end_line and self.text_at(span).startswith("!?"))

    def is_written(self, path: Path) -> bool:
        """Whether a key stands in the file, so that it is no value of the environment."""
        name, span = path[-1], self.located.keys.get(path)
        if not isinstance(name, str):
            return not self.is_made(path) or path not in self.located.origins
        text = self.text_of(span.file if span is not None else self.document.file)
        if re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text):
            return True
        return span is not None and span.line == span.end_line and self.text_at(span)[:1] in ("'", '"')

    def called(self, path: Path) -> str:
        """The path as a message shows it."""
        parts = enumerate(path, 1)
        return dotted(tuple(part if self.is_written(path[:end]) else "…" for end, part in parts))

    def bad(self, path: Path, expected: str, value: object, help: str, *notes: str, made: str = "") -> None:
        """Report a value. `made`: the help when the environment gave it and another value alone would not do."""
        if path in self.located.origins:
            help = made or f"give it another value, with `--env {self.located.origins[path]}=…`"
        elif isinstance(value, str) and EXPRESSION.match(value):
            help = self.with_tag(path)
        headline = f"`{self.called(path)}` must be {expected}, found {self.found(path, value)}"
        self.scope.add("bad-value", headline, self.value_span(path), notes=notes, help=help)

    # -- the whole --------------------------------------------------------------------------------------------------

    def settings(self, default_model: str | None, default_place: Span) -> Settings | None:
        self.look_at_keys()
        values: dict[str, Any] = {}
        for key in KEYS:
            spelling = self.spelled.get(key.name)
            if spelling is None or key.later:
                continue
            raw = self.content[spelling]
            if raw is UNREADABLE:
                continue
            if key.name == "skills" and raw is None:
                self.bad((spelling,), "a list of names", raw, "write `skills: []`, or leave it out")
            elif raw is not None:  # null means: not set
                value = self.typed(key.type, (spelling,), raw)
                if value is not None:
                    values[key.name] = value["type"] if key.name == "response_format" else value
        self.look_at_pairs(values)
        name = self.name(values.get("name"))
        model, effort = self.model(values.get("model"), default_model, default_place)
        if effort is not None:
            values.setdefault("reasoning_effort", effort)
        self.read_files(values)
        if name is None or model is None:
            return None
        return Settings(**{**values, "name": name, "model": model})

    def look_at_keys(self) -> None:
        """Which keys there are: unknown ones, both spellings of one, ones that do not belong to the layout."""
        for spelling in self.content:
            path: Path = (spelling,)
            if isinstance(spelling, str) and spelling.startswith("x-"):
                continue
            key = SPELLINGS.get(spelling) if isinstance(spelling, str) else None
            if key is None:
                self.unknown(path, spelling)
                continue
            if key.later:
                self.scope.add(
                    "setting-not-yet",
                    f"`{key.name}` is not supported yet",
                    self.key_span(path),
                    help=f"remove `{key.name}`",
                )
                continue
            if self.layout not in key.layouts:
                if self.content[spelling] is not None or not key.null:
                    self.misplaced(path, key)
                continue  # null sets nothing, here as anywhere
            other = self.spelled.setdefault(key.name, spelling)
            if other != spelling:
                self.scope.add(
                    "both-spellings",
                    f"`{key.name}` is given in both spellings",
                    self.key_span(path),
                    related=[Related(self.key_span((other,)), "the other one")],
                    help=f"keep `{key.name}`",
                )
                self.spelled[key.name] = key.name

    def misplaced(self, path: Path, key: Key) -> None:
        """A setting that does not belong in this layout; stubs alone make a package one with templates, too."""
        note, help = key.instead, f"remove `{path[0]}`"
        if self.stubs and key.name in ("system", "system_file"):
            note = f"`{self.stubs[0]}` makes this a package with templates, and its prompt is one"
            help = "move the text to `prompt.j2`"
        self.scope.add(
            "setting-in-layout",
            f"`{path[0]}` does not belong in {_WHERE[self.layout]}",
            self.key_span(path),
            notes=(note,),
            help=help,
        )

    def unknown(self, path: Path, spelling: object) -> None:
        here = sorted(s for s, key in SPELLINGS.items() if self.layout in key.layouts)
        is_text = isinstance(spelling, str) and self.is_written(path)
        help = "put it under `meta`, or call it `x-…` to have it ignored"
        if is_text:
            as_ours = str(spelling).lower().replace("-", "_")
            help = did_you_mean(str(spelling), here, did_you_mean(as_ours, here, help))
        self.scope.add(
            "unknown-key" if self.layout == "minimal" else "unknown-setting",
            f"there is no setting `{self.spelling(path)}`",
            self.key_span(path),
            help=help,
        )

    def look_at_pairs(self, values: Mapping[str, Any]) -> None:
        for one, other in EITHER:
            first, second = self.spelled.get(one), self.spelled.get(other)
            if first and second and self.content[first] is not None and self.content[second] is not None:
                self.scope.add(
                    "setting-conflict",
                    f"`{first}` and `{second}` are both given",
                    self.key_span((second,)),
                    related=[Related(self.key_span((first,)), "the other one")],
                    help="keep one of the two",
                )

    # -- one value --------------------------------------------------------------------------------------------------

    def typed(self, type: Type, path: Path, raw: Any) -> Any:
        """The value as one of the type; None with the fault reported when it is not."""
        match type.kind:
            case "integer" | "number" | "boolean":
                return self.coerced(type, path, raw)
            case "string":
                is_file = path in (("system_file",), ("schema_file",))  # of which read_files says more
                if type.rule == "filled" and not is_file and isinstance(raw, str) and not raw.strip():
                    self.bad(path, "a string that is not blank", raw, "write a text, or remove it")
                    return None
                return self.string(path, raw)
            case "choice":
                return self.choice(type, path, raw)
            case "list":
                return self.strings(type, path, raw)
            case "record":
                return self.record(type, path, raw)
            case "schema":
                if isinstance(raw, dict | bool):
                    if not self.is_json(path, raw):
                        return None
                    self.look_at_schema(path, raw)
                    return raw
                self.bad(path, "a JSON Schema", raw, "write a schema such as `{type: object}`")
            case _:
                if isinstance(raw, dict):
                    return raw if self.is_json(path, raw) else None
                self.bad(path, "a mapping", raw, "write `name: value` below it")
        return None

    def look_for_expression(self, path: Path, text: str) -> None:
        """Text that was meant to be evaluated: it is a string without `!?` before it, and inside quotes."""
        if path not in self.located.origins and EXPRESSION.match(text):
            self.untagged.add(path)
            headline, span = f"`{self.called(path)}` is the text of an expression", self.value_span(path)
            self.scope.add("forgotten-tag", headline, span, label="not evaluated", help=self.with_tag(path))

    def with_tag(self, path: Path) -> str:
        """How to write a text so that it is evaluated: the tag comes first, outside of quotes."""
        span = self.located.spans.get(path)
        if span is None or span.line != span.end_line or span.end_column - span.column > 80:
            return "write `!?` before it, outside of any quotes"
        return f"write `!? {_TAG_INSIDE.sub(lambda found: found[1], self.text_at(span))}`"

    def is_explained(self, path: Path) -> bool:
        """Whether a fault of a text comes from its being an expression that is not evaluated, which is an error."""
        return path in self.untagged and self.scope.failed

    def coerced(self, type: Type, path: Path, raw: object) -> object:
        value = coerce(type.kind, raw)
        if value is REFUSED:
            expected, note = _COERCED[type.kind]
            self.bad(path, expected, raw, self.plainly(type, path, raw), note)
            return None
        if type.kind == "integer" and not 0 <= value <= LARGEST:  # type: ignore[operator]  # REFUSED is gone
            negative = value < 0  # type: ignore[operator]
            help = "write `0` or more" if negative else f"write at most `{LARGEST}`"
            self.bad(path, "an integer of 0 or more" if negative else "a smaller integer", raw, help)
            return None
        return value

    def plainly(self, type: Type, path: Path, raw: object) -> str:
        """How to write a number or a boolean."""
        if type.kind == "boolean" and path not in self.located.origins and not isinstance(raw, float | None):
            word = str(raw).strip().lower()
            if word in _TRUE | _FALSE:
                return "write `true`" if word in _TRUE else "write `false`"
        return _PLAINLY[type.kind]

    def string(self, path: Path, raw: object) -> str | None:
        if isinstance(raw, str):
            if path != ("system",):
                self.look_for_expression(path, raw)
            return raw
        help = "write one text"
        if isinstance(raw, bool | int | float):
            written = self.written(path)
            help = f'write `"{written}"`' if written else "put the value in quotes"
        self.bad(path, "a string", raw, help)
        return None

    def choice(self, type: Type, path: Path, raw: object) -> str | None:
        choices = type.choices
        value = raw.strip().lower() if type.folded and isinstance(raw, str) else raw
        if isinstance(value, str) and value in choices:
            return value
        self.bad(path, one_of(choices), raw, nearest(raw, choices))
        return None

    def strings(self, type: Type, path: Path, raw: object) -> tuple[str, ...] | None:
        what = "tool key" if path == ("tools",) else "name"
        if not isinstance(raw, list):
            around = "write `[…]` around it" if isinstance(raw, str) else f"write a list, one `- {what}` a line"
            name = self.located.origins.get(path, "")
            expression = f'`!? $env.get("{name}", "").split(",")`' if ", " not in name else '`.split(",")` behind it'
            made = f"a variable holds one text: write {expression}"
            self.bad(path, f"a list of {what}s", raw, around, made=made)
            return None
        result: list[str] = []
        first: dict[str, Path] = {}
        sound = True
        for index, item in enumerate(raw):
            here = (*path, index)
            if type.distinct and isinstance(item, str):
                item = item.strip()  # as Julep does with names of skills
            if item is UNREADABLE:
                sound = False
            elif not isinstance(item, str) or not item.strip():
                written = self.written(here) if isinstance(item, bool | int | float) else None
                help = f'write `"{written}"`' if written else f"write a {what}, or remove it"
                is_split = self.value_span(here) == self.value_span(path)
                made = 'leave blank ones out: write `.where($.trim() != "")` behind it' if is_split else ""
                self.bad(here, "a string that is not blank", item, help, made=made)
                sound = False
            elif item in first and type.distinct:
                origin = self.located.origins.get(here)
                self.scope.add(
                    "bad-value",
                    f"`{path[0]}` names {self.found(here, item)} twice",
                    self.value_span(here),
                    related=[Related(self.value_span(first[item]), "first here")],
                    help=f"give it another value, with `--env {origin}=…`" if origin else "remove one of the two",
                )
                sound = False
            else:
                self.look_for_expression(here, item)
                first.setdefault(item, here)
                if item not in result or self.layout == "minimal":
                    result.append(item)
        return tuple(result) if sound else None

    def record(self, type: Type, path: Path, raw: object) -> dict[str, Any] | None:
        """A mapping of known keys, in the order of the table."""
        known = [key.name for key in type.keys]
        example = f"{{{type.keys[0].name}: {type.keys[0].type.choices[0]}}}"
        if not isinstance(raw, dict):
            self.bad(path, f"a mapping with {all_of(known)}", raw, f"write `{example}`")
            return None
        sound = True
        for name in raw:
            if name not in known:
                sound = False
                written = known if self.is_written((*path, name)) else ()
                self.scope.add(
                    "bad-value",
                    f"`{path[0]}` has no key `{self.spelling((*path, name))}`",
                    self.key_span((*path, name)),
                    help=did_you_mean(str(name), written, f"it knows {all_of(known)}"),
                )
        result: dict[str, Any] = {}
        for key in type.keys:
            value = raw.get(key.name)
            if key.name not in raw and key.required:
                help = f"write {one_of([f'{key.name}: {word}' for word in key.type.choices])}"
                self.scope.add("bad-value", f"`{path[0]}` has no `{key.name}`", self.value_span(path), help=help)
                sound = False
            elif value is UNREADABLE:
                sound = False
            elif value is not None or key.required:
                typed = self.typed(key.type, (*path, key.name), value)
                sound = sound and typed is not None
                result[key.name] = typed
        return result if sound else None

    def is_json(self, path: Path, value: object) -> bool:
        """Whether a value is data that JSON holds; what is not is reported."""
        if value is UNREADABLE:
            return False
        if isinstance(value, dict):
            sound = True
            for name, below in value.items():
                if not isinstance(name, str):
                    spelling = self.spelling((*path, name))
                    made = self.is_made((*path, name))
                    self.scope.add(
                        "bad-value",
                        f"the key `{spelling}` must be a string",
                        self.key_span((*path, name)),
                        help="make text of it in the expression, `str(…)`" if made else f'write `"{spelling}"`',
                    )
                    sound = False
                sound = self.is_json((*path, name), below) and sound
            return sound
        if isinstance(value, list):
            sound = True
            for index, item in enumerate(value):
                sound = self.is_json((*path, index), item) and sound
            return sound
        if isinstance(value, str) and path[0] == "meta":
            self.look_for_expression(path, value)
        if isinstance(value, float) and not math.isfinite(value):
            self.bad(path, "a finite number", value, "write a number that JSON has, or a string")
            return False
        if isinstance(value, int) and not -(2**63) <= value < 2**64:
            self.bad(path, "a number of at most 64 bits", value, "write it as a string")
            return False
        return True

    # -- keys with rules of their own -------------------------------------------------------------------------------

    def name(self, given: str | None) -> str | None:
        spelling = self.spelled.get("name")
        if given is None and spelling is not None and self.content[spelling] is not None:
            return None  # reported
        name = self.stem if given is None else given
        span = self.value_span(("name",)) if given is not None else Span(self.located.file)
        what = "`name`" if given is not None else "the name of the package (its path's stem)"
        problem = None
        if not name.strip():
            problem = f"{what} is empty"
        elif _has_control(name):
            problem = f"{what} holds a control character"
        else:
            taboo = next((char for char in "@,/" if char in name), None)
            problem = f"{what} holds `{taboo}`" if taboo else None
        if problem is None:
            return name
        if self.is_explained(("name",)):
            return None
        self.scope.add(
            "bad-name",
            problem,
            span,
            notes=("names hold no `@`, `,` or `/` and no control characters",),
            help="choose another name" if given is not None else "rename it, or give it a `name:`",
        )
        return None

    def model(self, given: str | None, default: str | None, default_place: Span) -> tuple[str | None, str | None]:
        """The model and the effort its slug names; (None, None) with the fault reported."""
        spelling = self.spelled.get("model")
        raw = self.content[spelling] if spelling is not None else None
        if given is None and raw is not None:
            return None, None  # reported
        text = given if given is not None else default if default is not None else DEFAULT_MODEL
        slug = parse_slug(text)
        if given is None and default is None and not (self.scope.failed and self.asks_in_vain):
            self.scope.add(
                "default-model",
                f"no `model` is given; `{DEFAULT_MODEL}` is used",
                self.key_span(("model",)),
                help='write `model: …`, or set `[defaults] model = "…"` in `frozenctx.toml`',
            )
        controlled = _has_control(text.strip())
        if slug is not None and not controlled:
            return slug.model, slug.effort
        if given is not None and self.is_explained(("model",)):
            return None, None
        if given is None:
            what, found, span = "`defaults.model`", f"`{default}`", default_place
        else:
            what, found, span = "`model`", self.found(("model",), given), self.value_span(("model",))
        problem = f"{what} must be `provider/model` or a bare name, without an empty half, found {found}"
        if controlled:
            problem = f"{what} holds a control character"
        self.scope.add("bad-model", problem, span, help="write it like `openai/gpt-5`")
        return None, None

    def read_files(self, values: dict[str, Any]) -> None:
        """Put the content of `system_file` and `schema_file` in the place of their names."""
        target = values.pop("system_file", None)
        if target is not None and "system" not in values:
            text = self.text("system_file", target)
            if text is not None:
                values["system"] = text[1]
        target = values.pop("schema_file", None)
        if target is not None and "reply_schema" not in values:
            text = self.text("schema_file", target)
            if text is not None:
                places: Places = {}
                schema = parse_json(text[1], text[0], self.scope, places)
                if schema is not FAULTY and not isinstance(schema, dict | bool):
                    headline, help = "the file holds no JSON Schema", "write a schema such as `{\"type\": \"object\"}`"
                    self.scope.add("bad-value", headline, Span.at(text[0], 1, 1), help=help)
                elif schema is not FAULTY:
                    values["reply_schema"] = schema
                    check_reply_schema(schema, lambda path: places.get(path) or Span.at(text[0], 1, 1), self.scope)

    def look_at_schema(self, at: Path, schema: object) -> None:
        """What a reply schema holds that replies cannot be compared with."""

        def is_shown(path: Path) -> bool:
            return (*at, *path) not in self.located.origins and self.is_written((*at, *path))

        check_reply_schema(schema, lambda path: self.key_span((*at, *path)), self.scope, is_shown)

    def text(self, key: str, target: str) -> tuple[str, str] | None:
        """The path and text of a file that a setting names; None with the fault reported."""
        path: Path = (self.spelled[key],)
        if not target.strip():
            self.bad(path, "the path of a file", target, f"name a file, or remove `{self.spelled[key]}`")
            return None
        try:
            file = self.sources.join(self.directory, target)
            return file, self.sources.text(file)
        except SourceFault as fault:
            if self.is_explained(path):
                return None
            origin = self.located.origins.get(path)
            if origin is None:
                fault.help = fault.help or did_you_mean(target, self.entries, "name a file that there is")
                fault.add_to(self.scope, self.value_span(path))
            else:
                headline = f"the file that the environment variable `{origin}` names cannot be read"
                help = f"give it another value, with `--env {origin}=…`"
                self.scope.add(fault.code, headline, self.value_span(path), help=help)
            return None


def _has_control(text: str) -> bool:
    return any(category(char) == "Cc" for char in text)
