"""From a release to a `.pyi` file that types its prompts: `prompts["briefs/draft"].messages(topic=…)`.

In: loaded `Prompts`. Out: the text of a stub, in which each key has a class of its own: what its variables are comes
from the schema of `Input`, what `parse` returns from the schema of the reply. The same release gives the same text. It
says less than a schema does where Python's types cannot say more (lengths, patterns), and never something else.
"""

import keyword
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import frozenctx

_IMPORTS = {
    "collections.abc": ("Collection", "Mapping", "Sequence"),
    "typing": ("Any", "Literal", "Never", "NotRequired", "Protocol", "TypeAlias", "TypedDict", "Unpack", "overload"),
}
_MODULES = ("datetime", "uuid")
_TAKEN = frozenset({"Prompts", "frozenctx", "prompts", *_MODULES, *(name for names in _IMPORTS.values() for name in names)})
_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_ALSO = {  # format → what templates may be given as well
    "date-time": "datetime.datetime",
    "date": "datetime.date",
    "time": "datetime.time",
    "uuid": "uuid.UUID",
}
# Here, a key or variable that does not exist is a mistake; the classes of every prompt take whatever they are given.
_HEAD = """\
# Made by `frozenctx stubs`: make it anew when the prompts change, `--check` says whether it is due.
# mypy: disable-error-code="override"
# pyright: reportIncompatibleMethodOverride=false
"""


def typed_stub(prompts: frozenctx.Prompts) -> str:
    """Return the text of the stub: `class Prompts`, a variable `prompts` of it, and all that they name."""
    writer = _Writer()
    classes = {key: writer.prompt(prompts[key]) for key in prompts}
    names: dict[str, list[str]] = {}
    for key in prompts:
        names.setdefault(prompts[key].name, []).append(key)
    by_name = {name: classes[keys[0]] for name, keys in names.items() if len(keys) == 1}
    writer.blocks.append(
        "\n".join(
            [
                "class Prompts(frozenctx.Prompts):",
                *_lookups("__getitem__", "key", classes),
                *_lookups("named", "name", dict(sorted(by_name.items()))),
            ]
        )
    )
    body = "\n\n".join([*writer.blocks, "prompts: Prompts"])
    return f"{_HEAD}{_imports(body)}\n\n{body}\n"


