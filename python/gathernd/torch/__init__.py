"""gather_nd and scatter_nd as PyTorch operators on the CPU, with gradients.

=============  ==================================================
`gather_nd`    read slices of a tensor at index tuples
`scatter_nd`   write slices there, or combine them with what is there
`scatter_nd_`  the same in place
=============  ==================================================

They are also ``torch.ops.gathernd.gather_nd`` and so on. Sums have the same bits at every number of
threads, and those of bfloat16 are rounded once. ``pip install "gathernd[torch]"``.

Examples
--------
>>> import torch
>>> import gathernd.torch as gt
>>> table = torch.zeros(3, 2, requires_grad=True)
>>> gt.gather_nd(table, torch.tensor([[0], [2], [0]])).sum().backward()
>>> table.grad
tensor([[2., 2.],
        [0., 0.],
        [1., 1.]])
"""

try:
    import torch as _torch
except ModuleNotFoundError as error:
    if error.name != "torch":
        raise
    raise ModuleNotFoundError(
        'gathernd.torch needs PyTorch: pip install "gathernd[torch]"', name="torch"
    ) from None
if not hasattr(_torch.library, "register_fake"):
    raise ImportError(f"gathernd.torch needs PyTorch 2.4 or newer, not {_torch.__version__}")

from gathernd.torch._functions import gather_nd, scatter_nd, scatter_nd_

__all__ = ["gather_nd", "scatter_nd", "scatter_nd_"]
