"""A package of the `.ctx` format read a second time: from its files to the identity that CTX-FORMAT gives it.

Nothing of the compiler, the artifacts or the runtime: PyYAML, jinja2's parser, `ast` and hashlib. It reads sound
packages only, and of expressions only `$env.get(NAME, default)`. What CTX-FORMAT leaves open is said in docs/stubs.md,
docs/tools.md and docs/skills.md.
"""

import ast
import hashlib
import inspect
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jinja2
import yaml

from artifacts import identity_by_hand as by_hand

ENVIRONMENT = jinja2.Environment(extensions=["jinja2.ext.loopcontrols", "jinja2.ext.do"], keep_trailing_newline=True)
ENVIRONMENT.filters.update(import_text=str, import_yaml=str)
_FENCE = re.compile(r"---[ \t]*")
_GET = re.compile(r"""\$env\.get\((["'])(\w+)\1(?:, *(.*))?\)""")


def text(path: Path) -> str:
    return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")


class Loader(yaml.SafeLoader):
    """`!? $env.get("NAME", default)`; what comes out as null is dropped."""

    env: Mapping[str, str]


def value(source: str, env: Mapping[str, str]) -> Any:
    """A literal, or `$env.get(NAME, default)`, whose default may be another one."""
    found = _GET.fullmatch(source)
    return env.get(found[2], value(found[3] or "null", env)) if found else yaml.safe_load(source)


def _expression(loader: Loader, node: yaml.ScalarNode) -> Any:
    return value(node.value, loader.env)


Loader.add_constructor("!?", _expression)


def data(source: str, env: Mapping[str, str]) -> dict[str, Any]:
    loader = Loader(source)
    loader.env = env
    return loader.get_single_data() or {}


# Packages


def packages(root: Path) -> dict[str, Path]:
    return {path.relative_to(root).with_suffix("").as_posix(): path for path in sorted(root.rglob("*.ctx"))}


def read(path: Path, root: Path, env: Mapping[str, str], default_model: str = "claude-sonnet-4") -> dict[str, Any]:
    """Return `identity`, and beside it `input_schema`, `tools` (key → contract), `skills` (name → what is in it)."""
    base = path.parent if path.is_file() else path
    settings, sources = single(path, env) if path.is_file() else directory(path, env)
    declared: Mapping[str, Any] = {}
    contracts: dict[str, dict[str, Any]] = {}
    skills: dict[str, dict[str, Any]] = {}
    if path.is_dir():
        if (path / "schema.pyi").exists():
            declared = Stub(text(path / "schema.pyi")).declared()
        if (path / "tools.pyi").exists():
            contracts = Stub(text(path / "tools.pyi")).tools()
            listed = settings.get("tools") or []
            settings = {**settings, "tools": list(dict.fromkeys([*listed, *contracts]))}
        for name in settings.pop("skills", None) or ():
            skills[name] = skill(path / "skills" / name)
    if "Output" in declared:
        settings = {**settings, "reply_schema": declared["Output"]}
    found = next((each for each in [base, *base.parents] if (each / "partials").is_dir() or each == root.parent), base)
    base = base if found == root.parent else found
    captured = {role: (source, by_hand.captures(source, base, ENVIRONMENT)) for role, source in sources.items()}
    identity = by_hand.identity(path.stem, settings, captured, default_model=default_model)
    if skills:
        identity["skills"] = [each["key"] for each in skills.values()]
        resources = {each["key"]: each["resources"] for each in skills.values() if each["resources"]}
        if resources:
            identity["skillResources"] = resources
    if contracts:
        identity["toolContracts"] = {
            key: sha256(json.dumps(contracts[key], separators=(",", ":")))
            for key in settings["tools"]
            if key in contracts
        }
    if identity.get("inputDefaults") == "apply":
        identity["inputDefaultValues"] = declared["defaults"]
    return {"identity": identity, "input_schema": declared.get("Input"), "tools": contracts, "skills": skills}


