from typing import overload

__server__ = "crm"

def untyped(name, limit: int = 5): ...
def starred(*names: str, **options: str): ...
def method(self, name: str): ...
def twice(name: str, name: int): ...
def again(): ...
def again(limit: int): ...

@overload
def read(id: str) -> str: ...
@overload
def read(id: int) -> str: ...

@tool("find")
def find(日本: 例え, key: bytes): ...

def defaults(limit: int = "5", near: str = place()): ...

class Methods:
    def search(self, text: str): ...

def described(limit: int, name: Annotated[str, "One."]):
    """Do it.

    Args:
        limt: How many.
        limit: One.
        limit: Two.
        name: Another.
        whatever: None.
        nothing:
    """

def half(limit: int):
    "Half of \ud83d."

print("never run")
