"""From a release to a `.pyi` file that types its prompts: `prompts["briefs/draft"].messages(topic=…)`.

In: loaded `Prompts`. Out: the text of a stub, in which each key has a class of its own: what its variables are comes
from the schema of `Input`, what `parse` returns from the schema of the reply. The same release gives the same text. It
says less than a schema does where Python's types cannot say more (lengths, patterns), and never something else.
"""

import keyword
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import frozenctx
from frozenctx.validation import Validator

_IMPORTS = {
    "collections.abc": ("Collection", "Iterator", "KeysView", "Mapping", "Sequence"),
    "typing": ("Any", "Literal", "Never", "NotRequired", "Protocol", "TypeAlias", "TypedDict", "Unpack", "overload"),
    "typing_extensions": ("ReadOnly",),  # which type checkers know without its being installed
}
_MODULES = {"_datetime": "datetime", "_uuid": "uuid"}  # under names that no field has
_TAKEN = frozenset(
    {
        "Key",
        "Prompts",
        "frozenctx",
        "prompts",
        *keyword.kwlist,
        *(name for names in _IMPORTS.values() for name in names),
    }
)
_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_REMARKS = frozenset({"$ref", "$comment", "title", "description", "default", "examples", "deprecated"})
_ALSO = {  # format → what templates may be given as well
    "date-time": "_datetime.datetime",
    "date": "_datetime.date",
    "time": "_datetime.time",
    "uuid": "_uuid.UUID",
}
# Here, a key or variable that does not exist is a mistake; the classes of every prompt take whatever they are given.
# Beside them, what an object may hold is not what its properties say alone.
_MORE = ("$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas", "patternProperties", "unevaluatedProperties")
_HEAD = """\
# Made by `frozenctx stubs`: make it anew when the prompts change, `--check` says whether it is due.
# mypy: disable-error-code="override, explicit-override"
# pyright: reportIncompatibleMethodOverride=false
"""


def typed_stub(prompts: Mapping[str, frozenctx.Prompt]) -> str:
    """Return the text of the stub: `class Prompts`, a variable `prompts` of it, and all that they name."""
    writer = _Writer()
    classes = {key: writer.prompt(prompts[key]) for key in prompts}
    names: dict[str, list[str]] = {}
    for key in prompts:
        names.setdefault(prompts[key].name, []).append(key)
    by_name = {name: classes[keys[0]] for name, keys in names.items() if len(keys) == 1}
    keys = ", ".join(map(ascii, classes))
    lookups = [
        "class Prompts(frozenctx.Prompts):",
        *_lookups("__getitem__", "key", classes),
        *_lookups("named", "name", dict(sorted(by_name.items()))),
        "    def __iter__(self) -> Iterator[Key]: ...",
        "    def keys(self) -> KeysView[Key]: ...",
    ]
    alias = f"Key: TypeAlias = {f'Literal[{keys}]' if keys else 'Never'}"
    body = "\n\n".join([*writer.blocks, alias, "\n".join(lookups), "prompts: Prompts"])
    return f"{_HEAD}{_imports(body)}\n\n{body}\n"


_QUOTED = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)


def _imports(body: str) -> str:
    used = frozenset(re.findall(r"\w+", _QUOTED.sub("", body)))
    froms = {module: [name for name in names if name in used] for module, names in _IMPORTS.items()}
    modules = [f"import {module} as {name}" for name, module in _MODULES.items() if name in used]
    lines = [f"from {module} import {', '.join(names)}" for module, names in froms.items() if names]
    return "\n".join([*modules, *lines, "", "import frozenctx"])


def _lookups(method: str, parameter: str, classes: Mapping[str, str]) -> Iterator[str]:
    """A method that answers these texts, each with its class, and no other."""
    if not classes:
        yield f"    def {method}(self, {parameter}: Never, /) -> Never: ..."
    for text, name in classes.items():
        if len(classes) > 1:
            yield "    @overload"
        yield f"    def {method}(self, {parameter}: Literal[{ascii(text)}], /) -> {name}: ..."


