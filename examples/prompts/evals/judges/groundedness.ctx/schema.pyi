from typing import Annotated, Literal


class Source:
    id: str
    text: str


class Input:
    question: str
    sources: list[Source]
    answer: str
    lenient: bool = False


class Claim:
    claim: Annotated[str, "The claim in the words of the answer."]
    status: Literal["supported", "contradicted", "unsupported"]
    source: str | None = None
    """Id of the source that decided."""


class Output:
    claims: list[Claim]
    score: Literal[1, 2, 3, 4, 5]
    reason: str
