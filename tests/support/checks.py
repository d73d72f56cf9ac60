"""What the tests assert: equal bits, equal values, and memory that nobody wrote."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import reference
from reference import bits, is_bfloat16


def assert_same_bits(actual: Any, expected: np.ndarray) -> None:
    """A plain array of the expected shape, dtype (byte order too) and bytes."""
    assert type(actual) is np.ndarray
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if actual.tobytes() != expected.tobytes():
        np.testing.assert_array_equal(bits(actual), bits(expected))


def assert_same_values(actual: Any, expected: np.ndarray) -> None:
    """The same bits, but any NaN equals any NaN, and padding in an element is not looked at."""
    assert type(actual) is np.ndarray
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    for a, b in zip(real_parts(actual), real_parts(expected), strict=True):
        np.testing.assert_array_equal(a, b)
        number = ~np.isnan(b)
        np.testing.assert_array_equal(np.signbit(a) & number, np.signbit(b) & number)


def real_parts(array: np.ndarray) -> tuple[np.ndarray, ...]:
    if array.dtype.kind == "c":
        return array.real, array.imag
    if is_bfloat16(array.dtype):
        return (array.astype(np.float32),)
    if array.dtype.kind == "f":
        return (array,)
    if array.dtype.kind in "mM":
        array = array.view(np.int64)
    assert array.dtype.kind in "biu"
    return (array.astype(np.longdouble),)  # exact: its mantissa has 64 bits


def memory(array: np.ndarray) -> bytes:
    """Every byte that an array's owner holds, the gaps of a view included."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array.tobytes() if array.dtype.hasobject else bits(array).tobytes()


@contextmanager
def unchanged(*arguments: Any) -> Iterator[None]:
    """Nothing in the block writes to the arrays among the arguments."""
    arrays = [argument for argument in arguments if isinstance(argument, np.ndarray)]
    before = [memory(array) for array in arrays]
    yield
    for array, held in zip(arrays, before, strict=True):
        assert memory(array) == held, "an argument was written"


def refuses(
    error: type[Exception] | tuple[type[Exception], ...],
    call: Callable[..., Any],
    *args: Any,
    match: str | None = None,
    **kwargs: Any,
) -> str:
    """The call raises `error`, names itself in the message, and writes nothing: the message."""
    with unchanged(*args, *kwargs.values()), pytest.raises(error, match=match) as caught:
        call(*args, **kwargs)
    message = str(caught.value)
    assert message.startswith(f"{call.__name__}: "), message
    assert message.count(f"{call.__name__}: ") == 1, message
    return message


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", text)]


def names_bad_index(
    message: str, value: int, position: tuple[int, ...], axis: int, size: int
) -> None:
    """The message holds the value, the position (component last), the axis and the size."""
    where = ", ".join(map(str, position))
    assert f"indices[{where}]" in message
    assert numbers(message.replace(f"indices[{where}]", "")) == [value, axis, size]


def outcome(
    call: Callable[..., np.ndarray], *args: Any, **kwargs: Any
) -> np.ndarray | IndexError | ValueError:
    """What the call returns, or the IndexError or ValueError that it raises."""
    try:
        return call(*args, **kwargs)
    except (IndexError, ValueError) as error:
        return error


def check_call(
    call: Callable[..., np.ndarray], *args: Any, same: Any = assert_same_bits, **kwargs: Any
) -> None:
    """The backend's answer, or its IndexError, is the oracle's; no argument is written."""
    options = {name: value for name, value in kwargs.items() if name != "out"}
    expected = outcome(getattr(reference, call.__name__), *args, **options)
    if isinstance(expected, IndexError):
        assert numbers(refuses(IndexError, call, *args, **kwargs)) == numbers(str(expected))
        return
    with unchanged(*args):
        result = call(*args, **kwargs)
    same(result, expected)
    if "out" in kwargs:
        assert result is kwargs["out"]
    else:
        assert result.flags.writeable
        assert result.flags.owndata or not result.itemsize
        if call.__name__ == "gather_nd":
            assert result.flags.c_contiguous


def python_calls(call: Callable[[], Any]) -> tuple[Any, int]:
    """What the call returns, and how many Python functions it called, without itself."""
    calls = -1

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event == "call"

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        result = call()
    finally:
        sys.setprofile(before)
    return result, calls
