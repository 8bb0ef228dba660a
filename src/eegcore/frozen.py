"""Kernels from object files that an earlier process has frozen, without numba.

An experiment behind EEGCORE_FROZEN=1. ``eegcore warmup`` writes one object file for
each kernel and each combination of argument types (`eegcore.kernels._freeze`); here
they are loaded by llvmlite and called through ctypes, which releases the GIL. A call of
other types than were frozen goes to numba.

Made of public parts only: numba's ``cfunc``, its ``inspect_llvm`` and ``native_name``,
``carray``, signatures of dispatchers, and llvmlite's binding.
"""

import ctypes
import hashlib
import json
import logging
import threading
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eegcore.kernels import _folder

Function = Callable[..., Any]
_log = logging.getLogger("eegcore")
_lock = threading.Lock()


def argument_key(values: Any, key: list[str], flat: list[Any]) -> None:
    """Write arguments flat, and their types as text.

    An array is its address and its lengths; "C" and "F" are numba's layouts.
    """
    for value in values:
        if isinstance(value, np.ndarray):
            flags = value.flags
            order = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
            key.append(f"{value.dtype.str}{value.ndim}{order}")
            flat.append(value.__array_interface__["data"][0])
            flat += value.shape
        elif isinstance(value, tuple):
            key.append("(")
            argument_key(value, key, flat)
            key.append(")")
        elif isinstance(value, float | np.floating):
            key.append("d")
            flat.append(float(value))
        else:
            key.append("i")
            flat.append(int(value))


def stem(name: str, key: str) -> str:
    """Name of the files of a kernel with arguments of these types."""
    return f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}"


class Told(NamedTuple):
    """What lies beside an object file.

    symbol: of the function. arguments: "p", "i" or "d" each, flat. stubs: functions
    of error paths that are never reached. returns: whether there is an integer result.
    """

    symbol: str
    arguments: str
    stubs: list[str]
    returns: bool


@lru_cache(maxsize=1)
def frozen_folder() -> Path | None:
    """Folder of the object files for this processor; None: nothing can be written."""
    folder = _folder.find_folder()
    if folder is None:
        return None
    llvm = _llvm()
    machine = (llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    return folder / f"frozen-{hashlib.sha256(repr(machine).encode()).hexdigest()[:12]}"


@lru_cache(maxsize=1)
def _llvm() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


class FrozenKernel:
    """A kernel that is called as that of numba is.

    Parameters
    ----------
    name : str
    otherwise : callable
        Gives numba's kernel of a name.
    """

    def __init__(self, name: str, otherwise: Callable[[str], Function]) -> None:
        self._name = name
        self._otherwise = otherwise
        self._known: dict[str, Function | None] = {}

    def __call__(self, *arguments: Any) -> Any:
        """Call the object file's function, or numba's."""
        key: list[str] = []
        flat: list[Any] = []
        argument_key(arguments, key, flat)
        text = "".join(key)
        if text not in self._known:
            with _lock:
                self._known[text] = _loaded(stem(self._name, text))
        function = self._known[text]
        if function is None:
            return self._otherwise(self._name)(*arguments)
        return function(*flat)


_engines: list[Any] = []  # they own the machine code


def _loaded(name: str) -> Function | None:
    """Function of an object file; None: there is none."""
    folder = frozen_folder()
    if folder is None:
        return None
    try:
        told = Told(**json.loads((folder / f"{name}.json").read_bytes()))
        code = (folder / f"{name}.o").read_bytes()
    except (OSError, ValueError, TypeError):
        _log.info("%s is not frozen; numba is used ('eegcore warmup' freezes)", name)
        return None
    llvm = _llvm()
    for symbol in told.stubs:
        if not llvm.address_of_symbol(symbol):
            llvm.add_symbol(symbol, _address_of_abort())
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    kinds: dict[str, Any] = {
        "p": ctypes.c_void_p,
        "i": ctypes.c_int64,
        "d": ctypes.c_double,
    }
    result = ctypes.c_int64 if told.returns else None
    shape = ctypes.CFUNCTYPE(result, *(kinds[kind] for kind in told.arguments))
    return shape(engine.get_function_address(told.symbol))


@lru_cache(maxsize=1)
def _address_of_abort() -> int:
    return ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value or 0
