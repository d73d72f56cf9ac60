"""The types of the C++ module as Python code sees them: no instance without its C++ object."""

from __future__ import annotations

import pytest

import gathernd
from gathernd import _core, dml
from preloaded import needs_preload, preload
from processes import run

TYPES = [_core.IndexPlan, _core.AtFrame, _core.DmlOperator, _core.DeviceArray, _core.Selection]


@pytest.mark.parametrize("type_", TYPES)
def test_instances_are_made_by_functions_only(type_):
    """Without a C++ object behind it, an attribute of an instance would end the process."""
    for make in (
        type_,
        lambda: type_.__new__(type_),
        lambda: object.__new__(type_),
        lambda: type_.__mro__[1].__new__(type_),
        lambda: type("Derived", (type_,), {}),
        lambda: setattr(type_, "shape", (1,)),
    ):
        with pytest.raises(TypeError):
            make()


def test_instances_keep_their_type():
    tensor, place = dml.TensorDesc("UINT8", [1, 4]), dml.TensorDesc("UINT32", [1, 1])
    desc = dml.GatherNDOperatorDesc(tensor, place, dml.TensorDesc("UINT8", [1, 1]), 1, 2)
    plan, operator = gathernd.IndexPlan((3,), [[1]])._plan, dml.compile(desc)._compiled
    with pytest.raises(TypeError):
        operator.__class__ = type(plan)


@needs_preload
def test_no_memory_while_a_plan_is_made() -> None:
    """MemoryError, whichever allocation fails; from then on all works."""
    script = """
import ctypes, numpy as np, gathernd as gnd
from gathernd import dml
library = ctypes.PyDLL(None)
library.fail_allocations.argtypes = [ctypes.c_long, ctypes.c_long]
indices = np.array([[2], [0]])
x = np.zeros((3, 4))
tensor, place = dml.TensorDesc("UINT8", [1, 4]), dml.TensorDesc("UINT32", [1, 1])
desc = dml.GatherNDOperatorDesc(tensor, place, dml.TensorDesc("UINT8", [1, 1]), 1, 2)
makes = [lambda: gnd.IndexPlan((3,), indices), lambda: dml.compile(desc)]
makes += [lambda: gnd.at(x)[:, indices].plan(), lambda: gnd.at(x)[x > 0].plan()]
makes += [lambda: gnd.at(x)[indices, 1], lambda: gnd.at(x)[x > 0], lambda: gnd.at(x.T)[x.T == 0]]
kept, failed = [], 0
for make in makes:
    make()
    for n in range(1, 60):
        kept += [make() for _ in range(20)]  # the map of instances grows, too
        library.fail_allocations(n, 1)
        try:
            made = make()
        except MemoryError:
            made = None
        library.stop_failing()
        failed += made is None
        kept.append(make())
assert failed > 3, failed
assert gnd.IndexPlan((3,), indices).gather([5, 6, 7]).tolist() == [7, 5]
"""
    run(script, LD_PRELOAD=preload("allocations"))


def test_first_import_in_a_subinterpreter():
    """It ends with an ImportError, in place of waiting for ever."""
    script = """
import warnings
try:
    import _interpreters as interpreters
    made = interpreters.create("legacy")
except ImportError:
    warnings.simplefilter("ignore")
    import _xxsubinterpreters as interpreters
    made = interpreters.create(isolated=False)
code = '''
import warnings
warnings.simplefilter("ignore")
try:
    import gathernd
except ImportError as error:
    print("ImportError:", error, flush=True)
'''
interpreters.run_string(made, code)
interpreters.destroy(made)
import gathernd
print(gathernd.gather_nd([5, 6], [[1]]), flush=True)
"""
    lines = run(script).stdout.splitlines()
    assert lines[0].startswith("ImportError: ")
    assert lines[-1] == "[6]"
