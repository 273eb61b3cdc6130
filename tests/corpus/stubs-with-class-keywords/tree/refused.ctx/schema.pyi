from dataclasses import dataclass
from msgspec import Struct
from pydantic import BaseModel


class Base(Struct, frozen=True, forbid_unknown_fields=True):
    id: int


class Part(Base, rename="camel", tag="part", tag_field=KIND, array_like=True):
    name_of_it: str


class Model(BaseModel, extra="forbid", kw_only=True):
    part: Part


@dataclass(frozen=True, forzen=True)
class Plain(Model):
    a: int


class Bare(frozen=True):
    b: int


class Output(Struct, **options):
    model: Model
    plain: Plain
    bare: Bare
