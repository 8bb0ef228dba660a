"""Object files of all kernels, as `eegcore.frozen` loads them.

Each kernel that has been compiled in this process gets, for each combination of
argument types, a C function that puts the arguments together again and calls it.
"""

import ctypes
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
import numpy as np

from eegcore.kernels import _jit

_any_numba: Any = numba
_types: Any = _any_numba.types
_DECLARED = re.compile(r'^declare .*?@"?([\w.$]+)', re.MULTILINE)


class Frozen(NamedTuple):
    """Machine code of a kernel for some types, and what is told beside it."""

    name: str
    key: str
    code: bytes
    told: dict[str, Any]


class _Wrapper:
    """Source of a C function for a signature, put together argument by argument."""

    def __init__(self, kernel: Any, signature: Any) -> None:
        self.key: list[str] = []
        self.kinds: list[str] = []
        self._parameters: list[Any] = []
        self._space: dict[str, Any] = {
            "carray": _any_numba.carray,
            "farray": _any_numba.farray,
            "kernel": kernel,
        }
        given = ", ".join([self._expression(kind) for kind in signature.args])
        self.returns = signature.return_type != _types.none
        names = ", ".join(f"a{i}" for i in range(len(self._parameters)))
        verb = "return " if self.returns else ""
        source = f"def wrapper({names}):\n    {verb}kernel({given})\n"
        exec(source, self._space)

    def _added(self, kind: Any, letter: str) -> str:
        self._parameters.append(kind)
        self.kinds.append(letter)
        return f"a{len(self._parameters) - 1}"

    def _expression(self, kind: Any) -> str:
        if isinstance(kind, _types.Array):
            dtype = np.dtype(str(kind.dtype))
            self.key.append(f"{dtype.str}{kind.ndim}{kind.layout}")
            pointer = self._added(_types.CPointer(kind.dtype), "p")
            sizes = [self._added(_types.int64, "i") for _ in range(kind.ndim)]
            make = {"C": "carray", "F": "farray"}[kind.layout]
            return f"{make}({pointer}, ({', '.join(sizes)},))"
        if isinstance(kind, _types.BaseTuple):
            self.key.append("(")
            inside = ", ".join([self._expression(part) for part in kind.types])
            self.key.append(")")
            if isinstance(kind, _types.NamedTuple | _types.NamedUniTuple):
                name = kind.instance_class.__name__
                self._space[name] = kind.instance_class
                return f"{name}({inside})"
            return f"({inside},)"
        is_float = isinstance(kind, _types.Float)
        self.key.append("d" if is_float else "i")
        wide = _types.float64 if is_float else _types.int64
        return self._added(wide, "d" if is_float else "i")

    def compiled(self) -> Any:
        """Return it as numba compiles it."""
        result = _types.int64 if self.returns else _types.void
        signature = result(*self._parameters)
        return _any_numba.cfunc(signature, error_model="numpy")(self._space["wrapper"])


def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="default",
        codemodel="jitdefault",
        jit=True,
    )


def _in_process(symbol: str) -> bool:
    try:
        getattr(ctypes.CDLL(None), symbol)
    except AttributeError:
        return False
    return True


def signatures() -> list[tuple[Any, Any]]:
    """Return kernels of this process with the types they have been compiled for."""
    return [
        (kernel, signature)
        for kernel in _jit.kernels
        for signature in list(kernel.nopython_signatures)
    ]


def freeze(
    progress: Callable[[str], None], is_there: Callable[[str, str], bool]
) -> Iterator[Frozen]:
    """Compile each kernel once more, and turn it into an object file.

    Those of which `is_there` is true of name and key are left out.
    """
    machine: Any = _machine()
    for kernel, signature in signatures():
        wrapper = _Wrapper(kernel, signature)
        name, key = kernel.__name__, "".join(wrapper.key)
        progress(name)
        if is_there(name, key):  # perhaps of arrays that may be written to
            continue
        function = wrapper.compiled()
        text = function.inspect_llvm()
        declared = sorted(set(_DECLARED.findall(text)))
        outside = [symbol for symbol in declared if not symbol.startswith("llvm.")]
        told = {
            "symbol": function.native_name,
            "arguments": "".join(wrapper.kinds),
            "stubs": [symbol for symbol in outside if not _in_process(symbol)],
            "returns": wrapper.returns,
        }
        yield Frozen(name, key, machine.emit_object(llvm.parse_assembly(text)), told)


def write(folder: Path, stem: str, frozen: Frozen) -> None:
    """Write the files of a kernel; what tells of the code appears last."""
    folder.mkdir(mode=0o700, exist_ok=True)
    for suffix, content in (
        (".o", frozen.code),
        (".json", json.dumps(frozen.told).encode()),
    ):
        part = folder / f"{stem}{suffix}.part"
        part.write_bytes(content)
        part.replace(folder / f"{stem}{suffix}")
