"""Evals: what a package says about how it is evaluated, loaded when somebody asks for it (CTX-FORMAT §8).

`load_ctx_evals` alone executes a package's `eval.py`. A build never comes here, nor does any command.
"""

from .config import DatasetSpec, EvalConfig, ModelSpec
from .error import EvalError
from .loading import Evals, load_ctx_evals, stand_ins

__all__ = ["DatasetSpec", "EvalConfig", "EvalError", "Evals", "ModelSpec", "load_ctx_evals", "stand_ins"]
