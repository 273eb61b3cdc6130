"""Renders programs of the corpus; run as `python -I -S bare.py RUNTIME TESTS JOBS`, never imported.

In: the runtime's source root, the directory of the tests, and a JSON file: a list of `{"programs": {name: text},
"main": name, "context": JSON text}`. Out, on stdout: a JSON list of `[error class name or "", text or message]`, in
the same order. Nothing but the standard library and the runtime can be imported.
"""

import sys

FORBIDDEN = ("jinja2", "markupsafe", "msgspec", "yaml")


class Refuse:
    """An import hook that makes the absence of the libraries certain, whatever is installed."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] in FORBIDDEN:
            raise ImportError(f"{name} is not available to a rendered prompt")


def main() -> None:
    runtime, tests, jobs = sys.argv[1:]
    sys.meta_path.insert(0, Refuse)
    sys.path[:0] = [runtime, tests]

    import json

    from frozenctx.errors import TemplateNotFound
    from frozenctx.template import Engine, Template, pass_context, pass_environment, pass_eval_context
    from frozenctx.template.markup import Markup
    from frozenctx.template.undefined import StrictUndefined
    from template_corpus import contexts

    kit = contexts.Kit(Markup, StrictUndefined, pass_context, pass_environment, pass_eval_context)

    def render(programs: dict[str, str], main: str, context_json: str) -> tuple[str, str]:
        engine = Engine()
        made: dict[str, Template] = {}

        def lookup(name: str) -> Template:
            if name not in programs:
                raise TemplateNotFound(name)
            if name not in made:
                made[name] = Template(programs[name], engine, lookup)
            return made[name]

        try:
            return "", lookup(main).render(contexts.build(json.loads(context_json), kit))
        except Exception as error:  # whatever a template raises is the outcome
            return type(error).__name__, str(error)

    with open(jobs, encoding="utf-8") as stream:
        outcomes = [render(job["programs"], job["main"], job["context"]) for job in json.load(stream)]
    loaded = sorted(name for name in FORBIDDEN if name in sys.modules)
    if loaded:
        raise SystemExit(f"imported after all: {loaded}")
    json.dump(outcomes, sys.stdout)


main()
