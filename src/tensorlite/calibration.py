"""calibration: what `python -m tensorlite calibrate` measures of a machine, beside kernels.

Kernels are measured when placement first asks for them; this is what they are computed from where
they cannot be, and what the machine itself takes for nodes, transfers and links.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import TensorliteError
from tensorlite.core.scope import device
from tensorlite.core.tensor import Tensor
from tensorlite.core.xp import CPU, cpu_count, set_cpu_count, xp_for
from tensorlite.function.function import function
from tensorlite.ops.arrays.create import ones
from tensorlite.passes import cost_table
from tensorlite.passes.cost import Costs, Fixed, Link, Rates
from tensorlite.passes.machines import whole
from tensorlite.runtime import measure
from tensorlite.runtime.devices import logical_devices

NODES = 200
ROUNDS = 30


def command(arguments: Sequence[str]) -> Iterator[str]:
    """Measure what the command line asks for; yield what to print, line by line."""
    parser = argparse.ArgumentParser(
        "python -m tensorlite calibrate",
        description="Measure devices and links, for placement and simulation.",
    )
    parser.add_argument(
        "--device",
        action="append",
        metavar="NAME",
        help="a device to measure, such as /cpu:0 or /gpu:0; all, unless this is given",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="where to keep the costs; else this machine's file in the user's cache folder",
    )
    asked = parser.parse_args(arguments)
    try:
        devices = [whole(name) for name in asked.device or ()] or logical_devices()
        yield from calibrate(devices, asked.output or cost_table.default_path())
    except TensorliteError as error:
        parser.error(str(error))


def calibrate(devices: Sequence[DeviceName], path: Path) -> Iterator[str]:
    """Measure devices and the links between them, and write the costs to a file.

    Yields what was found, line by line. Kernels that the file already has stay in it.
    """
    begin = perf_counter()
    for one in devices:
        xp_for(one)  # an error here goes before all measuring
    costs = Costs()
    cost_table.read(costs, path)
    yield cost_table.machine()
    for one in {one.kind: one for one in reversed(devices)}.values():
        found = costs.rates[one.kind or "CPU"] = Rates(*measure.rates(one))
        yield (
            f"{one}: {found.bandwidth / 1e9:.1f} GB/s, {found.flops / 1e9:.1f} GFlop/s, "
            f"{1e6 * found.call:.2f} us a small kernel"
        )
    yield from _links(costs, devices)
    costs.fixed = fixed()
    yield (
        f"the machine itself: {1e6 * costs.fixed.node:.2f} us a node, "
        f"{1e6 * costs.fixed.transfer:.2f} us a transfer"
    )
    cost_table.write(costs, path)
    yield f"{path} written after {perf_counter() - begin:.1f} s"


def _links(costs: Costs, devices: Sequence[DeviceName]) -> Iterator[str]:
    """Measure the links between kinds of devices."""
    ends = {one.kind: one for one in reversed([CPU, *devices])}
    for kind, source in ends.items():
        for other, target in ends.items():
            if kind == other == "GPU" and len(devices) < 2:
                continue
            found = Link(*measure.link(source, target))
            kinds = kind or "CPU", other or "CPU"
            costs.links[kinds] = found
            costs.known_links.add(kinds)
            rate = (
                "in one memory"
                if math.isinf(found.bandwidth)
                else f"{found.bandwidth / 1e9:.1f} GB/s"
            )
            yield f"{kinds[0]} to {kinds[1]}: {1e6 * found.latency:.1f} us, {rate}"


def fixed() -> Fixed:
    """Return what nodes and transfers take, beside kernels and links.

    A chain of small sums on the dataflow machine is timed against the sums alone, and many small
    tensors that go to another device against the same on one.
    """

    def chain(x: Tensor) -> Tensor:
        for _ in range(NODES):
            x = x + 1.0
        return x

    def scattered(x: Tensor) -> list[Tensor]:
        made = []
        for i in range(NODES):
            with device("/cpu:0"):
                y = x * float(i)
            with device(f"/cpu:{cpu_count() - 1}"):
                made.append(y + 1.0)
        return made

    x = ones(8)
    sums = function(chain, runner="frames")
    node = _least(lambda: sums(x)) / NODES - measure.rates(CPU)[2]
    with _cpus(1):
        alone = function(scattered, runner="frames")
        together = _least(lambda: alone(x))
    with _cpus(2):
        spread = function(scattered)
        apart = _least(lambda: spread(x))
    return Fixed(max(node, 1e-7), max((apart - together) / NODES, 1e-7))


def _least(run: Callable[[], object]) -> float:
    """Return the least seconds of several runs after one that warms up."""
    run()
    times = []
    for _ in range(ROUNDS):
        begin = perf_counter()
        run()
        times.append(perf_counter() - begin)
    return min(times)


@contextmanager
def _cpus(count: int) -> Iterator[None]:
    """Let there be so many logical CPU devices."""
    before = cpu_count()
    set_cpu_count(count)
    try:
        yield
    finally:
        set_cpu_count(before)