def single(path: Path, env: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    lines = text(path).split("\n")
    settings: dict[str, Any] = {}
    if _FENCE.fullmatch(lines[0]):
        end = next(number for number, line in enumerate(lines[1:], 1) if _FENCE.fullmatch(line))
        settings = data("\n".join(lines[1:end]), env)
        lines = lines[end + 1 :]
    return settings, roles("\n".join(lines))


def directory(path: Path, env: Mapping[str, str]) -> tuple[dict[str, Any], dict[str, str]]:
    (file,) = (path / name for name in ("settings.yaml", "settings.yml") if (path / name).exists())
    settings = data(text(file), env)
    if "system_file" in settings:
        settings["system"] = text(path / settings.pop("system_file"))
    if "schema_file" in settings:
        settings["reply_schema"] = json.loads(text(path / settings.pop("schema_file")))
    if (path / "prompt.j2").exists():
        return settings, roles(text(path / "prompt.j2"))
    messages = [data(text(each), {}) for each in sorted((path / "messages").glob("*.y*ml"))]
    return settings, {message["role"]: message["content"] for message in messages}


def roles(source: str) -> dict[str, str]:
    """Split at the markers that stand in template data."""
    start = 0
    parts: list[tuple[str, int, int]] = []
    for _line, token, value in ENVIRONMENT.lex(source):
        place = source.index(value, start)
        if token == "data":
            for found in re.finditer(r"<<<\s*role:(\w+)\s*>>>", value):
                parts.append((found[1].lower(), place + found.start(), place + found.end()))
        start = place + len(value)
    # What stands in a raw block is data to the lexer, and none to the format.
    raw = [found.span() for found in re.finditer(r"{%\s*raw\s*%}.*?{%\s*endraw\s*%}", source, re.DOTALL)]
    parts = [part for part in parts if not any(begin <= part[1] < end for begin, end in raw)]
    if not parts:
        return {"system": source}
    before = source[: parts[0][1]]
    blanked = re.sub(r"{#.*?#}", lambda found: re.sub(r"[^\n]", " ", found[0]), before, flags=re.DOTALL)
    lines = zip(before.split("\n"), blanked.split("\n"), strict=True)
    comments = [line for line, rest in lines if not rest.strip()]
    ends = [begin for _role, begin, _end in parts[1:]] + [len(source)]
    texts = {role: source[end:until].strip() for (role, _begin, end), until in zip(parts, ends, strict=True)}
    return {**texts, "system": "\n".join(comments).strip() + texts["system"]}


def skill(path: Path) -> dict[str, Any]:
    _, front, body = re.split(r"^---[ \t]*\n", text(path / "SKILL.md"), maxsplit=2, flags=re.MULTILINE)
    about, body = yaml.safe_load(front), body.strip()
    description = " ".join((about.get("description") or "").split())
    key = f"skill/{about['name']}@v{sha256(chr(0).join([about['name'], description, body]))[:12]}"
    files = sorted(each for each in path.rglob("*") if each.is_file() and each != path / "SKILL.md")
    digests = {each.relative_to(path).as_posix(): hashlib.sha256(each.read_bytes()).hexdigest() for each in files}
    listed = "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items()))  # as sha256sum prints it
    resources = sha256(listed) if digests else None
    return {"key": key, "description": description, "body": body, "resources": resources}


def sha256(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()


# Stubs

_SCALARS = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
_FORMATS = {"datetime": "date-time", "date": "date", "time": "time", "UUID": "uuid"}
_NULL = {"type": "null"}


class Stub:
    """A `.pyi` file: its classes, aliases and functions."""

    def __init__(self, source: str) -> None:
        self.body = ast.parse(source).body
        self.classes = {node.name: node for node in self.body if isinstance(node, ast.ClassDef)}
        self.values = {
            target.id: node.value
            for node in self.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self.open: list[str] = []
        self.defs: dict[str, dict[str, Any]] = {}

    def declared(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name in ("Input", "Output"):
            if name in self.classes:
                self.defs = {}
                found[name] = self.record(name)
                if self.defs:
                    found[name]["$defs"] = self.defs
        if "Input" in self.classes:
            values = [field for field in self.fields("Input", False) if field[2] is not None]
            found["defaults"] = {name: self.constant(value) for name, _, value, _, _ in values if value is not None}
        return found

    def of(self, node: ast.expr) -> dict[str, Any]:
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return self.of(ast.parse(node.value, mode="eval").body)
            return {"type": _SCALARS[str(node.value)]}
        if isinstance(node, ast.BinOp):
            left, right = self.of(node.left), self.of(node.right)
            if "None" in (ast.unparse(node.left), ast.unparse(node.right)):
                return nullable(right if ast.unparse(node.left) == "None" else left)
            return {"anyOf": [left, right]}
        if isinstance(node, ast.Subscript):
            items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            return self.generic(ast.unparse(node.value).rpartition(".")[2], items)
        return self.named(ast.unparse(node).rpartition(".")[2])

    def named(self, name: str) -> dict[str, Any]:
        if name in self.classes:
            bases = {ast.unparse(base) for base in self.classes[name].bases}
            if bases & {"Enum", "StrEnum", "IntEnum"}:
                members = [each for each in self.classes[name].body if isinstance(each, ast.Assign)]
                return self.choice([self.constant(member.value) for member in members])
            if self.is_recursive(name):
                if name not in self.open and name not in self.defs:
                    self.open.append(name)
                    self.defs[name] = {}
                    self.defs[name] = self.record(name)
                return {"$ref": f"#/$defs/{name}"}
            return self.record(name)
        if name in self.values:
            return self.of(self.values[name])
        if name in _SCALARS:
            return {"type": _SCALARS[name]}
        if name in _FORMATS:
            return {"type": "string", "format": _FORMATS[name]}
        others: dict[str, dict[str, Any]] = {
            "Any": {},
            "list": {"type": "array", "items": {}},
            "tuple": {"type": "array", "items": {}},
            "set": {"type": "array", "items": {}, "uniqueItems": True},
            "dict": {"type": "object"},
        }
        return others[name]

    def generic(self, name: str, items: list[ast.expr]) -> dict[str, Any]:
        match name.lower():
            case "optional":
                return nullable(self.of(items[0]))
            case "union":
                return {"anyOf": [self.of(item) for item in items]}
            case "literal":
                return self.choice([ast.literal_eval(item) for item in items])
            case "annotated":
                return {**self.of(items[0]), "description": ast.literal_eval(items[1])}
            case "required" | "notrequired":
                return self.of(items[0])
            case "list":
                return self.array(items[0])
            case "set":
                return {**self.array(items[0]), "uniqueItems": True}
            case "tuple":
                if len(items) == 1 or ast.unparse(items[1]) == "...":
                    return self.array(items[0])
                parts = [self.of(item) for item in items]
                return {"type": "array", "prefixItems": parts, "items": False}
            case "dict":
                return {"type": "object", "additionalProperties": self.of(items[1])}
        raise AssertionError(name)

    def array(self, item: ast.expr) -> dict[str, Any]:
        return {"type": "array", "items": self.of(item)}

    def choice(self, values: list[Any]) -> dict[str, Any]:
        kinds = {_SCALARS[type(value).__name__.replace("NoneType", "None")] for value in values}
        return {**({"type": kinds.pop()} if len(kinds) == 1 and kinds != {"null"} else {}), "enum": values}

    def constant(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Attribute):
            members = self.classes[ast.unparse(node.value)].body
            return next(
                self.constant(each.value)
                for each in members
                if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == node.attr
            )
        return ast.literal_eval(node)

    def is_recursive(self, name: str) -> bool:
        seen: set[str] = set()

        def reaches(at: str) -> bool:
            for node in ast.walk(self.classes[at]):
                words = (
                    re.findall(r"\w+", node.value)
                    if isinstance(node, ast.Constant) and isinstance(node.value, str)
                    else []
                )
                for word in [node.id] if isinstance(node, ast.Name) else words:
                    if word == name:
                        return True
                    if word in self.classes and word not in seen:
                        seen.add(word)
                        if reaches(word):
                            return True
            return False

        return reaches(name)

    def fields(self, name: str, total: bool) -> list[tuple[str, ast.expr, ast.expr | None, str | None, bool]]:
        """Name, annotation, default, description, whether the TypedDict that declares it is total; bases first."""
        node = self.classes[name]
        found: dict[str, Any] = {}
        total = not any(each.arg == "total" and not ast.literal_eval(each.value) for each in node.keywords)
        for base in node.bases:
            if ast.unparse(base) in self.classes:
                found.update((field[0], field) for field in self.fields(ast.unparse(base), total))
        for place, each in enumerate(node.body):
            if isinstance(each, ast.AnnAssign):
                after = node.body[place + 1] if place + 1 < len(node.body) else None
                found[ast.unparse(each.target)] = (
                    ast.unparse(each.target), each.annotation, each.value, docstring(after), total
                )  # fmt: skip
        return list(found.values())

    def is_typed_dict(self, name: str) -> bool:
        bases = [ast.unparse(base) for base in self.classes[name].bases]
        return "TypedDict" in bases or any(self.is_typed_dict(base) for base in bases if base in self.classes)

    def record(self, name: str) -> dict[str, Any]:
        properties: dict[str, Any] = {}
        required = []
        for field, annotation, value, description, total in self.fields(name, True):
            schema = self.of(annotation)
            if description is not None:
                schema = {**schema, "description": description}
            if self.is_typed_dict(name):
                mark = re.match(r"(NotRequired|Required)\[", ast.unparse(annotation))
                needed = mark[1] == "Required" if mark else total
            else:
                needed = value is None and not (
                    "anyOf" in schema
                    and any(each == _NULL or _NULL in each.get("anyOf", ()) for each in schema["anyOf"])
                )
                if value is not None and not (isinstance(value, ast.Constant) and value.value in (None, ...)):
                    schema = {**schema, "default": self.constant(value)}
            properties[field] = schema
            if needed:
                required.append(field)
        result = {"type": "object", "properties": properties}
        if required:
            result["required"] = sorted(required) if self.is_typed_dict(name) else required
        said = docstring(self.classes[name].body[0])
        return {**result, "description": said} if said is not None else result

    # Tools

    def tools(self) -> dict[str, dict[str, Any]]:
        server = ast.literal_eval(self.values["__server__"]) if "__server__" in self.values else None
        functions = [node for node in self.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        return {f"{server}/{node.name}" if server else node.name: self.contract(node) for node in functions}

    def contract(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, Any]:
        said, described = documented(docstring(node.body[0]) or "")
        positional = [*node.args.posonlyargs, *node.args.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(node.args.defaults)) + [*node.args.defaults]
        parameters = [
            *zip(positional, defaults, strict=True),
            *zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True),
        ]
        self.defs = {}
        properties: dict[str, Any] = {}
        for parameter, default in parameters:
            assert parameter.annotation is not None
            schema = self.of(parameter.annotation)
            if parameter.arg in described:
                schema = {**schema, "description": described[parameter.arg]}
            if default is not None and not (isinstance(default, ast.Constant) and default.value in (None, ...)):
                schema = {**schema, "default": self.constant(default)}
            properties[parameter.arg] = schema
        required = [parameter.arg for parameter, default in parameters if default is None]
        schema = {"type": "object", "properties": properties, **({"required": required} if required else {})}
        return {"description": said, "inputSchema": schema}


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    return schema if schema == _NULL else {"anyOf": [schema, _NULL]}


def docstring(node: ast.stmt | None) -> str | None:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return inspect.cleandoc(node.value.value)
    return None


def documented(said: str) -> tuple[str, dict[str, str]]:
    """A docstring without what describes parameters, and that by parameter."""
    described: dict[str, str] = {}
    for found in re.finditer(r"^:param (\w+): (.*)\n?", said, re.MULTILINE):
        described[found[1]] = found[2]
    said = re.sub(r"^:param .*\n?", "", said, flags=re.MULTILINE)
    numpy = re.search(r"^Parameters\n-+\n((?:\w+ : .*\n(?:[ ]{4}.*\n?)+)+)", said, re.MULTILINE)
    if numpy:
        for found in re.finditer(r"^(\w+) : .*\n((?:[ ]{4}.*\n?)+)", numpy[1], re.MULTILINE):
            described[found[1]] = inspect.cleandoc(found[2])
        said = said.replace(numpy[0], "")
    section = re.search(r"^Args:\n((?:[ ]{4}.*\n?|\n)+)", said, re.MULTILINE)
    if section:
        for name, words in _arguments(section[1]):
            described[name] = words
        said = said.replace(section[0], "")
    return re.sub(r"\n{3,}", "\n\n", said).strip(), described


def _arguments(section: str) -> Iterator[tuple[str, str]]:
    for found in re.finditer(r"^    (\w+)(?: \(.*\))?: (.*(?:\n {5,}.*)*)", section, re.MULTILINE):
        yield found[1], re.sub(r"\n +", "\n", found[2])
