"""Scores answers."""


def score(input, output, expected:
    return input == output
