from datetime import date
from typing import Literal, TypedDict


class Person:
    name: str
    born: date


class Step(TypedDict):
    does: str
    by: Person
    needs: list[str]


class Mail(TypedDict):
    kind: Literal["mail"]
    subject: str


class Call(TypedDict):
    kind: Literal["call"]
    number: str


class Input:
    title: str
    steps: list[Step]
    people: dict[str, Person]
    pair: tuple[Person, Step]
    contacts: list[Mail | Call]
    owner: Person | Step
