"""Single templates, without a package: bytes that `CompiledTemplate.encode` of the compiler made.

In: the bytes, and what the host supplies. Out: `Template`, which renders. The bytes are a line (word, format number,
digest of all that follows), a line of JSON (the options that matter when rendering, the names it asks for), and the
text of the program. They are checked against damage before any of it is run; as with packs, not against tampering: who
can write them runs code.
"""

from .errors import Damaged, HostNamesMissing, ProgramError, TemplateNotFound, UnsupportedFormat
from .format import DIGEST, TEMPLATE_FORMAT, TEMPLATE_WORD
from .objects import decode_json, sha256_hex
from .template import Template as Program
from .template import undefined as undefined_values
from .template.language import GLOBALS
from .words import listed, near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any, NoReturn

    from .template import Engine

UNDEFINED = ("Undefined", "ChainableUndefined", "DebugUndefined", "StrictUndefined")


def load_template(
    data: bytes,
    *,
    templates: "Mapping[str, bytes] | None" = None,
    filters: "Mapping[str, Callable[..., Any]] | None" = None,
    tests: "Mapping[str, Callable[..., Any]] | None" = None,
    globals: "Mapping[str, Any] | None" = None,
    finalize: "Callable[..., Any] | None" = None,
    clock: "Callable[[], Any] | None" = None,
) -> "Template":
    """Return the template that `compile_template(…).encode()` gave as `data`.

    `templates`: those that it includes, imports or extends, by the names it has for them, compiled with the same
    options. `filters`, `tests`, `globals`: what the options name as the host's; globals may be more, they are variables
    that every rendering has. `finalize`: the function that every printed value passes through, if the options say that
    there is one. `clock`: what `strftime_now` of chat templates asks for the time (`datetime.now`).

    Raises ProgramError for what are no bytes of a template, Damaged, UnsupportedFormat, HostNamesMissing; ValueError
    for functions that the templates were not compiled for; TypeError for arguments of other types.
    """
    named = {"templates": templates, "filters": filters, "tests": tests, "globals": globals}
    for argument, value in named.items():
        if value is not None and not hasattr(value, "keys"):
            raise TypeError(f"{argument}= takes a mapping of names, not {type(value).__name__}")
    main = Encoded(data, "the template")
    others = {name: Encoded(each, f"the template `{name}`") for name, each in (templates or {}).items()}
    for name, other in others.items():
        if other.options != main.options:
            raise ProgramError(
                f"`{name}` was compiled with other options than the template that it is loaded for: compile both alike"
            )
    engine = _engine(main.options, {"filters": filters, "tests": tests, "globals": globals}, finalize, clock)
    made: dict[str, Program] = {}

    def lookup(name: "Any") -> Program:
        if name not in made:
            if name not in others:
                raise TemplateNotFound(name)
            made[name] = Program(others[name].text, engine, lookup)
        return made[name]

    found = Program(main.text, engine, lookup)
    if main.name is not None and main.name not in others:
        made[main.name] = found
    for each in (found, *map(lookup, others)):
        engine.check_needs(each.needs, each.file)
    return Template(found, main)


class Encoded:
    """What the bytes of a template say."""

    __slots__ = ("name", "options", "reaches_others", "text", "variables")

    def __init__(self, data: bytes, what: str) -> None:
        if not isinstance(data, bytes):
            raise TypeError(f"expected the bytes of a template, found {type(data).__name__}")
        first, _, rest = data.partition(b"\n")
        words = first.split(b" ")
        if len(words) != 3 or words[0] != TEMPLATE_WORD.encode() or not words[1].isdigit():
            raise ProgramError(f"{what} is not what `compile_template(…).encode()` gives")
        if int(words[1]) != TEMPLATE_FORMAT:
            raise UnsupportedFormat(
                f"{what} has format {int(words[1])}, this frozenctx reads format {TEMPLATE_FORMAT}:"
                " compile it again, or use the frozenctx that it was compiled for"
            )
        if words[2].decode("ascii", "replace") != DIGEST + sha256_hex(rest):
            raise Damaged(f"{what} is damaged: its bytes have another digest")
        head, _, text = rest.partition(b"\n")
        try:
            facts = decode_json(head)
            self.name: str | None = facts["name"]
            self.options: dict[str, Any] = facts["options"]
            self.variables: tuple[str, ...] = tuple(facts["variables"])
            self.reaches_others: bool = facts["reachesOthers"]
            self.text = text.decode("ascii")
            known = self.options["undefined"] in UNDEFINED
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(f"{what} is damaged: {error}") from error
        if not known:
            raise UnsupportedFormat(f"{what} needs undefined values of the class `{self.options['undefined']}`")


