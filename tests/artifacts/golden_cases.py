"""The inputs of the golden corpus: packages with programs written by hand, so that no code generator moves a digest.

`golden/identities.json` holds the version and the text of each identity, `golden/objects.json` the digest of every
object and the bytes of those that are JSON. They change when the format or the law of identity changes, and never
otherwise: a changed identity breaks every log, lock and trace that names a version.
"""

from typing import Any

from frozenctx_compiler.package import (
    CheckedPackage,
    EnvUse,
    LinkedPackage,
    LoweredPackage,
    PackageFiles,
    Program,
    ReadPackage,
    Role,
    Settings,
    SettingsDocument,
)

PROGRAM = """\
PROGRAM = 1
NAME = None
FILE = 'golden.ctx/prompt.j2'
NEEDS = (('filters', ()), ('tests', ()), ('globals', ()))


def bind(engine, template):
    def root(context):
        return ['golden {number}']

    return root, {{}}


LINES = ()
"""

SCHEMA = {
    "type": "object",
    "properties": {"zeta": {"type": "string", "enum": ["ä", "\U0001fae0", "\u00a0"]}, "alpha": {"minimum": 1.0}},
    "required": ["zeta"],
}


def settings(**values: Any) -> Settings:
    return Settings(**{"name": "golden", "model": "openai:gpt-5", **values})


SETTINGS = {
    "bare": settings(),
    "literal": settings(system="Text with ünïcode, \u2028, \x1f and \"quotes\"."),
    "numbers": settings(max_tokens=0, max_rounds=0, temperature=0, output_retries=0),
    "floats": settings(temperature=1e-7, max_tokens=2**70),
    "flags-off": settings(require_tool_call=False, agent=False, context="local"),
    "everything": settings(
        reply_schema=SCHEMA,
        tools=("b/two", "a", "b/two"),
        system_render="corp/system",
        user_render="corp/user",
        max_tokens=4000,
        max_rounds=8,
        temperature=0.2,
        reasoning_effort="xhigh",
        output_retries=2,
        require_tool_call=True,
        response_format="json_object",
        prompt_cache="1h",
        agent=True,
        sub={"summary_policy": "result_only", "shape": "Agent"},
        context="whole_session",
        skills=("search",),
        input_defaults="apply",
        meta={"owner": "ünit", "z": [1, 2.0, None, True], "a": {}},
    ),
}


def packages() -> list[LinkedPackage]:
    """One package for each of SETTINGS, and some with templates."""
    made = [_package(f"literal/{name}", values) for name, values in SETTINGS.items()]
    made.append(_package("templates/one", settings(), {"system": 1}))
    made.append(_package("templates/both", settings(temperature=1), {"system": 1, "user": 2}, {"z": 3, "a/b.j2": 1}))
    made.append(_package("templates/host", settings(), {"system": 4}, host_names=("test:vip", "filter:money")))
    return made


def _package(
    key: str,
    values: Settings,
    roles: dict[Role, int] | None = None,
    partials: dict[str, int] | None = None,
    host_names: tuple[str, ...] = (),
) -> LinkedPackage:
    files = PackageFiles(key, "golden", f"{key}.ctx", False)
    read = ReadPackage(files, "rich" if roles else "minimal", SettingsDocument(f"{key}.ctx/settings.yaml", "", None))
    sources: dict[Role, str] = {role: f"{number:064x}" for role, number in (roles or {}).items()}
    renderers: dict[Role, str] = {role: f"dotctx/golden/{role}@v{digest[:12]}" for role, digest in sources.items()}
    lowered = LoweredPackage(
        CheckedPackage(read, values, EnvUse()),
        {role: Program(PROGRAM.format(number=number)) for role, number in (roles or {}).items()},
        {name: Program(PROGRAM.format(number=number)) for name, number in (partials or {}).items()},
    )
    return LinkedPackage(lowered, renderers, sources, host_names)