class _Writer:
    """Collects the classes of a stub, each under a name of its own."""

    def __init__(self) -> None:
        self.blocks: list[str] = []
        self.waiting: list[Callable[[], str]] = []  # what is named and not yet written: types may lead to themselves
        self._names = set(_TAKEN)

    def prompt(self, prompt: frozenctx.Prompt) -> str:
        """Write what one prompt is; return the name of its class."""
        name = self.name(prompt.key)
        lines = [f"class {name}(frozenctx.Prompt):", *_docstring(_said_of(prompt))]
        schema = prompt.input_schema
        if isinstance(schema, Mapping):
            given = self.name(f"{name} Input")
            inputs = _Schemas(self, schema, f"{name} Input", for_input=True)
            self.waiting.append(partial(inputs.write, schema, given))
            has_variables = bool(schema.get("properties"))
            user = "str" if any(part["role"] == "user" for part in prompt.parts) else "None"
            for method, returned in (("messages", "list[Any]"), ("system", "str"), ("user", user)):
                lines += _renders(method, returned, given if has_variables else None)
        lines.append(
            '    def parse(self, text: str, prose: Literal["error", "strip"] = "error") -> '
            f"{self._reply(prompt, name)}: ..."
        )
        self.blocks.append("\n".join(lines))
        for write in self.waiting:  # which names more of them
            self.blocks.append(write())
        self.waiting.clear()
        return name

    def _reply(self, prompt: frozenctx.Prompt, name: str) -> str:
        schema = prompt.reply_schema
        if schema is None:
            return "dict[str, Any]" if prompt.settings.response_format == "json_object" else "str"
        stem = f"{name} Reply"
        return _Schemas(self, schema, stem, for_input=False).text_of(schema, stem)

    def name(self, words: str) -> str:
        """A class name made of what identifiers may hold of `words`; the second of two gets a 2."""
        parts = re.findall(r"[A-Za-z0-9]+", words)
        name = stem = "".join(part[0].upper() + part[1:] for part in parts) or "Prompt"
        if stem[0].isdigit():
            name = stem = f"Prompt{stem}"
        count = 1
        while name in self._names:
            count += 1
            name = f"{stem}{count}"
        self._names.add(name)
        return name


def _said_of(prompt: frozenctx.Prompt) -> str:
    said = prompt.meta.get("description")
    text = f"{prompt.key}: {said}" if isinstance(said, str) and said.strip() else prompt.key
    schema = prompt.input_schema
    described = schema.get("description") if isinstance(schema, Mapping) else None
    return f"{text}\n\n{described}" if isinstance(described, str) and described.strip() else text


def _renders(method: str, returned: str, given: str | None) -> Iterator[str]:
    if given is None:
        yield f"    def {method}(self, vars: Mapping[str, Never] | None = None, /) -> {returned}: ..."
        return
    yield "    @overload"
    yield f"    def {method}(self, vars: {given}, /) -> {returned}: ..."
    yield "    @overload"
    yield f"    def {method}(self, /, **more: Unpack[{given}]) -> {returned}: ..."


