from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Function = TypeVar("Function", bound=Callable[..., Any])

__version__: str

class DeviceError(RuntimeError): ...

def gather_nd(
    input: NDArray[Any],
    indices: NDArray[Any],
    batch_dims: SupportsIndex,
    mode: str,
    fill_value: NDArray[Any] | None,
    out: object,
    device: str = "cpu",
    wrap_negative_indices: bool = True,
) -> NDArray[Any]: ...
def scatter_nd(
    input: NDArray[Any],
    indices: NDArray[Any],
    updates: NDArray[Any],
    reduction: str,
    batch_dims: SupportsIndex,
    mode: str,
    duplicates: str,
    out: object,
    device: str = "cpu",
    wrap_negative_indices: bool = True,
) -> NDArray[Any]: ...
def gather_entry(python: Function) -> Function: ...
def scatter_entry(python: Function) -> Function: ...
def winners(
    result: NDArray[Any],
    indices: NDArray[Any],
    updates: NDArray[Any],
    reduction: str,
    batch_dims: SupportsIndex,
    mode: str,
    duplicates: str,
    wrap_negative_indices: bool,
    none: int = -1,
) -> NDArray[np.int64]: ...
def device_winners(
    device: str,
    input: DeviceArray | NDArray[Any],
    indices: DeviceArray | NDArray[Any],
    updates: DeviceArray | NDArray[Any],
    reduction: str,
    batch_dims: SupportsIndex,
    mode: str,
    duplicates: str,
    wrap_negative_indices: bool,
) -> DeviceArray: ...
def make_device_plan(
    shape: tuple[int, ...],
    indices: DeviceArray,
    batch_dims: SupportsIndex,
    mode: str,
    wrap_negative_indices: bool = True,
) -> IndexPlan: ...
def make_index_plan(
    shape: tuple[int, ...],
    indices: NDArray[Any],
    batch_dims: SupportsIndex,
    mode: str,
    device: str = "cpu",
    wrap_negative_indices: bool = True,
) -> IndexPlan: ...

class Selection:
    @property
    def covers(self) -> bool: ...
    @property
    def merges(self) -> bool: ...
    @property
    def text(self) -> str: ...
    @property
    def outer(self) -> tuple[int, ...]: ...
    @property
    def is_plain(self) -> bool: ...
    @property
    def depth(self) -> int: ...

def select(x: NDArray[Any], index: object, classify: Callable[[Any], Any]) -> Selection: ...
def at_entry(
    python: Function,
    at: type[Any],
    indexed: type[Any],
    classify: Callable[[Any], Any],
    defaults: tuple[Any, ...],
) -> Function: ...
def at_get(
    x: NDArray[Any],
    selection: Selection,
    mode: str,
    fill_value: NDArray[Any] | None,
    wrap_negative_indices: bool,
    out: object,
    device: str,
) -> NDArray[Any]: ...
def at_update(
    input: NDArray[Any] | None,
    output: NDArray[Any],
    fresh: bool,
    selection: Selection,
    updates: NDArray[Any],
    reduction: str,
    mode: str,
    duplicates: str,
    wrap_negative_indices: bool,
    device: str,
) -> None: ...
def device_at_get(
    device: str,
    x: DeviceArray | NDArray[Any],
    selection: Selection,
    mode: str,
    fill_value: NDArray[Any] | None,
    out: DeviceArray | None,
    wrap_negative_indices: bool,
) -> DeviceArray: ...
def device_at_update(
    device: str,
    x: DeviceArray,
    selection: Selection,
    updates: DeviceArray | NDArray[Any],
    reduction: str,
    mode: str,
    duplicates: str,
    wrap_negative_indices: bool,
    in_place: bool,
) -> DeviceArray: ...
def plan_entry(plan: type[Any]) -> None: ...

class IndexPlan:
    def gather(
        self,
        input: NDArray[Any],
        fill_value: NDArray[Any] | None,
        out: object,
    ) -> NDArray[Any]: ...
    def scatter(
        self,
        input: NDArray[Any],
        updates: NDArray[Any],
        reduction: str,
        duplicates: str,
        out: object,
    ) -> NDArray[Any]: ...
    def device_gather(
        self,
        device: str,
        input: DeviceArray | NDArray[Any],
        fill_value: NDArray[Any] | None,
        out: DeviceArray | None,
    ) -> DeviceArray: ...
    def device_scatter(
        self,
        device: str,
        input: DeviceArray | NDArray[Any],
        updates: DeviceArray | NDArray[Any],
        reduction: str,
        duplicates: str,
        out: DeviceArray | None,
        in_place: bool,
    ) -> DeviceArray: ...
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
    @property
    def batch_dims(self) -> int: ...
    @property
    def mode(self) -> str: ...
    @property
    def wrap_negative_indices(self) -> bool: ...
    def restore_indices(self) -> NDArray[np.int64]: ...

