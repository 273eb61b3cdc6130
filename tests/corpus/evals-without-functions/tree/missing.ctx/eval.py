def samples(limit):
    return []


class Scores:
    def score(self, input, output, expected):
        return 1.0
