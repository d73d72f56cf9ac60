"""gather_nd and scatter_nd for NumPy: fast, deterministic, memory-safe.

===================  ======================================================
`at`                 NumPy's indexing: read, set or reduce into ``x[index]``
`gather_nd`          read slices of an array at index tuples
`scatter_nd`         write slices there, or combine them with what is there
`winners`            which update stayed: grouped argmin and argmax
`IndexPlan`          tuples that are checked once, to use often
`devices`, `Device`  where it can run: the CPU, Direct3D 12 devices
`dml`                DirectML's operators by their descriptors
`set_num_threads`    how many threads a call may use; `threads`: of this thread
===================  ======================================================

Examples
--------
>>> import numpy as np
>>> import gathernd as gnd
>>> table = np.arange(12).reshape(3, 4)
>>> gnd.gather_nd(table, [[0, 1], [2, -1]])
array([ 1, 11])
>>> gnd.scatter_nd(table, [[0], [0]], [[1] * 4, [2] * 4], "add")[0]
array([3, 4, 5, 6])
"""

import sys
from typing import TYPE_CHECKING

# First: it refuses a subinterpreter before NumPy is imported there, which would spoil the others.
from gathernd._core import DeviceError, __version__

# isort: split
from gathernd._at import at
from gathernd._config import (
    get_num_threads,
    read_environment,
    release_memory,
    set_num_threads,
    show_config,
    threads,
)
from gathernd._devices import Device, DeviceArray, devices
from gathernd._gather import gather_nd
from gathernd._index_plan import IndexPlan
from gathernd._scatter import scatter_nd
from gathernd._winners import winners

__all__ = [
    "Device",
    "DeviceArray",
    "DeviceError",
    "IndexPlan",
    "__version__",
    "at",
    "devices",
    "dml",
    "gather_nd",
    "get_num_threads",
    "release_memory",
    "scatter_nd",
    "set_num_threads",
    "show_config",
    "threads",
    "winners",
]

if TYPE_CHECKING:
    from gathernd import dml
else:

    def __getattr__(name):
        """Import `dml` when it is first asked for."""
        if name != "dml":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from importlib import import_module

        return import_module("gathernd.dml")

    def __dir__():
        return sorted({*globals(), *__all__})


read_environment()  # a bad setting is an error of the import, not of a call

if "threadpoolctl" in sys.modules:  # which is not imported for this
    import gathernd._threadpoolctl  # noqa: F401
