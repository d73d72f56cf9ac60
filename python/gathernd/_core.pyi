from typing import Any, SupportsIndex

from numpy.typing import NDArray

__version__: str

class DeviceError(RuntimeError): ...

def gather_nd(
    input: NDArray[Any],
    indices: NDArray[Any],
    batch_dims: SupportsIndex,
    mode: str,
    fill_value: NDArray[Any] | None,
    out: NDArray[Any] | None,
) -> NDArray[Any]: ...
def scatter_nd(
    input: NDArray[Any],
    indices: NDArray[Any],
    updates: NDArray[Any],
    reduction: str,
    batch_dims: SupportsIndex,
    mode: str,
    duplicates: str,
    out: NDArray[Any] | None,
) -> NDArray[Any]: ...

class IndexPlan:
    def __init__(
        self,
        shape: tuple[int, ...],
        indices: NDArray[Any],
        batch_dims: SupportsIndex,
        mode: str,
    ) -> None: ...
    def gather(
        self,
        input: NDArray[Any],
        fill_value: NDArray[Any] | None,
        out: NDArray[Any] | None,
    ) -> NDArray[Any]: ...
    def scatter(
        self,
        input: NDArray[Any],
        updates: NDArray[Any],
        reduction: str,
        duplicates: str,
        out: NDArray[Any] | None,
    ) -> NDArray[Any]: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def updates_shape(self) -> tuple[int, ...]: ...
    @property
    def is_unique(self) -> bool: ...
    @property
    def is_sorted(self) -> bool: ...
    @property
    def nbytes(self) -> int: ...

def from_dlpack(object: Any, what: str) -> NDArray[Any]: ...
def num_threads() -> int: ...
def set_num_threads(count: int) -> None: ...
def cpu_targets() -> list[str]: ...
def cpu_target() -> str: ...
def set_cpu_target(target: str) -> None: ...
def grain() -> int: ...
def set_grain(items: int) -> None: ...
