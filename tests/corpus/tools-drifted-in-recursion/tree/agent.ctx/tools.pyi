from typing import TypedDict

__server__ = "files"

class Folder(TypedDict):
    name: str
    folders: list["Folder"] | None

class Part(TypedDict):
    inner: "Part | None"

class Whole(TypedDict):
    part: Part

def inlined(folder: Folder): ...

def pointed(folder: Folder, again: Folder | None): ...

def deeper(whole: Whole): ...

def closed(options: dict, mode: str = "fast"): ...
