def score(
