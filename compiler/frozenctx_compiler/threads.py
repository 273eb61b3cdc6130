"""Running one function on a stack of its own, so that it ends at the same place wherever it began.

In: a function. Out: what it returns or raises. The invariant: how deep it may go depends neither on how deep its
caller is, nor on the thread it is called in (some have half a megabyte of stack), nor on another call beside it.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

FRAMES = 6000  # calls of the interpreter; what runs here counts its own depth, and stays far below
_STACK = 64 * 1024 * 1024  # bytes of address space; only what is used becomes memory

one_at_a_time = threading.Lock  # for what other libraries keep in places of their own
_settings = threading.Lock()  # of the interpreter and of threads that begin, which all threads share
_running = 0
_before = 0


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Let the interpreter go deep. The first one to run raises its limit, the last one puts it back."""
    global _running, _before
    with _settings:
        if not _running:
            _before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_before, FRAMES))
        _running += 1
    try:
        yield
    finally:
        with _settings:
            _running -= 1
            if not _running:
                sys.setrecursionlimit(_before)


def on_a_stack_of_its_own(run: Callable[[], T]) -> T:
    """What `run()` returns; what it raises is raised."""
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(run())
        except BaseException as error:  # raised again below, in the thread that asked
            errors.append(error)

    with _deep_recursion():
        thread = threading.Thread(target=work, name="frozenctx", daemon=True)
        with _settings:
            size = threading.stack_size(_STACK)
            try:
                thread.start()
            finally:
                threading.stack_size(size)
        thread.join()
    for error in errors:
        raise error
    return results[0]
