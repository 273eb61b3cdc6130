"""The cases of the corpus, read from the directories beside this file.

In: `<area>/<case>.j2`, further templates `<area>/<case>.<other>.j2`, variables `<area>/<case>.json`.
Out: `Case`s sorted by id. Templates are known to each other as `main.j2` and `<other>.j2`. Standard library only.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Case(NamedTuple):
        id: str
        main: str
        extras: dict[str, str]
        context_json: str

else:
    from collections import namedtuple

    Case = namedtuple("Case", "id main extras context_json")

MAIN = "main.j2"
CORPUS = os.path.dirname(os.path.abspath(__file__))


def load_cases(corpus: str = CORPUS) -> "list[Case]":
    """Every case, sorted by id (`area/case`). A file that belongs to no case is an error."""
    cases = []
    for area in sorted(entry.name for entry in os.scandir(corpus) if entry.is_dir() and entry.name[0] not in "._"):
        directory = os.path.join(corpus, area)
        files = sorted(os.listdir(directory))
        templates = [file.split(".") for file in files if file.endswith(".j2")]
        names = [parts[0] for parts in templates if len(parts) == 2]
        for name in names:
            others = [parts[1] for parts in templates if len(parts) == 3 and parts[0] == name]
            extras = {f"{other}.j2": _read(directory, f"{name}.{other}.j2") for other in others}
            variables = f"{name}.json"
            context_json = _read(directory, variables) if variables in files else "{}"
            cases.append(Case(f"{area}/{name}", _read(directory, f"{name}.j2"), extras, context_json))
        lost = [file for file in files if file.split(".")[0] not in names]
        if lost and area != "__pycache__":
            raise ValueError(f"{area}: files without a case: {', '.join(lost)}")
    return cases


def _read(directory: str, file: str) -> str:
    # newline="": a carriage return in a template is part of the case.
    with open(os.path.join(directory, file), encoding="utf-8", newline="") as stream:
        return stream.read()
