"""The pass check_samples: the variables of samples against `Input` (CTX-FORMAT §2, §5).

In: a CheckedPackage. Out: nothing; every variable that is missing, undeclared or of another type is reported at its
place in the sample's file, with the place where `Input` declares it. Packages without `Input` ask nothing.
"""

from collections.abc import Mapping

from frozenctx.validation import Validator

from .check_document import dotted
from .contracts.types import Field
from .diagnostics import Related, Scope, Span
from .package import CheckedPackage, Sample
from .spelling import near

_CODE = "sample-input"


def check_samples(checked: CheckedPackage, scope: Scope) -> None:
    """Report what is wrong with the variables of the package's samples."""
    if checked.input_schema is None or checked.declared is None or checked.declared.input is None:
        return
    declared = {field.name: field for field in checked.declared.input.fields}
    validator = Validator(checked.input_schema)
    for sample in checked.samples:
        _check(sample, declared, validator, scope)


def _check(sample: Sample, declared: Mapping[str, Field], validator: Validator, scope: Scope) -> None:
    spans, keys = sample.located.spans, sample.located.keys
    start = keys.get(("variables",), Span(sample.located.file))
    undeclared = [name for name in sample.variables if name not in declared]
    missing = [name for name, field in declared.items() if field.required and name not in sample.variables]
    for name in undeclared:
        meant = near(name, declared)
        scope.add(
            _CODE,
            f"the sample `{sample.name}` gives `{name}`, which `Input` does not declare",
            keys.get(("variables", name), start),
            label="not declared",
            related=[_declaration(declared[meant])] if meant else [],
            help=f"did you mean `{meant}`?" if meant else "remove it, or declare it",
        )
    for name in missing:
        if any(near(other, [name]) for other in undeclared):
            continue  # one cause: it is there under another name
        scope.add(
            _CODE,
            f"the sample `{sample.name}` lacks `{name}`, which `Input` requires",
            start,
            related=[_declaration(declared[name])],
            help=f"write `{name}: …`, or give it a default where it is declared",
        )
    for problem in validator.problems(dict(sample.variables)):
        if not problem.path:
            continue  # missing, see above
        path = ("variables", *problem.path)
        field = declared.get(str(problem.path[0]))
        scope.add(
            _CODE,
            f"`{dotted(problem.path)}` of the sample `{sample.name}`: {problem.message}",
            spans.get(path, start),
            related=[_declaration(field)] if field is not None else (),
        )


def _declaration(field: Field) -> Related:
    return Related(field.span, f"`{field.name}` is declared here")
