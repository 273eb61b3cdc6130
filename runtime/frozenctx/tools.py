"""The tools of a prompt: their contracts, the forms in which providers take them, and whether functions fit them.

In: what a prompt object stores of `tools.pyi`. Out: `Tool`s, plain data that may be changed, and findings in words.
Imported when a prompt is asked for a tool: rendering never comes here.
"""

from .errors import ToolsError, UnknownTool
from .skill_block import LOAD_SKILL
from .words import listed, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from .prompts import Prompt


class Tool:
    """One contract: what the model is told about a tool.

    `key`: `<server>/<name>`, or `<name>` of a tool without a server (None). `wire_name`: what providers call it. A tool
    never changes: `input_schema` is a copy each time.
    """

    __slots__ = ("_contract",)

    def __init__(self, contract: "Mapping[str, Any]") -> None:
        self._contract = contract

    @property
    def key(self) -> str:
        return self._contract["key"]  # type: ignore[no-any-return]

    @property
    def wire_name(self) -> str:
        return self._contract["wireName"]  # type: ignore[no-any-return]

    @property
    def server(self) -> "str | None":
        return self._contract.get("server")

    @property
    def name(self) -> str:
        return self._contract["name"]  # type: ignore[no-any-return]

    @property
    def description(self) -> str:
        """Empty when the stub has no docstring."""
        return self._contract["description"]  # type: ignore[no-any-return]

    @property
    def input_schema(self) -> "dict[str, Any]":
        """The JSON Schema of the arguments, an object."""
        from .prompts import copied

        return copied(self._contract["inputSchema"])  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> bool:
        return self._contract == other._contract if isinstance(other, Tool) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"<frozenctx.Tool {self.key}>"


def wire_name_of(key: str) -> str:
    """What providers call a tool: 64 characters at most, each a letter, a digit, `_` or `-` (CTX-FORMAT §6)."""
    return "".join([char if char.isascii() and (char.isalnum() or char in "_-") else "_" for char in key])[:64]


def contracts_of(prompt: "Prompt") -> "tuple[Tool, ...]":
    """The contracts that a prompt has, in the order of its tools."""
    return tuple([Tool(contract) for contract in prompt._rest.get("toolContracts") or ()])


def find(prompt: "Prompt", name: str) -> Tool:
    """Return the contract with this key or wire name. Raises UnknownTool."""
    if not isinstance(name, str):
        raise TypeError(f"a tool is asked for by its key or wire name, not by {type(name).__name__}")
    contracts = contracts_of(prompt)
    for tool in contracts:
        if name in (tool.key, tool.wire_name):
            return tool
    raise UnknownTool(_unknown(prompt, contracts, name))


def _unknown(prompt: "Prompt", contracts: "Iterable[Tool]", name: str) -> str:
    """The words for a name that no contract has as its key or wire name."""
    if name == LOAD_SKILL and _has_skills(prompt):
        return f"`{name}` is the tool that loads skills of `{prompt.key}`: ask `skills.tool(…)` for it"
    for key in prompt.tools:
        if name in (key, wire_name_of(key)):
            return f"`{prompt.key}` may call `{key}`, but has no contract of it: its `tools.pyi` does not declare it"
    meant = [tool.key for tool in contracts if tool.name == name]
    if meant:
        return f"`{prompt.key}` has no tool with the key or wire name `{name}`; it is the name of {listed(meant)}"
    known = dict.fromkeys([*prompt.tools, *map(wire_name_of, prompt.tools)])
    hint = near(name, known) or (f"; it has {listed(list(prompt.tools))}" if known else "; it has no tools")
    return f"`{prompt.key}` has no tool `{name}`{hint}"


def _has_skills(prompt: "Prompt") -> bool:
    return bool(prompt._rest["settings"].get("skills"))


# -- the forms of providers --


def shaped(tools: "Iterable[Tool]", form: str) -> "Any":
    """The contracts as a provider takes them: `tools` of a request, or the result of MCP's `tools/list`.

    `form`: one of FORMS. MCP knows a tool by its name on its server, providers by the wire name.
    """
    make = FORMS[form]
    made = [make(tool) for tool in tools]
    if form == "mcp":
        return {"tools": made}
    if form == "gemini":
        return [{"functionDeclarations": made}] if made else []
    return made


def _named(name: str, tool: Tool) -> "dict[str, Any]":
    return {"name": name, "description": tool.description} if tool.description else {"name": name}


def _openai(tool: Tool) -> "dict[str, Any]":
    return {"type": "function", "function": {**_named(tool.wire_name, tool), "parameters": tool.input_schema}}


def _openai_responses(tool: Tool) -> "dict[str, Any]":
    schema = tool.input_schema
    return {"type": "function", **_named(tool.wire_name, tool), "parameters": schema, "strict": False}


