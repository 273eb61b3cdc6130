"""Samples: composed nodes → the variables a template is tried with and what the text must hold (CTX-FORMAT §2).

In: a package's SampleFiles. Out: Samples, in the order given. Samples hold no expressions, and every scalar has one
meaning, as in settings.
"""

from collections.abc import Iterable
from typing import Any

from .check_document import check_document
from .diagnostics import Scope
from .documents import SAMPLE
from .package import Located, Sample, SampleFile
from .yamltree import plain, span_of


def check_samples(files: Iterable[SampleFile], scope: Scope) -> tuple[Sample, ...]:
    """The samples without a fault; the faults of the others are reported."""
    samples = []
    for file in files:
        located = plain(file.node, file.file, scope)
        start = span_of(file.node, file.file)
        whole = f"the sample `{file.name}`"
        if located is not None and check_document(SAMPLE.body, located, "bad-sample", whole, start, scope):
            samples.append(_sample(file.name, located))
    return tuple(samples)


def _sample(name: str, located: Located) -> Sample:
    content: dict[str, Any] = located.value
    expect = {role: wanted for role, wanted in (content.get("expect") or {}).items() if wanted is not None}
    return Sample(name, content["variables"], content.get("description") or "", expect, located)
