from dotctx import Sample  # not installed here, and never imported

raise SystemExit(f"never run: {Sample:\d}")


async def sample(limit, seed=1):
    return []


if Sample:
    score = print
else:

    def score(input, output, expected, *, weight=1):
        return 1.0