FORMS: "dict[str, Callable[[Tool], dict[str, Any]]]" = {
    "mcp": lambda tool: {**_named(tool.name, tool), "inputSchema": tool.input_schema},
    "openai": _openai,
    "openai-responses": _openai_responses,
    "anthropic": lambda tool: {**_named(tool.wire_name, tool), "input_schema": tool.input_schema},
    "gemini": lambda tool: {**_named(tool.wire_name, tool), "parametersJsonSchema": tool.input_schema},
}


def as_text(key: str, tools: "Iterable[Tool]") -> str:
    """The tools of one prompt for people: what each is told to do, and a line for each argument."""
    lines = [key]
    for tool in tools:
        wire = "" if tool.wire_name == tool.key else f"  (wire name {tool.wire_name})"
        lines += ["", f"  {tool.key}{wire}"]
        lines += [f"    {line}".rstrip() for line in tool.description.split("\n") if tool.description]
        schema = tool.input_schema
        required = schema.get("required") or ()
        for name, part in (schema.get("properties") or {}).items():
            facts = [_schema_words(part), "required" if name in required else "optional"]
            if isinstance(part, dict) and "default" in part:
                facts[1] = f"default {_json(part['default'])}"
            lines.append(f"    - {name}: {', '.join(facts)}")
            described = part.get("description") if isinstance(part, dict) else None
            lines += [f"        {line}".rstrip() for line in str(described or "").split("\n") if described]
    return "".join([f"{line}\n" for line in lines])


def _json(value: object) -> str:
    from json import dumps

    return dumps(value, ensure_ascii=False)


# -- functions against contracts --


def check_tools(prompt: "Prompt", functions: "Mapping[str, Any]") -> None:
    """Raise ToolsError with everything in which the functions do not fit the contracts."""
    if not hasattr(functions, "keys"):
        raise TypeError(f"functions come as a mapping of tools to them, not as {type(functions).__name__}")
    contracts = contracts_of(prompt)
    findings: list[str] = []
    found: dict[str, tuple[str, Any]] = {}
    for called in functions:
        tools = _called(contracts, called)
        if len(tools) > 1:
            findings.append(f"several tools are named `{called}`: {listed([tool.key for tool in tools])}; use a key")
        elif not tools:
            is_listed = any(called in (key, wire_name_of(key)) for key in prompt.tools)  # and has no contract
            if not is_listed and not (called == LOAD_SKILL and _has_skills(prompt)):
                findings.append(_unknown(prompt, contracts, str(called)))
        elif tools[0].key in found:
            other = found[tools[0].key][0]
            findings.append(f"`{tools[0].key}` is given twice, as `{other}` and as `{called}`")
        else:
            found[tools[0].key] = called, functions[called]
    for tool in contracts:
        if tool.key in found:
            findings += [f"`{tool.key}`: {finding}" for finding in _misfits(tool, found[tool.key][1])]
        else:
            findings.append(f"`{tool.key}` has no function")
    if findings:
        lines = "".join(f"\n- {finding}" for finding in findings)
        raise ToolsError(f"the functions do not fit the tools of `{prompt.key}`:{lines}", tuple(findings))


def _called(contracts: "Iterable[Tool]", name: object) -> "list[Tool]":
    """The tools that a key, a wire name or else the name of a function stands for."""
    exact = [tool for tool in contracts if name in (tool.key, tool.wire_name)]
    return exact or [tool for tool in contracts if tool.name == name]


def _misfits(tool: Tool, function: "Any") -> "list[str]":
    """In which points a callable does not fit a contract. A call names its arguments."""
    if not callable(function):
        return [f"expected a function, found {type(function).__name__}"]
    from inspect import Parameter

    try:
        signature = _signature(function)
    except (TypeError, ValueError) as error:
        return [f"the parameters of the function cannot be read: {error}"]
    schema = tool.input_schema
    properties: dict[str, Any] = schema.get("properties") or {}
    required = schema.get("required") or ()
    parameters = signature.parameters
    starred = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    takes_all = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values())
    named = {name: parameter for name, parameter in parameters.items() if parameter.kind not in starred}
    findings: list[str] = []
    for name, part in properties.items():
        parameter = named.get(name)
        if parameter is None:
            if not takes_all:
                unused = [other for other in named if other not in properties]
                findings.append(f"the function has no parameter `{name}`{near(name, unused, 1)}")
            continue
        if parameter.kind is Parameter.POSITIONAL_ONLY:
            findings.append(f"`{name}` is positional-only in the function, and a call names its arguments")
        findings += _differences(name, part, name in required, parameter)
    for name, parameter in named.items():
        if name not in properties and parameter.default is Parameter.empty:
            findings.append(f"the function needs `{name}`, which the contract does not have")
    return findings


def _signature(function: "Any") -> "Any":
    """The signature, with annotations that are text evaluated where that is possible."""
    from inspect import signature

    try:
        return signature(function, eval_str=True)
    except Exception:  # an annotation that means nothing at run time, as `"Name" | None`; or no signature at all
        return signature(function)


