"""The command line: ``python -m gathernd``."""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from gathernd._config import config, show_config
from gathernd._core import DeviceError, __version__

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; ``sys.argv`` by default.

    Returns
    -------
    int
        The exit code: 0 for success, 1 for a failed check; argparse itself exits with 2.
    """
    everything = parser()
    options = everything.parse_args(arguments)
    if options.command == "demo":
        from gathernd._cli import demo

        return demo.run(options.output)
    if options.command == "selftest":
        from gathernd._cli import selftest

        return selftest.run()
    if options.command == "bench":
        from gathernd._cli import bench

        try:
            return bench.main(options.rounds, options.rest, options.json, options.device)
        except DeviceError as error:
            everything.error(str(error))
    if options.command == "info" and options.json:
        print(json.dumps(config(), indent=2))
    elif options.command == "info":
        show_config()
    else:
        everything.print_help()
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    result = argparse.ArgumentParser(
        prog="python -m gathernd", description="gather_nd and scatter_nd for NumPy arrays."
    )
    result.add_argument("--version", action="version", version=f"gathernd {__version__}")
    commands = result.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, summary: str, description: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=summary, description=description)

    info = add(
        "info",
        "print versions, SIMD targets, threads and devices",
        "Print the versions of gathernd and NumPy, the SIMD targets of this machine with the one "
        "in use, the number of threads, and the D3D12 devices or why there is none. "
        "GATHERND_CPU_TARGET and GATHERND_NUM_THREADS in the environment change target and "
        "threads.",
    )
    info.add_argument("--json", action="store_true", help="print it as JSON, sizes in bytes")
    demo = add(
        "demo",
        "warp a photograph, count its colours, race NumPy",
        "Warp a photograph with gather_nd and count its colours with scatter_nd, compare both "
        "with NumPy's results and times, and write the picture to DIR/demo.png. Needs "
        "matplotlib and Pillow: pip install 'gathernd[demo]'. The exit code is 1 where a result "
        "is not equal to NumPy's.",
    )
    demo.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("demo_output"),
        metavar="DIR",
        help="the directory for the picture (default: %(default)s)",
    )
    bench = add(
        "bench",
        "race NumPy over the usual kinds of work",
        "Time gathernd and NumPy in turn over 18 kinds of work, and print medians in microseconds "
        "with the ratio. Takes half a minute and 1 GiB of memory. Results are compared, except of "
        "plain scatters: NumPy promises no order of duplicates. The exit code is 1 if one differs.",
    )
    bench.add_argument("-r", "--rounds", type=positive, default=9, help="default: %(default)s")
    bench.add_argument(
        "--rest",
        type=duration,
        default=20,
        metavar="MS",
        help="milliseconds before each turn, in which threads fall asleep (default: %(default)s)",
    )
    bench.add_argument(
        "--device",
        default="cpu",
        metavar="NAME",
        help='where gathernd works, such as "d3d12:0" (default: %(default)s)',
    )
    bench.add_argument(
        "--json", action="store_true", help="print it as JSON, with machine and versions"
    )
    add(
        "selftest",
        "check this installation in seconds",
        "Compare both functions with plain loops and with NumPy, on every SIMD target and every "
        "D3D12 device of this machine. Prints a line for each; the exit code is 1 where one fails.",
    )
    return result


def positive(text: str) -> int:
    """Return an argument as an int of at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is not at least 1")
    return number


def duration(text: str) -> float:
    """Return an argument as a number that is finite and not negative."""
    number = float(text)
    if not 0 <= number < math.inf:
        raise argparse.ArgumentTypeError(f"{number} is not a duration")
    return number


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
