"""How the two functions can be called, and what they tell about themselves."""

from __future__ import annotations

import inspect
import pickle
import pydoc

import numpy as np
import pytest

import gathernd as gnd
from checks import python_calls

TABLE = np.arange(12.0).reshape(3, 4)
INDICES = np.array([[2], [0]])
UPDATES = np.ones((2, 4))
FUNCTIONS = [gnd.gather_nd, gnd.scatter_nd]


def test_positions_and_names_mean_the_same(nd):
    expected = nd.gather_nd(TABLE, INDICES)
    for given in [
        nd.gather_nd(indices=INDICES, input=TABLE),
        nd.gather_nd(TABLE, INDICES, 0),
        nd.gather_nd(
            TABLE, batch_dims=0, indices=INDICES, mode="raise", out=None, wrap_negative_indices=True
        ),
        nd.gather_nd(
            TABLE, INDICES, **{"".join(["mo", "de"]): "clip"}
        ),  # a name that is not interned
    ]:
        np.testing.assert_array_equal(given, expected)
    added = nd.scatter_nd(TABLE, INDICES, UPDATES, "add")
    for given in [
        nd.scatter_nd(TABLE, INDICES, UPDATES, reduction="add"),
        nd.scatter_nd(updates=UPDATES, indices=INDICES, input=TABLE, reduction="add", batch_dims=0),
        nd.scatter_nd(
            TABLE, INDICES, UPDATES, "".join(["a", "dd"]), 0, duplicates="last", mode="drop"
        ),
    ]:
        np.testing.assert_array_equal(given, added)


@pytest.mark.parametrize("device", [{}, {"device": None}, {"device": "cpu"}], ids=str)
def test_calls_of_plain_arrays_call_no_python_function(device):
    def call() -> tuple[np.ndarray, np.ndarray]:
        return (
            gnd.gather_nd(TABLE, INDICES, mode="clip", **device),
            gnd.scatter_nd(TABLE, INDICES, UPDATES, "add", **device),
        )

    (rows, added), calls = python_calls(call)
    assert calls == 0
    np.testing.assert_array_equal(rows, TABLE[[2, 0]])
    np.testing.assert_array_equal(added, TABLE + np.array([[1], [0], [1]]))


def test_calls_of_a_plan_call_no_python_function():
    plan = gnd.IndexPlan(TABLE.shape, INDICES)
    out = np.zeros((2, 4))

    def call() -> tuple[np.ndarray, np.ndarray]:
        assert plan.gather(TABLE, out=out) is out
        return plan.gather(TABLE), plan.scatter(TABLE, UPDATES, "add", duplicates="last")

    (rows, added), calls = python_calls(call)
    assert calls == 0
    for gathered in (rows, out, plan.gather(input=TABLE, fill_value=None, out=None)):
        np.testing.assert_array_equal(gathered, TABLE[[2, 0]])
    for scattered in (added, plan.scatter(updates=UPDATES, input=TABLE, reduction="add", out=None)):
        np.testing.assert_array_equal(scattered, TABLE + np.array([[1], [0], [1]]))


def test_calls_of_a_plan_that_need_python():
    plan = gnd.IndexPlan(TABLE.shape, [[2], [5]], mode="fill")
    np.testing.assert_array_equal(plan.gather(TABLE, fill_value=7), [TABLE[2], [7] * 4])
    np.testing.assert_array_equal(plan.gather(TABLE.tolist()), [TABLE[2], [0] * 4])
    added = plan.scatter(TABLE.tolist(), UPDATES, **{"".join(["re", "duction"]): "add"})
    np.testing.assert_array_equal(added, TABLE + np.array([[0], [0], [1]]))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda plan: plan.gather(), "missing 1 required positional argument: 'input'"),
        (lambda plan: plan.gather(TABLE, 0), "takes 2 positional arguments but 3 were given"),
        (lambda plan: plan.gather(TABLE, mood=1), "unexpected keyword argument 'mood'"),
        (lambda plan: plan.gather(TABLE, out=[0]), "out must be a numpy.ndarray, not list"),
        (lambda plan: plan.scatter(TABLE), "missing 1 required positional argument: 'updates'"),
        (lambda plan: plan.scatter(TABLE, UPDATES, input=TABLE), "multiple values for .* 'input'"),
        (lambda plan: plan.scatter(TABLE, UPDATES, out=0), "out must be a numpy.ndarray, not int"),
    ],
)
def test_wrong_calls_of_a_plan_say_what_is_wrong(call, message):
    with pytest.raises(TypeError, match=message):
        call(gnd.IndexPlan(TABLE.shape, INDICES))


