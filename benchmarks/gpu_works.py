"""The works of gpu_race.py: their arrays, the bytes they move, and whether an answer is right."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

Arrays = tuple[np.ndarray, tuple[np.ndarray, ...], np.ndarray | None]  # table, keys, rows


@dataclass(frozen=True)
class Work:
    name: str
    op: Literal["copy", "gather", "set", "add", "max", "min"]
    row: tuple[int, ...]
    dtype: str = "float32"
    index_type: str = "int32"
    hot: int = 0  # all tuples address this many rows; 0: any row
    new: bool = False  # a scatter whose answer is a new array; else it changes its table
    grid: bool = False  # 2-tuples, four times as many, into a square of four times n rows' side
    few: bool = False  # 1024 times fewer tuples, into four times the rows

    def shape(self, n: int) -> tuple[int, ...]:
        """Of the table; 4096 x 4096 where n is 2^20."""
        rows = (4 * math.isqrt(n),) * 2 if self.grid else (4 * n if self.few else n,)
        return rows + self.row

    def tuples(self, n: int) -> int:
        return 4 * n if self.grid else n // 1024 if self.few else n

    def arrays(self, n: int) -> Arrays:
        """Whole numbers so small that no sum of the check depends on its order."""
        random = np.random.default_rng(7)
        values = random.integers(0, 100, 1_000_003).astype(self.dtype)
        table = np.resize(values, self.shape(n))
        if self.op == "copy":
            return table, (), None
        sizes = table.shape[:2] if self.grid else (self.hot or len(table),)
        keys = tuple(random.integers(0, s, self.tuples(n), dtype=self.index_type) for s in sizes)
        rows = np.resize(values[::-1], (self.tuples(n), *self.row))
        return table, keys, None if self.op == "gather" else rows

    def moved(self, n: int) -> int:
        """Bytes read and written at least; 0 where the memory moves more than the rows have."""
        row = math.prod(self.row) * np.dtype(self.dtype).itemsize
        if self.op == "copy":
            return 2 * n * row
        if self.op != "gather" or row < 32:
            return 0
        return self.tuples(n) * (2 * row + np.dtype(self.index_type).itemsize)


def right(work: Work, arrays: Arrays, actual: np.ndarray) -> bool:
    """Whether it is NumPy's answer; a set may keep any of an element's candidates."""
    table, keys, rows = arrays
    if work.op == "set":
        expected = np.zeros(table.shape, bool)
        np.logical_or.at(expected, keys, actual[keys] == rows)
        untouched = np.ones(len(table), bool)
        untouched[keys] = False
        expected[untouched] = actual[untouched] == table[untouched]
        return actual.dtype == table.dtype and bool(expected.all())
    if work.op == "gather":
        table = table[keys]
    elif work.op != "copy":
        {"add": np.add, "max": np.maximum, "min": np.minimum}[work.op].at(
            table := table.copy(), keys, rows
        )
    return actual.dtype == table.dtype and np.array_equal(table, actual)


def works() -> list[Work]:
    extrema: tuple[Literal["max", "min"], ...] = ("max", "min")
    result = [Work("copy", "copy", (256,))]
    for width in (1, 4, 16, 64, 256):
        row = () if width == 1 else (width,)
        result.append(Work(f"gather rows of {width}", "gather", row))
        for op in ("set", "add"):
            result.append(Work(f"{op} rows of {width}", op, row))
            result.append(Work(f"{op} rows of {width}, new array", op, row, new=True))
            if width <= 64:
                result.append(Work(f"{op} 64 hot rows of {width}", op, row, hot=64))
    return [
        *result,
        Work("set few rows of 16", "set", (16,), few=True),
        Work("add few rows of 16", "add", (16,), few=True),
        Work("add into one row of 1", "add", (), hot=1),
        Work("gather rows of 16, int64", "gather", (16,), index_type="int64"),
        Work("gather rows of 8, float16", "gather", (8,), "float16"),
        Work("gather rows of 16, uint8", "gather", (16,), "uint8"),
        Work("gather rows of 2, float64", "gather", (2,), "float64"),
        Work("gather 2-tuples into 4096 x 4096", "gather", (), grid=True),
        Work("gather RGB bytes of 4096 x 4096", "gather", (3,), "uint8", grid=True),
        Work("add rows of 8", "add", (8,)),
        Work("add rows of 16, float16", "add", (16,), "float16"),
        Work("add rows of 1, int32", "add", (), "int32"),
        Work("add rows of 4, int32", "add", (4,), "int32"),
        Work("add rows of 16, int32", "add", (16,), "int32"),
        Work("add 64 hot rows of 1, int32", "add", (), "int32", hot=64),
        Work("add rows of 1, int64", "add", (), "int64"),
        Work("add rows of 8, int64", "add", (8,), "int64"),
        Work("add rows of 1, float64", "add", (), "float64"),
        Work("add rows of 8, float64", "add", (8,), "float64"),
        *(
            Work(f"{op} rows of {width}", op, () if width == 1 else (width,))
            for width in (1, 4, 16, 64)
            for op in extrema
        ),
    ]
