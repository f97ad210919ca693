"""`kernel`: the one decorator behind every compiled function of the package.

It is `numba.njit` without the interpreter lock, with a disk cache that notices every edit. Numba
stamps only the file a function stands in, so an edit of card data, of a constant or of a helper
elsewhere would silently keep old machine code. Here the cache lives in a folder named by a digest
of all package sources and data, of numba's version and of its settings.
"""

import functools
import gc
import hashlib
import importlib.metadata
import os
import shutil
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast
from uuid import uuid4

import numba
import platformdirs
from numba.core import event
from numba.core.caching import FunctionCache

PACKAGE = Path(__file__).resolve().parents[1]
KEEP_DIGESTS = 8

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a pure function on records and arrays; call it from other kernels or from Python.

    Constants of the module and card tables are frozen into the machine code. The function may
    close over other kernels (that is how the batched drivers of `engine` take a game). It may not
    make arrays: numba then counts no references to those it is handed, which would cost more than
    most functions here do. One that must make some is `allocating`.
    """
    return _compiled(function, counts_references=False)


def allocating(function: F) -> F:
    """A `kernel` that may make arrays of its own."""
    return _compiled(function, counts_references=True)


# The numpy error model drops the zero-division checks that keep loops from vectorising.
SETTINGS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


def _compiled(function: F, counts_references: bool) -> F:
    compiled = numba.njit(**SETTINGS, _nrt=counts_references)(function)
    _take_wide_integers(compiled)
    if not numba.config.DISABLE_JIT:
        with _cache_dir(cache_folder(Path(function.__code__.co_filename).resolve())) as usable:
            # Functions typed at a prompt have no file to stamp: numba refuses to cache them.
            if usable and Path(function.__code__.co_filename).is_file():
                compiled._cache = _Cache(function)
    return cast(F, compiled)


def _take_wide_integers(compiled: Any) -> None:
    """Let other kernels hand over every integer as int64, so that one compilation serves all.

    Numba compiles a callee anew for every width and every constant in a call: twice the
    functions, and their compile time, for the same results.
    """
    if numba.config.DISABLE_JIT:
        return
    template = compiled.get_call_template

    def get_call_template(args: Any, kws: Any) -> Any:
        wide = {name: _widened(kind) for name, kind in kws.items()}
        return template(tuple(_widened(kind) for kind in args), wide)

    compiled.get_call_template = get_call_template


def _widened(kind: Any) -> Any:
    kind = numba.types.unliteral(kind)
    narrow = isinstance(kind, numba.types.Integer) and kind.bitwidth < 64
    return numba.types.int64 if narrow else kind


def inlined(function: F) -> F:
    """A helper that numba copies into the kernels that call it.

    For the few that are handed an array in the hottest loops, where the call costs more than the
    work, and for large ones with a single caller, which are then compiled once instead of twice;
    on everything it would multiply the compile time.
    """
    return cast(F, numba.njit(**SETTINGS, inline="always")(function))


class _Cache(FunctionCache):
    """Numba's cache, with closures named by what they close over.

    Numba keys a closure by the pickled bytes of its cells; a kernel in a cell pickles to another
    value in every process, so such functions would never be found again. Names suffice here,
    since the folder's digest already covers the package's sources (those of others: see `_name`).

    Files are named apart for every process: numba numbers them by an index that two processes may
    read at once, and then one would find the other's code under its own key.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        files = self._cache_file
        files._data_name_pattern = files._data_name_pattern.replace(
            "{number", f"{uuid4().hex}-{{number", 1
        )

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        cells = [cell.cell_contents for cell in self._py_func.__closure__ or ()]
        code = self._py_func.__code__
        own = hashlib.sha256(repr((code.co_code, code.co_names, code.co_consts)).encode())
        closed = tuple(_name(cell) for cell in cells)
        # A module may be loaded twice, with other tables: its name tells the copies apart.
        module = self._py_func.__module__
        return sig, codegen.magic_tuple(), own.hexdigest(), closed, module


def _name(cell: Any) -> str:
    inner = getattr(cell, "py_func", None)
    if inner is None:
        return repr(cell)
    # A game of another package: the folder's digest does not cover its sources.
    source = Path(inner.__code__.co_filename).resolve()
    outside = "" if source.is_relative_to(PACKAGE) else f"{source}:{digest(source.parent)}:"
    closed = [_name(c.cell_contents) for c in inner.__closure__ or ()]
    return f"{outside}{inner.__module__}.{inner.__qualname__}({','.join(closed)})"


@contextmanager
def _cache_dir(folder: str | None) -> Iterator[bool]:
    before = numba.config.CACHE_DIR
    if folder is not None:
        numba.config.CACHE_DIR = folder
    try:
        yield folder is not None
    finally:
        numba.config.CACHE_DIR = before


def cache_folder(source: Path) -> str | None:
    """The folder for machine code compiled from `source`, or None where nothing is writable."""
    outside = None if source.is_relative_to(PACKAGE) else source.parent
    return _prepared(digest(outside))


@functools.cache
def _prepared(name: str) -> str | None:
    own = f"castle_envs-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    bases = [Path(tempfile.gettempdir()) / own]
    if chosen := os.environ.get("NUMBA_CACHE_DIR"):
        bases.insert(0, Path(chosen))
    elif str(Path.home()) != "/nonexistent":
        bases.insert(0, Path(platformdirs.user_cache_dir("castle_envs", False)))
    for base in bases:
        folder = base / f"kernels-{name}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                os.utime(folder)
        except (OSError, RuntimeError):
            continue
        _prune(base)
        return str(folder)
    warnings.warn("no folder for compiled code is writable: compiling anew", stacklevel=3)
    return None


def _prune(base: Path) -> None:
    folders = sorted(base.glob("kernels-*"), key=lambda f: f.stat().st_mtime, reverse=True)
    for old in folders[KEEP_DIGESTS:]:
        shutil.rmtree(old, ignore_errors=True)


@functools.cache
def digest(outside: Path | None = None) -> str:
    """A name for everything compiled code depends on: sources, data, numba and its settings.

    `outside` is the folder of a game that lives in another package; its files count as well.
    """
    stamp = hashlib.sha256()
    for package in ("numba", "numpy"):
        stamp.update(importlib.metadata.version(package).encode())
    stamp.update(sys.version.encode())
    settings = sorted((k, v) for k, v in os.environ.items() if k.startswith("NUMBA_"))
    stamp.update(repr([s for s in settings if s[0] != "NUMBA_CACHE_DIR"]).encode())
    files = [f for suffix in ("*.py", "*.json") for f in PACKAGE.rglob(suffix)]
    if outside is not None:
        files += outside.glob("*.py")
    for file in sorted(files):
        stamp.update(str(file.name).encode())
        stamp.update(file.read_bytes())
    return stamp.hexdigest()[:16]


class _Compiling(event.Listener):
    """Says once per process that compiling is what takes so long, and keeps it short.

    Compiling makes so many objects that looking for cycles among them takes a tenth of its time.
    """

    def __init__(self) -> None:
        self.said, self.depth, self.collects = False, 0, False

    def on_start(self, event: Any) -> None:
        self.depth += 1
        if self.depth == 1:
            self.collects = gc.isenabled()
            gc.disable()
        module = event.data["dispatcher"].py_func.__module__ or ""
        if not self.said and module.startswith("castle_envs."):
            self.said = True
            print("castle_envs: compiling, first run only ...", file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        self.depth -= 1
        if self.depth == 0 and self.collects:
            gc.enable()


event.register("numba:compile", _Compiling())
