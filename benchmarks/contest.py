"""What the benchmarks that have peers share: calls that agree with ours, and who takes part."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

import gathernd as gnd
from gathernd._cli.bench import Call, Case, our_call, where_and_what
from gathernd._core import explain
from peers import PEERS, available, call_of


def agree(case: Case, expected: np.ndarray, actual: np.ndarray) -> bool:
    """Equal bits, but for what is the peer's choice: the order of sums, the duplicate that wins."""
    if case.reduction == "add":
        # Peers round float16 after each addition, which is far from the sum after some hundred.
        near = 0.05 if case.input.dtype == np.float16 else 1e-4
        return bool(np.allclose(expected, actual, rtol=near, atol=near))
    same = np.asarray(expected == actual)
    if case.updates is not None and case.reduction == "none" and not same.all():
        written = gnd.gather_nd(actual, case.indices, case.batch_dims) == case.updates
        same = gnd.scatter_nd(same, case.indices, written, "or", case.batch_dims)
    return bool(same.all())


def calls_that_agree(
    case: Case,
    threads: int,
    peers: tuple[str, ...] = PEERS,
    own: Mapping[str, Call] = MappingProxyType({}),
) -> tuple[dict[str, Call], dict[str, str]]:
    """The calls of the peers that can do the case, and why those that tried cannot.

    `own`: calls that take the place of a peer's general one.
    """
    calls: dict[str, Call] = {}
    failures: dict[str, str] = {}
    ours = own.get("gathernd") or call_of("gathernd", case, threads)
    expected = np.array(ours())  # type: ignore[misc]
    for peer in peers:
        if peer not in available():
            continue
        try:
            call = own.get(peer) or call_of(peer, case, threads)
            if call is None:
                continue
            if agree(case, expected, np.asarray(call())):
                calls[peer] = call
            else:
                failures[peer] = "wrong"
        except Exception as error:  # a peer that lacks the operator for a type says so in many ways
            failures[peer] = type(error).__name__
    return calls, failures


def way_of(call: Call) -> str:
    """Which way gathernd goes, and in how many parts."""
    return ", ".join(went.partition(": ")[2] for went in explain(call))


def copy_call(case: Case) -> Call:
    """Copy as many bytes as the case writes: its result, or the updates of what is in place."""
    rows = case.updates
    source = rows if case.in_place and rows is not None else our_call(case)()
    target = np.empty_like(source)

    def copy() -> np.ndarray:
        np.copyto(target, source)
        return target

    return copy


def introduce(threads: int) -> dict[str, Any]:
    """Print where this runs and who takes part; return it as the head of a record."""
    versions = available()
    missing = [peer for peer in PEERS if peer not in versions]
    head = where_and_what()
    print(f"{head['machine']}; {threads} threads, target {head['target']}")
    print(", ".join(f"{peer} {version}" for peer, version in versions.items()))
    print(f"missing: {', '.join(missing) or 'none'}\n")
    return {**head, "threads": threads, "versions": {**head["versions"], **versions}}
