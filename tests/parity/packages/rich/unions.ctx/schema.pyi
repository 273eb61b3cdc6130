from typing import Literal, Optional, Union


class Output:
    kind: Literal["a", "b"]
    mixed: Literal["x", 1, -2, True, None]
    maybe: Optional[str]
    either: Union[int, str]
    flat: int | str | None
    right: int | (str | None)
    three: Union[int, str, None]
    deep: list[int | None] | dict[str, Optional[bool]]
