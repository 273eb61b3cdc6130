def sample():
    return []


if True:

    async def score(input, output, expected, /, examples, *, weight):
        return 1.0
