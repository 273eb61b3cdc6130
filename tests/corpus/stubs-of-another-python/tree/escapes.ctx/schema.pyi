class Output:
    """\N{BULLET} and \\N{FOO}"""

    größe: int
    """\N{FOO}, \x1, \u12"""
    b: str = "\U00110000"
