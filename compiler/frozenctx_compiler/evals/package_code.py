"""Finds and executes the Python files of one package, as modules of a package of their own.

In: the package's directory, seen through Sources. Out: modules. The invariants: only files of the directory are found
here, each read through `Sources`, and nothing is written beside them. `from .cases import CASES` in `eval.py` is
`cases.py` beside it; nothing is put on `sys.path`.
"""

import importlib.abc
import importlib.util
import os
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType

from ..sources import SourceFault, Sources


class PackageCode(importlib.abc.MetaPathFinder, importlib.abc.ExecutionLoader):
    """`name`: what the package of modules is called; `path`, `directory`: where it is, for Sources and for Python.

    `modules`: those that were executed, by name, while they are not in `sys.modules`.
    """

    def __init__(self, name: str, path: str, directory: str, sources: Sources) -> None:
        self.name, self.directory = name, directory
        self._path, self._sources = path, sources
        self.modules: dict[str, ModuleType] = {}

    def owns(self, name: str) -> bool:
        return name == self.name or name.startswith(f"{self.name}.")

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not self.owns(name):
            return None
        file = self._file(name)
        if file is None and name != self.name:
            return None
        package = name == self.name or (file or "").endswith("/__init__.py")
        where = os.path.join(self.directory, *name.split(".")[1:])
        locations = [where] if package else None
        if file is None:
            spec = ModuleSpec(name, self, is_package=True)
            spec.submodule_search_locations = locations
            return spec
        return importlib.util.spec_from_file_location(
            name, self.get_filename(name), loader=self, submodule_search_locations=locations
        )

    def get_filename(self, fullname: str) -> str:
        file = self._file(fullname) or "__init__.py"
        return os.path.join(self.directory, *file.split("/"))

    def get_source(self, fullname: str) -> str:
        file = self._file(fullname)
        if file is None:
            return ""
        try:
            return self._sources.text(self._sources.join(self._path, file))
        except SourceFault as fault:
            raise ImportError(fault.headline, name=fullname, path=self.get_filename(fullname)) from None

    def is_package(self, fullname: str) -> bool:
        return fullname == self.name or (self._file(fullname) or "").endswith("__init__.py")

    def _file(self, name: str) -> str | None:
        """The file of a module, relative to the directory."""
        parts = name.split(".")[1:]
        tried = ["/".join([*parts, "__init__.py"])]
        if parts:
            tried.append("/".join(parts) + ".py")
        for file in tried:
            try:
                if self._sources.kind(self._sources.join(self._path, file)) == "file":
                    return file
            except SourceFault as fault:
                raise ImportError(fault.headline, name=name) from None
        return None
