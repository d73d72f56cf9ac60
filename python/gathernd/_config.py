"""Threads, and what the library found on this machine."""

from __future__ import annotations

import inspect
import os
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, ContextDecorator
from typing import Any, SupportsIndex, TypeVar

import numpy as np

from gathernd import _core
from gathernd._arguments.convert import as_integer, short_repr

__all__ = [
    "config",
    "config_text",
    "get_num_threads",
    "read_environment",
    "release_memory",
    "set_num_threads",
    "show_config",
    "threads",
]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def read_environment() -> None:
    """Read the settings of the environment; a bad one is a ValueError.

    The default number of threads is no more than Python's own count of processors, which
    ``PYTHON_CPU_COUNT`` and ``-X cpu_count`` change from Python 3.13 on.
    """
    _core.read_environment()
    count_processors = getattr(os, "process_cpu_count", None)
    if count_processors is None or os.environ.get("GATHERND_NUM_THREADS"):
        return
    count = count_processors()
    if count is not None and count < _core.num_threads():
        _core.set_num_threads(count)


def get_num_threads() -> int:
    """Return how many threads a call may use, the calling one included.

    The default is the environment variable ``GATHERND_NUM_THREADS``, or one per processor that
    the process may use: by its affinity, by the CPU quota of its cgroups (rounded up) and, from
    Python 3.13 on, by ``os.process_cpu_count()``.

    Returns
    -------
    int
        At least 1.

    Examples
    --------
    >>> import gathernd as gnd
    >>> gnd.get_num_threads() >= 1
    True
    """
    return _core.num_threads()


def set_num_threads(n: SupportsIndex) -> None:
    """Set how many threads a call may use, the calling one included, in the whole process.

    Small calls stay on their thread all the same. The results do not depend on it.

    Parameters
    ----------
    n : int
        From 1 to 1024.

    Raises
    ------
    ValueError
        `n` is out of that range.
    TypeError
        `n` is not an integer.

    Examples
    --------
    >>> import gathernd as gnd
    >>> before = gnd.get_num_threads()
    >>> gnd.set_num_threads(1)
    >>> gnd.set_num_threads(before)
    """
    _core.set_num_threads(as_count(n, "set_num_threads"))


def as_count(n: SupportsIndex, function: str) -> int:
    """Return a number of threads: TypeError, ValueError."""
    count = as_integer(n, f"{function}: the count")
    if not 1 <= count <= 1024:
        shown = short_repr(count)
        raise ValueError(f"{function}: {shown} is refused: it must be from 1 to 1024")
    return count


class _Limits(threading.local):
    """The limits that a thread is within. Their blocks may end in any order, as of coroutines."""

    def __init__(self) -> None:
        self.entered: list[_Limit] = []

    def apply(self) -> None:
        _core.limit_threads(min((limit.count for limit in self.entered), default=0))


_limits = _Limits()


class _Limit(ContextDecorator):
    """What `threads` returns. It may be used often, also within itself."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __call__(self, function: _Function) -> _Function:
        """Decorate: TypeError for what would return before its body runs."""
        generates = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
        if generates or inspect.iscoroutinefunction(function):
            raise TypeError(
                "threads: decorates no generator and no coroutine; use `with threads(n):` in it"
            )
        return super().__call__(function)

    def __enter__(self) -> None:
        _limits.entered.append(self)
        _limits.apply()

    def __exit__(self, *error: object) -> None:
        if self in _limits.entered:  # else a generator ends in another thread
            _limits.entered.remove(self)
            _limits.apply()


def threads(n: SupportsIndex) -> AbstractContextManager[None]:
    """Limit how many threads the calls of this thread may use, within a ``with`` block.

    The smallest limit applies: this one, that of an enclosing block, or that of `set_num_threads`.
    Other threads are not limited. A worker of a pool that has a thread for each core, such as
    Dask's or joblib's, takes 1. threadpoolctl, if it is imported before gathernd, limits the
    library with all others of the process.

    Parameters
    ----------
    n : int
        From 1 to 1024.

    Raises
    ------
    ValueError
        `n` is out of that range.
    TypeError
        `n` is not an integer.

    Examples
    --------
    >>> import gathernd as gnd
    >>> with gnd.threads(1):
    ...     gnd.get_num_threads()
    1
    """
    return _Limit(as_count(n, "threads"))


def release_memory() -> int:
    """Give memory that is kept for the next call back to the system.

    New memory is slow, because the system clears each page of it. So what large results and the
    scratch of calls had is kept when it is freed: on Linux at most 128 MiB, or what the environment
    variable ``GATHERND_KEEP_MEMORY`` says, in bytes or as in ``"64MiB"``; 0 for none. Devices keep
    memory as well. A call that finds no memory gives all of that back by itself and tries again,
    which other libraries cannot.

    Returns
    -------
    int
        How many bytes that was. Devices at work in other threads keep theirs.

    Examples
    --------
    >>> import numpy as np
    >>> import gathernd as gnd
    >>> result = gnd.gather_nd(np.ones((1, 1 << 20)), np.zeros((8, 1), int))
    >>> del result
    >>> released = gnd.release_memory()
    >>> gnd.release_memory()
    0
    """
    return _core.release_memory()


def config() -> dict[str, Any]:
    """Return what `show_config` prints, as JSON has it."""
    fields = ("name", "description", "runtime", "memory")
    devices = [dict(zip(fields, info, strict=True)) for info in _core.devices()]
    return {
        "gathernd": _core.__version__,
        "numpy": np.__version__,
        "simd_targets": list(_core.cpu_targets()),
        "simd_target": _core.cpu_target(),
        "threads": _core.num_threads(),
        "kept_memory": _core.kept_memory(),
        "keep_limit": _core.keep_limit(),
        "devices": devices,
        "unusable_devices": [
            {"description": description, "reason": reason}
            for description, reason in _core.unusable_devices()
        ],
        "no_device": None if devices else missing_device(),
    }


def config_text() -> str:
    """Return what `show_config` prints."""
    found = config()
    devices = [
        f"{d['name']:<13} {d['description']}, {d['memory'] / 2**30:.1f} GiB ({d['runtime']})"
        for d in found["devices"]
    ]
    unusable = [
        f"unusable      {d['description']}: {d['reason']}" for d in found["unusable_devices"]
    ]
    targets = ", ".join(
        f"{name} (in use)" if name == found["simd_target"] else name
        for name in found["simd_targets"]
    )
    return "\n".join(
        [
            f"gathernd      {found['gathernd']}",
            f"NumPy         {found['numpy']}",
            f"SIMD targets  {targets}",
            f"threads       {found['threads']}",
            f"kept memory   {in_mib(found['kept_memory'])}, at most {in_mib(found['keep_limit'])}",
            *(devices or [f"D3D12         none: {found['no_device']}"]),
            *unusable,
        ]
    )


def in_mib(count: int) -> str:
    """Return bytes as text."""
    return f"{count / 2**20:.1f} MiB"


def missing_device() -> str:
    """Return why there is no D3D12 device."""
    try:
        _core.find_device("d3d12")
    except _core.DeviceError as error:
        return str(error)
    return ""


def show_config() -> None:
    """Print versions, SIMD targets (all, and the one in use), threads, memory and D3D12 devices.

    The memory is what is kept for the next call: see `release_memory`.

    If there is no device, it says what was looked for. An adapter that cannot be used is listed
    with the reason. The environment variable
    ``GATHERND_CPU_TARGET`` forces a target.

    Examples
    --------
    >>> import gathernd as gnd
    >>> gnd.show_config()  # doctest: +ELLIPSIS
    gathernd      ...
    """
    print(config_text())