_QUOTED = re.compile(r'"""(?:[^"\\]|\\.|"(?!""))*"""|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'', re.DOTALL)


def _imports(body: str) -> str:
    used = frozenset(re.findall(r"\w+", _QUOTED.sub("", body)))
    froms = {module: [name for name in names if name in used] for module, names in _IMPORTS.items()}
    lines = [f"from {module} import {', '.join(names)}" for module, names in froms.items() if names]
    return "\n".join([*(f"import {name}" for name in _MODULES if name in used), *lines, "", "import frozenctx"])


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
        self._names = set(_TAKEN)

    def prompt(self, prompt: frozenctx.Prompt) -> str:
        """Write what one prompt is; return the name of its class."""
        name = self.name(prompt.key)
        lines = [f"class {name}(frozenctx.Prompt):", *_docstring(_said_of(prompt))]
        schema = prompt.input_schema
        if isinstance(schema, Mapping):
            inputs = _Schemas(self, schema, f"{name} Input", for_input=True)
            given = self.name(f"{name} Input")
            has_variables = bool(inputs.record(schema, given))
            user = "str" if any(part["role"] == "user" for part in prompt.parts) else "None"
            for method, returned in (("messages", "list[Any]"), ("system", "str"), ("user", user)):
                lines += _renders(method, returned, given if has_variables else None)
        lines.append(
            '    def parse(self, text: str, prose: Literal["error", "strip"] = "error") -> '
            f"{self._reply(prompt, name)}: ..."
        )
        self.blocks.append("\n".join(lines))
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
        self._root = root
        self._stem = stem
        self._for_input = for_input
        self._referred: dict[str, tuple[str, ...]] = {}  # reference → its classes
        self._open: list[str] = []  # references that are being followed and have no class

    def text_of(self, schema: Any, name: str) -> str:
        return _union(self.members(schema, name))

    def members(self, schema: Any, name: str) -> tuple[str, ...]:
        """The types of the values that a schema accepts. `name`: the words a class for it is named by."""
        if schema is False:
            return ("Never",)
        if not isinstance(schema, Mapping):
            return ("Any",)
        if isinstance(schema.get("$ref"), str):
            return self._follow(schema["$ref"])
        if "const" in schema:
            return _literals([schema["const"]])
        if isinstance(schema.get("enum"), list):
            return _literals(schema["enum"])
        kind = schema.get("type")
        for union in ("anyOf", "oneOf"):
            if isinstance(schema.get(union), list) and kind is None and "properties" not in schema:
                return tuple(member for each in schema[union] for member in self.members(each, name))
        if isinstance(kind, list):
            return tuple(member for each in kind for member in self.members({**schema, "type": each}, name))
        if kind == "object" or (kind is None and "properties" in schema):
            return self._object(schema, name)
        if kind == "array":
            return (self._array(schema, name),)
        if not isinstance(kind, str) or kind not in _SCALARS:
            return ("Any",)
        also = _ALSO.get(str(schema.get("format"))) if self._for_input and kind == "string" else None
        return (_SCALARS[kind], also) if also else (_SCALARS[kind],)

    def record(self, schema: Mapping[str, Any], name: str) -> dict[str, str]:
        """Write the TypedDict of an object's properties, in front of what it names; return their types."""
        properties: Mapping[str, Any] = schema.get("properties") or {}
        required = frozenset(schema.get("required") or ())
        place = len(self._writer.blocks)
        types = {each: self.text_of(part, f"{name} {each}") for each, part in properties.items()}
        fields = {each: type if each in required else f"NotRequired[{type}]" for each, type in types.items()}
        if _are_fields(types):
            lines = [f"class {name}(TypedDict):", *_docstring(_description(schema))]
            for each, type in fields.items():
                lines += [f"    {each}: {type}", *_docstring(_description(properties[each]))]
            block = "\n".join(lines if len(lines) > 1 else [f"{lines[0]} ..."])
        else:
            rows = "".join(f"    {ascii(each)}: {type},\n" for each, type in fields.items())
            block = f"{name} = TypedDict({ascii(name)}, {{\n{rows}}})"
        self._writer.blocks.insert(place, block)
        return types

    def _object(self, schema: Mapping[str, Any], name: str, reference: str | None = None) -> tuple[str, ...]:
        """The class of an object with properties; where templates are given it, also anything with such attributes."""
        properties = schema.get("properties")
        if not isinstance(properties, Mapping) or not properties:
            others = schema.get("additionalProperties", True)
            value = self.text_of(others, f"{name} Value")
            return (f"Mapping[str, {value}]" if self._for_input else f"dict[str, {value}]",)
        made = self._writer.name(name)
        attributes = self._writer.name(f"{name} Attributes") if self._for_input else ""
        names = (made, attributes) if attributes else (made,)
        if reference is not None:  # it may lead to itself
            self._referred[reference] = names
        types = self.record(schema, made)
        if attributes and _are_fields(types):
            lines = [f"class {attributes}(Protocol):"]
            for each, type in types.items():
                lines += ["    @property", f"    def {each}(self) -> {type}: ..."]
            self._writer.blocks.append("\n".join(lines))
        elif attributes:  # what no attribute can be called, only a mapping has
            self._writer.blocks.append(f"{attributes}: TypeAlias = Never")
        return names

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
        """What a reference within the schema leads to; the class of an object is written once."""
        if reference in self._referred:
            return self._referred[reference]
        schema = _followed(self._root, reference)
        words = f"{self._stem} {reference.rpartition('/')[2].strip('#')}"
        if isinstance(schema, Mapping) and schema.get("type") == "object":
            return self._object(schema, words, reference)
        if schema is None or reference in self._open:
            return ("Any",)  # leads nowhere, or to itself without an object between
        self._open.append(reference)
        members = self.members(schema, words)
        self._open.pop()
        return members


def _followed(root: Any, reference: str) -> Any:
    """The part of a schema that `#/$defs/Name` leads to; None when there is none, or it leads elsewhere."""
    if not reference.startswith("#"):
        return None
    part = root
    for step in reference[1:].split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if not isinstance(part, Mapping) or step not in part:
            return None
        part = part[step]
    return part


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
