"""NumPy's own test files with every index expression and ufunc.at sent through gathernd.at.

`rewrite` makes the source of such a file; the functions below are what it then calls.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

import gathernd

_REDUCTIONS = {
    np.add: "add",
    np.subtract: "subtract",
    np.multiply: "multiply",
    np.minimum: "min",
    np.maximum: "max",
    np.bitwise_and: "bitwise_and",
    np.bitwise_or: "bitwise_or",
    np.bitwise_xor: "bitwise_xor",
}

calls = {"get": 0, "set": 0, "at": 0}  # those that gathernd.at has evaluated


def getitem(x: Any, index: Any) -> Any:
    """x[index] by gathernd.at; where NumPy gives a view, that view, once it is seen to be equal."""
    if not _is_ours(x, index):
        return x[index]
    mine = gathernd.at(x)[index].get()
    calls["get"] += 1
    if not _is_basic(index):
        return mine if mine.ndim or _has_ellipsis(index) else mine[()]
    numpys = x[index]
    assert mine.shape == numpys.shape
    if x.dtype.char in "gG":  # whose padding is anything
        np.testing.assert_array_equal(mine, numpys)
    else:
        assert mine.tobytes() == np.asarray(numpys, mine.dtype).tobytes()
    return numpys


def setitem(x: Any, index: Any, value: Any) -> None:
    """x[index] = value by gathernd.at, whose casts are stricter: NumPy's is made first."""
    if not _is_ours(x, index):
        x[index] = value
        return
    if not np.can_cast(np.asarray(value).dtype, x.dtype, "same_kind") or x.dtype.kind in "SUVMm":
        value = np.asarray(value, x.dtype)
    gathernd.at(x)[index] = value
    calls["set"] += 1


def ufunc_at(ufunc: Any, x: Any, index: Any, *operands: Any) -> None:
    """ufunc.at(x, index, *operands) by gathernd.at where that has the ufunc and the dtype."""
    reduction = _REDUCTIONS.get(ufunc)
    ours = reduction is not None and _is_ours(x, index) and len(operands) == 1
    if not ours or np.asarray(operands[0]).dtype != x.dtype or not _can_reduce(ufunc, x):
        ufunc.at(x, index, *operands)
        return
    getattr(gathernd.at(x)[index], reduction)(operands[0], copy=False)
    calls["at"] += 1


def _can_reduce(ufunc: Any, x: Any) -> bool:
    kinds = {np.minimum: "biuf", np.maximum: "biuf"}.get(ufunc, "iufc")
    return x.dtype.isnative and x.dtype.kind in (
        "biu" if ufunc.__name__.startswith("bitwise") else kinds
    )


def _is_ours(x: Any, index: Any) -> bool:
    """Whether the array is a plain one of elements of fixed size, and no field is asked for."""
    if type(x) is not np.ndarray or x.dtype.hasobject or x.dtype.kind == "T":
        return False
    names = index if isinstance(index, list) else [index]
    return not (names and all(isinstance(name, str) for name in names))


def _items(index: Any) -> tuple[Any, ...]:
    return index if isinstance(index, tuple) else (index,)


def _is_basic(index: Any) -> bool:
    return all(
        item is None
        or item is Ellipsis
        or (isinstance(item, (slice, int, np.integer)) and not isinstance(item, bool))
        for item in _items(index)
    )


def _has_ellipsis(index: Any) -> bool:
    return any(item is Ellipsis for item in _items(index))


def rewrite(source: str) -> str:
    """Return the source of a test file that indexes through this module."""
    tree = _Rewriter().visit(ast.parse(source))
    tree.body.insert(_after_future_imports(tree), ast.parse("import numpy_proxy").body[0])
    return ast.unparse(ast.fix_missing_locations(tree))


def _after_future_imports(tree: ast.Module) -> int:
    return max(
        (i + 1 for i, node in enumerate(tree.body) if getattr(node, "module", "") == "__future__"),
        default=0,
    )


class _Rewriter(ast.NodeTransformer):
    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return node
        return _call("getitem", node.value, _index(node.slice))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Subscript):
            return node
        return ast.Expr(_call("setitem", target.value, _index(target.slice), node.value))

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr not in ("__getitem__", "__setitem__") or _is_super(node.value):
            return node
        function = ast.Attribute(_proxy(), node.attr.strip("_"), ast.Load())
        partial = ast.parse("__import__('functools').partial", mode="eval").body
        return ast.Call(partial, [function, node.value], [])

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        at = node.func
        if not isinstance(at, ast.Attribute) or at.attr != "at" or node.keywords:
            return node
        return _call("ufunc_at", at.value, *node.args)


def _is_super(node: ast.AST) -> bool:
    return "super" in ast.unparse(node)


def _proxy() -> ast.expr:
    return ast.Name("numpy_proxy", ast.Load())


def _call(name: str, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Attribute(_proxy(), name, ast.Load()), list(args), [])


def _index(node: ast.expr) -> ast.expr:
    """Return what stands between the brackets as an expression of its own."""
    if isinstance(node, ast.Slice):
        parts = [part or ast.Constant(None) for part in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name("slice", ast.Load()), parts, [])
    if isinstance(node, ast.Tuple):
        return ast.Tuple([_index(item) for item in node.elts], ast.Load())
    return node