class _Schemas:
    """Turns the parts of one schema into types: each the members of a union, mostly one.

    `for_input`: what a caller may give: any sequence for an array, an object with attributes for one with properties.
    Else what `parse` returns. `stem`: the words that classes of its definitions are named by.
    """

    def __init__(self, writer: "_Writer", root: Any, stem: str, for_input: bool) -> None:
        self._writer = writer
        self._document = Validator(root)  # which knows where references lead
        self._stem = stem
        self._for_input = for_input
        self._referred: dict[str, tuple[str, ...]] = {}  # reference → what stands for it

    def text_of(self, schema: Any, name: str) -> str:
        return _union(self.members(schema, name))

    def members(self, schema: Any, name: str) -> tuple[str, ...]:
        """The types of the values that a schema accepts. `name`: the words a class for it is named by."""
        if schema is False:
            return ("Never",)
        if not isinstance(schema, Mapping):
            return ("Any",)
        if isinstance(schema.get("$ref"), str):
            return self._follow(schema["$ref"]) if not schema.keys() - _REMARKS else ("Any",)
        if "const" in schema:
            return _literals([schema["const"]])
        if isinstance(schema.get("enum"), list):
            return _literals(schema["enum"])
        kind = schema.get("type")
        for union in ("anyOf", "oneOf"):
            if isinstance(schema.get(union), list) and kind is None:
                return tuple(member for each in schema[union] for member in self.members(each, name))
        if isinstance(kind, list):
            return tuple(member for each in kind for member in self.members({**schema, "type": each}, name))
        if kind == "object":
            return self._object(schema, name)
        if kind == "array":
            return (self._array(schema, name),)
        if not isinstance(kind, str) or kind not in _SCALARS:
            return ("Any",)
        also = _ALSO.get(str(schema.get("format"))) if self._for_input and kind == "string" else None
        return (_SCALARS[kind], also) if also else (_SCALARS[kind],)

    def write(self, schema: Mapping[str, Any], name: str, attributes: str | None = None) -> str:
        """The TypedDict of an object's properties, and the Protocol of what has them as `attributes`."""
        properties: Mapping[str, Any] = schema.get("properties") or {}
        types = {each: self.text_of(part, f"{name} {each}") for each, part in properties.items()}
        record = self._record(schema, name, types)
        if attributes is None:
            return record
        if not _are_fields(types) or "property" in types:  # what no attribute can be called, only a mapping has
            return f"{record}\n\n{attributes}: TypeAlias = Never"
        lines = [f"class {attributes}(Protocol):"]
        for each, type in types.items():
            lines += ["    @property", f"    def {each}(self) -> {type}: ..."]
        return "\n".join([record, "", *lines])

    def _record(self, schema: Mapping[str, Any], name: str, types: Mapping[str, str]) -> str:
        required = frozenset(schema.get("required") or ())
        fields = {each: type if each in required else f"NotRequired[{type}]" for each, type in types.items()}
        if self._for_input:  # it is only read: whoever gives it may hold narrower types, and require more
            fields = {each: f"ReadOnly[{type}]" for each, type in fields.items()}
        if not _are_fields(types):
            rows = "".join(f"    {ascii(each)}: {type},\n" for each, type in fields.items())
            return f"{name} = TypedDict({ascii(name)}, {{\n{rows}}})"
        lines = [f"class {name}(TypedDict):", *_docstring(_description(schema))]
        for each, type in fields.items():
            lines += [f"    {each}: {type}", *_docstring(_description(schema["properties"][each]))]
        return "\n".join(lines if len(lines) > 1 else [f"{lines[0]} ..."])

    def _object(self, schema: Mapping[str, Any], name: str) -> tuple[str, ...]:
        """The class of an object with properties; where templates are given it, also anything with such attributes."""
        properties = schema.get("properties") or {}
        others = schema.get("additionalProperties", True)
        is_open = any(keyword in schema for keyword in _MORE) or isinstance(others, Mapping)
        if not properties or is_open or not {*schema.get("required", ())} <= {*properties}:
            return (self._table(schema, name),)
        made = self._writer.name(name)
        attributes = self._writer.name(f"{name} Attributes") if self._for_input else None
        self._writer.waiting.append(partial(self.write, schema, made, attributes))
        return (made, attributes) if attributes else (made,)

    def _table(self, schema: Mapping[str, Any], name: str) -> str:
        """An object of which only the values have a type, if that."""
        value = "Any"
        if not any(each in schema for each in ("properties", *_MORE) if each != "patternProperties"):
            others = schema.get("additionalProperties", True)
            named = schema.get("patternProperties") or {}
            value = _union(each for part in (*named.values(), others) for each in self.members(part, f"{name} Value"))
        return f"Mapping[str, {value}]" if self._for_input else f"dict[str, {value}]"

    def _array(self, schema: Mapping[str, Any], name: str) -> str:
        row = schema.get("prefixItems")
        items = list(row) if isinstance(row, list) else []
        members = [self.members(each, f"{name} {place}") for place, each in enumerate(items, 1)]
        if not items or schema.get("maxItems") != len(items):
            members.append(self.members(schema.get("items", True), f"{name} Item"))
        item = _union(member for each in members for member in each)
        if not self._for_input:
            return f"list[{item}]"
        return f"Collection[{item}]" if schema.get("uniqueItems") is True else f"Sequence[{item}]"

    def _follow(self, reference: str) -> tuple[str, ...]:
        """What a reference within the schema leads to: a class, or an alias, written once."""
        if reference not in self._referred:
            place, schema = self._document.found(reference) or ((), None)
            words = " ".join([self._stem, *map(str, place[-1:])])
            if isinstance(schema, Mapping) and schema.get("type") == "object":
                self._referred[reference] = self._object(schema, words)
            elif schema is None or self._is_circle(reference):
                self._referred[reference] = ("Any",)
            else:
                name = self._writer.name(words)
                self._referred[reference] = (name,)
                self._writer.waiting.append(lambda: f"{name}: TypeAlias = {self.text_of(schema, words)}")
        return self._referred[reference]

    def _is_circle(self, start: str) -> bool:
        """Whether a reference leads to itself with nothing between that holds values."""
        seen, waiting = set(), [start]
        while waiting:
            found = self._document.found(waiting.pop())
            parts = [found[1]] if found else []
            while parts:
                part = parts.pop()
                if not isinstance(part, Mapping):
                    continue
                parts += [each for union in ("anyOf", "oneOf") for each in part.get(union) or ()]
                if (reference := part.get("$ref")) == start:
                    return True
                if isinstance(reference, str) and reference not in seen:
                    seen.add(reference)
                    waiting.append(reference)
        return False