class AtFrame:
    def gather(
        self,
        plan: IndexPlan,
        input: NDArray[Any],
        fill_value: NDArray[Any] | None,
        out: object,
    ) -> NDArray[Any]: ...
    def scatter(
        self,
        plan: IndexPlan,
        input: NDArray[Any] | None,
        output: object,
        fresh: bool,
        updates: NDArray[Any],
        reduction: str,
        duplicates: str,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def updates_shape(self) -> tuple[int, ...]: ...
    @property
    def covers(self) -> bool: ...
    @property
    def is_plain(self) -> bool: ...
    @property
    def text(self) -> str: ...
    def expression(self, arrays: Sequence[NDArray[Any]]) -> tuple[Any, ...]: ...

def make_at_plan(
    selection: Selection, mode: str, device: str, wrap_negative_indices: bool
) -> tuple[AtFrame, IndexPlan]: ...
def element_types(list: list[Any]) -> set[type]: ...
def longest_text(list: list[Any]) -> int: ...
def from_dlpack(object: Any, what: str) -> NDArray[Any]: ...
def new_like(x: NDArray[Any], keeps_order: bool, copies: bool) -> NDArray[Any]: ...
def read_environment() -> None: ...
def keep_limit() -> int: ...
def kept_memory() -> int: ...
def release_memory() -> int: ...
def num_threads() -> int: ...
def set_num_threads(count: int) -> None: ...
def process_threads() -> int: ...
def limit_threads(count: int) -> None: ...
def check_call(
    scatters: bool,
    input_shape: tuple[int, ...],
    input_dtype: np.dtype[Any],
    indices_shape: tuple[int, ...],
    indices_dtype: np.dtype[Any],
    updates_shape: tuple[int, ...] | None,
    updates_dtype: np.dtype[Any] | None,
    reduction: str,
    batch_dims: SupportsIndex,
    mode: str,
    duplicates: str,
    wrap_negative_indices: bool,
) -> None: ...
def group_tuples(
    scatters: bool,
    block: NDArray[Any],
    bounds: list[list[int]],
    whole: tuple[int, ...],
    corner: tuple[int, ...],
    batch_dims: int,
    mode: str,
    wrap_negative_indices: bool,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]: ...
def cpu_targets() -> list[str]: ...
def cpu_target() -> str: ...
def set_cpu_target(target: str) -> None: ...
def grain() -> int: ...
def set_grain(items: int) -> None: ...
def force_gather(way: str) -> None: ...
def force_scatter(way: str) -> None: ...
def force_device_gather(way: str) -> None: ...
def force_device_scatter(way: str) -> None: ...
def explain(call: Callable[[], object]) -> list[str]: ...

# The fields of gathernd.dml.TensorDesc, in their order.
DmlTensor: TypeAlias = tuple[int, tuple[int, ...], tuple[int, ...] | None, int | None, int, int]

class DmlOperator:
    def run(
        self,
        input: NDArray[Any],
        indices: NDArray[Any],
        updates: NDArray[Any] | None,
        out: object,
    ) -> NDArray[Any]: ...
    def run_buffers(
        self,
        input: NDArray[Any],
        indices: NDArray[Any],
        updates: NDArray[Any] | None,
        output: NDArray[Any],
    ) -> None: ...

def dml_compile(
    op: str, tensors: list[DmlTensor], counts: list[int], feature_level: str, device: str
) -> DmlOperator: ...
def dml_buffer_size(tensor: DmlTensor) -> int: ...

class DeviceArray:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def device(self) -> str: ...
    def reshape(self, shape: Sequence[int]) -> DeviceArray: ...
    def numpy(self) -> NDArray[Any]: ...

def devices() -> list[tuple[str, str, str, int]]: ...
def unusable_devices() -> list[tuple[str, str]]: ...
def find_device(name: str) -> str | None: ...
def open_device(name: str) -> None: ...
def upload(device: str, array: NDArray[Any], op: str, what: str) -> DeviceArray: ...
def device_gather_nd(
    device: str,
    input: DeviceArray | NDArray[Any],
    indices: DeviceArray | NDArray[Any],
    batch_dims: SupportsIndex,
    mode: str,
    fill_value: NDArray[Any] | None,
    out: DeviceArray | None,
    wrap_negative_indices: bool = True,
) -> DeviceArray: ...
def device_scatter_nd(
    device: str,
    input: DeviceArray | NDArray[Any],
    indices: DeviceArray | NDArray[Any],
    updates: DeviceArray | NDArray[Any],
    reduction: str,
    batch_dims: SupportsIndex,
    mode: str,
    duplicates: str,
    out: DeviceArray | None,
    in_place: bool,
    wrap_negative_indices: bool = True,
) -> DeviceArray: ...
def inject_device_fault(call: str, result: int, after: int = 0) -> None: ...
