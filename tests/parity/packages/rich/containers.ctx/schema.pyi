from typing import Any, List, Dict, Set, Tuple


class Output:
    names: list[str]
    matrix: List[list[float]]
    counts: dict[str, int]
    anything: Dict[str, Any]
    tags: set[str]
    row: tuple[int, str]
    many: Tuple[int, ...]
    single: tuple[bool]
    bare_list: list
    bare_dict: dict
    bare_tuple: tuple
    nested: dict[str, list[dict[str, bool]]]
