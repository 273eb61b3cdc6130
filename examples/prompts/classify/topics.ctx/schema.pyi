from typing import Any, NotRequired, TypedDict


class Topic(TypedDict):
    id: str
    label: str
    hint: NotRequired[str]
    children: NotRequired[list["Topic"]]


class Example(TypedDict):
    text: str
    topics: list[str]


class Input:
    topics: list[Topic]
    message: str
    examples: list[Example] = []
    at_most: int = 3
    custom_fields: dict[str, Any] = {}


class Output:
    topics: list[str]
    """Ids, most fitting first."""
    new_topic: str | None = None
    """A label that the tree lacks, if nothing fits."""
