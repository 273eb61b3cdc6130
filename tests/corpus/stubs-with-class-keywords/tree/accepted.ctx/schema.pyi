import dataclasses
import msgspec
from msgspec import Struct
from pydantic import BaseModel


class Part(Struct, frozen=True, kw_only=True, order=True, omit_defaults=True, rename=None, tag=False):
    id: int


class Named(Part, gc=False, forbid_unknown_fields=False):
    name: str


class Model(BaseModel, frozen=True):
    part: Named


@dataclasses.dataclass(frozen=True, kw_only=True, slots=True)
class Kept:
    model: Model


class Output(msgspec.Struct, array_like=False, dict=True):
    kept: Kept