def test_a_plan_without_its_tuples_is_no_crash():
    plan = gnd.IndexPlan.__new__(gnd.IndexPlan)
    with pytest.raises(AttributeError, match="_plan"):
        plan.gather(TABLE)
    plan._plan = "other"
    for call in (lambda: plan.gather(TABLE), lambda: plan.scatter(TABLE, UPDATES)):
        with pytest.raises((TypeError, RuntimeError)):
            call()


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((), {}, "missing 2 required positional arguments: 'input' and 'indices'"),
        ((TABLE,), {}, "missing 1 required positional argument: 'indices'"),
        (
            (TABLE, INDICES, 0, "clip"),
            {},
            "takes from 2 to 3 positional arguments but 4 were given",
        ),
        ((TABLE, INDICES), {"input": TABLE}, "got multiple values for argument 'input'"),
        ((TABLE, INDICES), {"mood": "clip"}, "got an unexpected keyword argument 'mood'"),
        ((TABLE, INDICES), {"batch_dims": None}, "batch_dims must be an integer, not None"),
        ((TABLE, INDICES), {"out": [0]}, "out must be a numpy.ndarray, not list"),
    ],
    ids=str,
)
def test_wrong_calls_say_what_is_wrong(arguments, options, message):
    with pytest.raises(TypeError, match=f"^gather_nd(\\(\\)|:) {message}$"):
        gnd.gather_nd(*arguments, **options)


def joined(text: str) -> str:
    """Without white space: pydoc breaks long signatures into lines from Python 3.13 on."""
    return "".join(text.split()).replace(",)", ")")


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_functions_tell_about_themselves(function):
    signature = inspect.signature(function)
    assert list(signature.parameters)[:2] == ["input", "indices"]
    assert signature.parameters["mode"].default == "raise"
    assert signature.parameters["out"].kind is inspect.Parameter.KEYWORD_ONLY
    assert function.__module__ == "gathernd"
    assert pickle.loads(pickle.dumps(function)) is function
    text = pydoc.plain(pydoc.render_doc(function))
    assert joined(f"{function.__name__}{signature}") in joined(text)
    assert "Parameters" in text


def test_a_subclass_of_ndarray_is_taken_as_its_data():
    masked = np.ma.masked_array(TABLE, mask=TABLE > 5)
    result = gnd.gather_nd(masked, INDICES)
    assert type(result) is np.ndarray
    np.testing.assert_array_equal(result, TABLE[[2, 0]])


def test_methods_of_a_plan_tell_about_themselves():
    plan = gnd.IndexPlan(TABLE.shape, INDICES)
    for name, first in (("gather", "fill_value"), ("scatter", "updates")):
        method = getattr(gnd.IndexPlan, name)
        assert list(inspect.signature(method).parameters)[:3] == ["self", "input", first]
        assert list(inspect.signature(getattr(plan, name)).parameters)[:2] == ["input", first]
        assert "Parameters" in pydoc.plain(pydoc.render_doc(method))
    again = pickle.loads(pickle.dumps(plan.gather))
    np.testing.assert_array_equal(again(TABLE), TABLE[[2, 0]])


def test_at_and_its_methods_tell_about_themselves():
    assert gnd.at.__module__ == "gathernd"
    assert pickle.loads(pickle.dumps(gnd.at)) is gnd.at
    assert list(inspect.signature(gnd.at).parameters)[:2] == ["x", "mode"]
    indexed = gnd.at(TABLE)[0]
    assert list(inspect.signature(type(indexed).get).parameters)[:2] == ["self", "mode"]
    assert list(inspect.signature(indexed.get).parameters)[:2] == ["mode", "fill_value"]
    for function in (gnd.at, indexed.get):
        assert "Parameters" in pydoc.plain(pydoc.render_doc(function))
    assert repr(gnd.at(TABLE[:1])[0, None]) == f"gathernd.at({TABLE[:1]!r})[0, None]"
