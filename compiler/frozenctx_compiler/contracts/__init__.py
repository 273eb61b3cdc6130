"""Stubs: what `schema.pyi` and `tools.pyi` declare (CTX-FORMAT §6). Parsed with `ast`, never executed."""
