"""The pass check_schema: `schema.pyi` → what it declares and the schemas of its `Input` and `Output` (CTX-FORMAT §6).

In: a ReadPackage; then its CheckedPackage. Out: `Schemas`, the same for every environment; then the CheckedPackage with
them in it, and with the defaults that templates are given.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from .contracts.declarations import declarations_of
from .contracts.json_schema import SchemaTooLarge, SchemaWriter
from .contracts.types import NO_DEFAULT, UNKNOWN_DEFAULT, Class, Declarations
from .diagnostics import Related, Scope, Span
from .package import CheckedPackage, Located, ReadPackage


@dataclass(frozen=True, slots=True)
class Schemas:
    """What one `schema.pyi` comes to. `input` and `output`: None for a class that is not declared. `sound`: without a
    fault, so that what is not there was not meant to be."""

    declared: Declarations
    sound: bool
    input: Mapping[str, Any] | None = None
    output: Mapping[str, Any] | None = None


def read_schemas(package: ReadPackage, scope: Scope) -> Schemas | None:
    """What the package's `schema.pyi` declares, once for all profiles; None when there is none to be read."""
    if package.schema is None:
        return None
    declared = declarations_of(package.schema, scope)
    sound = not scope.failed
    return Schemas(
        declared, sound, _schema(declared.input, declared, scope), _schema(declared.output, declared, scope)
    )


def check_schema(checked: CheckedPackage, located: Located, schemas: Schemas | None, scope: Scope) -> CheckedPackage:
    """Add what the stub says to a package. `located`: its settings, which may have no reply schema beside `Output`."""
    settings = checked.settings
    if settings.input_defaults == "apply" and (schemas is None or (schemas.sound and schemas.declared.input is None)):
        _report_nothing_to_apply(checked.read, located, scope)
    if schemas is None:
        return checked
    if schemas.output is not None:
        _refuse_two(located, schemas.declared, scope)
        settings = replace(settings, reply_schema=schemas.output)
    defaults: Mapping[str, Any] = {}
    if settings.input_defaults == "apply" and schemas.declared.input is not None:
        defaults = defaults_of(schemas.declared.input)
    return replace(
        checked,
        settings=settings,
        declared=schemas.declared,
        input_schema=schemas.input,
        input_defaults=defaults,
    )


def _report_nothing_to_apply(package: ReadPackage, located: Located, scope: Scope) -> None:
    key = "input_defaults" if ("input_defaults",) in located.keys else "inputDefaults"
    help = f"declare `class Input` with defaults in `schema.pyi`, or remove `{key}`"
    if package.layout == "minimal":
        help = f"remove `{key}`: this prompt is no template"
    elif package.files.single_file:
        help = f"remove `{key}`, or make a directory of the file and declare `class Input` in `schema.pyi`"
    span = located.keys.get((key,)) or Span(located.file)
    scope.add("no-input-defaults", f"`{key}: apply` applies nothing, for no `Input` is declared", span, help=help)


def _refuse_two(located: Located, declared: Declarations, scope: Scope) -> None:
    """Report settings that give a reply schema as well."""
    for name in ("reply_schema", "replySchema", "schema_file"):
        if declared.output is not None and (located.value or {}).get(name) is not None:
            scope.add(
                "setting-conflict",
                f"`{name}` and `class Output` both give the reply schema",
                located.keys.get((name,)) or Span(located.file),
                related=[Related(declared.output.span, "the other one")],
                help="keep one of the two",
            )


def defaults_of(declared: Class) -> dict[str, Any]:
    """The defaults that a class tells, `None` among them."""
    unknown = (NO_DEFAULT, UNKNOWN_DEFAULT)
    return {
        field.name: field.default for field in declared.fields if not any(field.default is each for each in unknown)
    }


def _schema(declared: Class | None, declarations: Declarations, scope: Scope) -> Mapping[str, Any] | None:
    if declared is None:
        return None
    try:
        return SchemaWriter(declarations.classes).schema(declared)
    except SchemaTooLarge as fault:
        scope.add(
            "schema-too-large",
            f"the schema of `{declared.name}` has {fault}",
            declared.span,
            notes=("a class is copied wherever it is used, with its words and defaults",),
            help="use fewer classes inside each other",
        )
        return None
