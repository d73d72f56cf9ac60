"""gather_nd and scatter_nd for Dask arrays: tables that no machine's memory holds.

Whatever the chunks, the scheduler and the number of workers, the results have the bits of the one
call in memory: the order of updates, duplicates and the single rounding of halves included. The
arguments may be lazy, the indices too. It comes with the extra ``gathernd[dask]``.

Examples
--------
>>> import dask.array as da
>>> import gathernd.dask
>>> table = da.arange(12, chunks=4).reshape(3, 4)
>>> gathernd.dask.gather_nd(table, [[0, 1], [2, -1]]).compute()
array([ 1, 11])
"""

try:
    import dask.array  # noqa: F401
except ImportError as error:
    raise ImportError('gathernd.dask needs Dask\'s arrays: pip install "gathernd[dask]"') from error

from gathernd.dask._gather import gather_nd
from gathernd.dask._scatter import scatter_nd

__all__ = ["gather_nd", "scatter_nd"]
