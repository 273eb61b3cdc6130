from enum import StrEnum
from typing import NotRequired
from shared import Page

__server__ = " crm "


class Output(StrEnum):
    TEXT = "text"


Input = dict[str, int]


class Page:
    number: int


def sound(a: Output, b: Input): ...


def find(name: NotRequired[str], tags: set[int] = {1, 1}): ...


class find:
    name: str


def read(id: str): ...


read = int


@tool("x", description='a very long description of the tool, longer than a headline should be')
def search(text: str): ...