def _union(members: Iterable[str]) -> str:
    """The union of some types, each once, in order."""
    parts = dict.fromkeys(members)
    parts.pop("Never", None)
    return "Any" if "Any" in parts else " | ".join(parts) or "Never"


def _literals(values: list[Any]) -> tuple[str, ...]:
    """The type of just these values, where there is one: not of arrays, objects, and numbers that are no integers."""
    if not values:
        return ("Never",)
    if not all(value is None or type(value) in (str, int, bool) for value in values):
        return ("float",) if all(type(value) in (int, float) for value in values) else ("Any",)
    return (f"Literal[{', '.join(map(ascii, values))}]",)


def _are_fields(types: Mapping[str, str]) -> bool:
    """Whether a class may have all these fields: identifiers, none of which stands for a type that the others name."""
    words = frozenset(re.findall(r"(?<![.\w])\w+", " ".join(types.values())))
    return not any(
        not name.isascii() or not name.isidentifier() or keyword.iskeyword(name) or name.startswith("__")
        for name in types
    ) and words.isdisjoint(types)


def _description(schema: Any) -> str | None:
    said = schema.get("description") if isinstance(schema, Mapping) else None
    return said if isinstance(said, str) else None


def _docstring(said: str | None) -> Iterator[str]:
    """The lines of a docstring inside of a class; none for no text."""
    if said is None or not said.strip():
        return
    plain = "".join(c if c == "\n" or " " <= c < "\x7f" or c > "\x9f" else " " for c in said.strip())
    text = plain.replace("\\", "\\\\")
    if '"""' in text or text.endswith('"'):
        text = text.replace('"', '\\"')
    first, *more = text.split("\n")
    yield f'    """{first}' + ("" if more else '"""')
    for line in more:
        yield f"    {line}".rstrip()
    if more:
        yield '    """'
