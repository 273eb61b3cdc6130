"""Agreement of the judge with people. Read only by `load_ctx_evals`; a build never opens it."""

from dotctx.eval_types import Input, Output, Sample, Score

_CASES = [
    ("How long is the notice?", "Notice is three months.", "Three months.", 5),
    ("How long is the notice?", "Notice is three months.", "Two months.", 1),
    ("How long is the notice?", "Notice is three months.", "Three months, and Anna signs.", 3),
]


def sample(limit: int) -> list[Sample]:
    return [
        Sample(
            input=Input(question=question, sources=[{"id": "1", "text": source}], answer=answer),
            expected={"score": score},
        )
        for question, source, answer, score in _CASES[:limit]
    ]


def score(input: Input, output: Output, expected: dict[str, int]) -> Score:
    return 1 - abs(output["score"] - expected["score"]) / 4