def _engine(
    options: "dict[str, Any]", given: "dict[str, Any]", finalize: "Callable[..., Any] | None", clock: "Any"
) -> "Engine":
    if finalize is not None and not callable(finalize):
        raise TypeError(f"finalize= takes a function of one argument, not {type(finalize).__name__}")
    if bool(finalize) != options["finalize"]:
        raise ValueError(
            "the template was compiled for a `finalize` function: pass it"
            if options["finalize"]
            else "the template was not compiled for a `finalize` function: compile it with the option finalize=True"
        )
    if clock is not None and not callable(clock):
        raise TypeError(f"a clock is a function without arguments that returns the time, not {type(clock).__name__}")
    lacking = [
        f"{kind[:-1]} `{name}`" for kind, names in options["host"].items() for name in names
        if name not in (given[kind] or {})
    ]  # fmt: skip
    if lacking:
        raise HostNamesMissing(f"the template needs the {' and the '.join(lacking)} of the host program")
    for kind, names in options["host"].items():
        unknown = [name for name in given[kind] or {} if name not in names]
        if kind == "globals":  # others are variables that every rendering has
            unknown = [name for name in unknown if name in GLOBALS]
        if unknown:
            raise ValueError(
                f"the template was compiled without {kind} of the host named {listed(unknown)}: name them in the option"
                f" host_{kind}{near(unknown[0], names)}"
            )
        for name in names if kind != "globals" else ():
            if not callable(given[kind][name]):
                raise TypeError(f"the {kind[:-1]} `{name}` is not callable: {given[kind][name]!r}")
    shared = {
        "undefined": getattr(undefined_values, options["undefined"]),
        "autoescape": options["autoescape"],
        "newline_sequence": options["newlineSequence"],
        "finalize": finalize,
        **given,
    }
    if options["chat"]:
        from .template.chat import ChatEngine

        return ChatEngine(clock, **shared)
    from .template import Engine

    return Engine(**shared)


class Template:
    """One template. Renders the same text for the same variables, from any number of threads."""

    __slots__ = ("_encoded", "_program")

    def __init__(self, program: Program, encoded: Encoded) -> None:
        self._program = program
        self._encoded = encoded

    @property
    def name(self) -> "str | None":
        """What the template calls itself in messages."""
        return self._encoded.name

    @property
    def variables(self) -> "tuple[str, ...]":
        """The names that the template asks for, sorted; those of templates that it includes are not among them."""
        return self._encoded.variables

    def render(self, variables: "Mapping[str, Any] | None" = None, /, **more: "Any") -> str:
        """Return the text for these variables: a mapping, keywords, or both (then keywords win).

        Raises the TemplateErrors of `frozenctx.errors` with `file` and `line`, and whatever the caller's own objects
        raise; both with a note that says where.
        """
        try:
            return self._program.render(variables, **more)
        except Exception as exception:
            from .explain import explain_single

            explain_single(exception, dict(variables or (), **more))
            raise

    def generate(self, variables: "Mapping[str, Any] | None" = None, /, **more: "Any") -> "Iterator[str]":
        """Yield the text in pieces; how it is cut is not promised. Variables and errors as for `render`."""
        try:
            yield from self._program.generate(variables, **more)
        except Exception as exception:
            from .explain import explain_single

            explain_single(exception, dict(variables or (), **more))
            raise

    def render_with_generation(
        self, variables: "Mapping[str, Any] | None" = None, /, **more: "Any"
    ) -> "tuple[str, list[tuple[int, int]]]":
        """Return the text and, for each `{% generation %}` block in the order of the text, where it begins and ends in
        it, counted in characters (code points). Variables and errors as for `render`.

        Raises TemplateRuntimeError where the place of a block is not known: in a macro, a block, text that is filtered
        or set; and for templates that reach other templates.
        """
        from .template.chat import spans

        found: list[tuple[int, int]] = []
        token = spans.set(found)
        try:
            if self._encoded.reaches_others:
                from .errors import TemplateRuntimeError

                raise TemplateRuntimeError("where generation blocks are is not known of templates that reach others")
            return self.render(variables, **more), found
        finally:
            spans.reset(token)

    def __reduce_ex__(self, protocol: object) -> "NoReturn":
        # What makes it render are functions of its program and of the host, which mean something in this process alone.
        raise TypeError("a loaded template cannot be copied or pickled; pass its bytes on, and load them there")

    def __repr__(self) -> str:
        return f"<frozenctx.Template {self.name!r}>"
