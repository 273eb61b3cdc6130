class Output:
    """\N{BULLET}, \N{EM DASH} and \\N{FOO}"""

    größe: int
    """\N{FOO}, \x1, \u12"""
    b: str = "\U00110000"
    c: str = "\N{ROCKET} \N{NBSP} \N{SHAKING FACE} \N{LATIN SMALL LETTER R WITH TILDE}"