def _differences(name: str, part: "Any", required: bool, parameter: "Any") -> "list[str]":
    """How one parameter of a function differs from its schema. A default where none is needed does no harm."""
    findings: list[str] = []
    has_default = parameter.default is not parameter.empty
    if not required and not has_default:
        findings.append(f"`{name}` may be left out, and the function has no default for it")
    if isinstance(part, dict) and "default" in part and has_default:
        default = parameter.default
        if _is_plain(default) and not _same(default, part["default"]):
            findings.append(f"`{name}` is {part['default']!r} by default, and {default!r} in the function")
    if parameter.annotation is not parameter.empty and _is_unfit(part, parameter.annotation):
        annotated = _annotation_words(parameter.annotation)
        findings.append(f"`{name}` is {_schema_words(part)}, and `{annotated}` in the function")
    return findings


def _is_plain(value: object) -> bool:
    if type(value) in (list, tuple):
        return all(_is_plain(item) for item in value)  # type: ignore[attr-defined]
    if type(value) is dict:
        return all(type(key) is str and _is_plain(item) for key, item in value.items())
    return value is None or type(value) in (str, int, float, bool)


def _same(one: "Any", other: "Any") -> bool:
    """Whether two values are the same JSON: true is not 1, 1 is 1.0."""
    if type(one) in (list, tuple) and type(other) in (list, tuple):
        return len(one) == len(other) and all(_same(*pair) for pair in zip(one, other, strict=True))
    if type(one) is dict and type(other) is dict:
        return one.keys() == other.keys() and all(_same(item, other[key]) for key, item in one.items())
    return (type(one) is bool) == (type(other) is bool) and bool(one == other)


# A plain type is a list of (kind, of what): the words of JSON Schema, with the values of a choice or the items of an
# array, None for any.

_KINDS = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def _is_unfit(schema: "Any", annotation: "Any") -> bool:
    """Whether a value that the schema allows is surely not of the annotation. False where one of them is not plain."""
    accepted, offered = _of_annotation(annotation), _of_schema(schema)
    if accepted is None or offered is None:
        return False
    return not all(any(_fits(one, other) for other in accepted) for one in offered)


def _fits(offered: "tuple[str, Any]", accepted: "tuple[str, Any]") -> bool:
    kind, detail = offered
    if kind != accepted[0] and not (kind == "integer" and accepted[0] == "number"):
        return False
    if detail is None or accepted[1] is None:
        return accepted[1] is None or kind == "array"
    if kind == "array":
        return not _is_unfit(detail, accepted[1])
    return all(any(_same(value, other) for other in accepted[1]) for value in detail)


def _of_schema(schema: "Any") -> "list[tuple[str, Any]] | None":
    if not isinstance(schema, dict):
        return None
    if isinstance(schema.get("anyOf"), list):
        found: list[tuple[str, Any]] = []
        for member in schema["anyOf"]:
            of_member = _of_schema(member)
            if of_member is None:
                return None
            found += of_member
        return found
    if isinstance(schema.get("enum"), list):
        return [(_kind_of(value), [value]) for value in schema["enum"]]
    kind = schema.get("type")
    if kind == "array":
        items = schema.get("items")
        return [("array", items if isinstance(items, dict) and items else None)]
    return [(kind, None)] if isinstance(kind, str) else None


def _of_annotation(annotation: "Any") -> "list[tuple[str, Any]] | None":
    from types import NoneType, UnionType
    from typing import Annotated, Literal, Union, get_args, get_origin

    if isinstance(annotation, str):  # could not be evaluated
        annotation = {kind.__name__: kind for kind in _KINDS}.get(annotation.strip(), annotation)
    if annotation is None or annotation is NoneType:
        return [("null", None)]
    if isinstance(annotation, type) and annotation in _KINDS:
        return [(_KINDS[annotation], None)]
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _of_annotation(args[0])
    if origin is Literal:
        return [(_kind_of(value), [value]) for value in args] if all(map(_is_plain, args)) else None
    if origin is list:
        return [("array", args[0])]
    if origin is dict:
        return [("object", None)]
    if origin is Union or origin is UnionType:
        found: list[tuple[str, Any]] = []
        for member in args:
            of_member = _of_annotation(member)
            if of_member is None:
                return None
            found += of_member
        return found
    return None


def _kind_of(value: object) -> str:
    return "null" if value is None else _KINDS.get(type(value), "object")


def _schema_words(schema: "Any") -> str:
    plain = _of_schema(schema) or []
    words = []
    for kind, detail in plain:
        if kind == "array" and detail is not None:
            words.append(f"array of {_schema_words(detail)}")
        else:
            words.append(_json(detail[0]) if isinstance(detail, list) else kind)
    if words:
        return " or ".join(words)
    return "anything" if schema in ({}, True) else "a schema of its own"


def _annotation_words(annotation: "Any") -> str:
    from inspect import formatannotation

    return annotation if isinstance(annotation, str) else formatannotation(annotation).replace("typing.", "")
