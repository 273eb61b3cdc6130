"""Model slugs: what an author writes → `provider:model` and the effort a suffix names (CTX-FORMAT §3)."""

from dataclasses import dataclass

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
DEFAULT_MODEL = "claude-sonnet-4"
_PROVIDERS = {"vertex_ai": "vertexai", "google": "gemini"}


@dataclass(frozen=True, slots=True)
class Slug:
    """`model` is `provider:name` or a bare name; `effort` is the known effort a suffix `@<effort>` named."""

    model: str
    effort: str | None = None


def parse_slug(text: str) -> Slug | None:
    """The meaning of a model slug; None when the whole or a half of it is empty.

    The first of `:` and `/` decides where the provider ends; any `@…` that is no known effort is part of the name.
    """
    model, effort = text.strip(), None
    head, at, tail = model.rpartition("@")
    if at and tail.strip().lower() in EFFORTS:
        model, effort = head.strip(), tail.strip().lower()
    cut = min((i for i in (model.find(":"), model.find("/")) if i >= 0), default=-1)
    if cut >= 0:
        provider, name = model[:cut], model[cut + 1 :]
        if not provider.strip() or not name.strip():
            return None
        model = f"{_PROVIDERS.get(provider, provider)}:{name}"
    return Slug(model, effort) if model else None
