"""Placement: a network with two towers is spread over two devices, and over fifty machines."""

from __future__ import annotations

from typing import Any

import numpy as np

import tensorlite as tl

BATCH, UNITS = 256, 512


def weights(draw: np.random.Generator, count: int) -> list[tl.Variable]:
    """Return layers' weights."""
    shape = (UNITS, UNITS)
    scale = 1 / np.sqrt(UNITS)
    return [
        tl.Variable((scale * draw.standard_normal(shape)).astype(np.float32))
        for _ in range(count)
    ]


def main(layers: int = 3, steps: int = 9) -> dict[str, Any]:
    """Place, explain, keep and simulate a network; return what was found."""
    tl.config.set_logical_devices("CPU", 2)
    draw = np.random.default_rng(0)
    towers = [weights(draw, layers), weights(draw, layers)]

    def network(x: tl.Tensor) -> tl.Tensor:
        ends = []
        for tower in towers:
            h = x
            for w in tower:
                h = tl.nn.relu(h @ w)
            ends.append(h)
        return ends[0] + ends[1]

    # Costs by bytes and flops, alike on every machine; without them, they are measured on this one.
    costs = tl.placement.Costs()
    x = tl.asarray(draw.random((BATCH, UNITS), np.float32))
    spread = tl.function(network, placement=tl.placement.EarliestFinish(costs))
    concrete = spread.get_concrete_function(x)
    print(tl.placement.explain(concrete, costs))

    alone = tl.function(network).get_concrete_function(x)
    times = [
        1e3 * tl.placement.simulate(one, costs=costs).seconds
        for one in (alone, concrete)
    ]
    print(f"\na step: {times[0]:.2f} ms on one device, {times[1]:.2f} ms on two")
    np.testing.assert_array_equal(spread(x), alone(x))  # the answer is the same

    search = tl.placement.Search(seed=1, iterations=500, costs=costs)
    frozen = tl.placement.freeze(alone, search)  # frozen.to_file("network.json")
    print(f"searched longer: {frozen.about}")
    again = tl.function(network, placement=frozen)

    @tl.function
    def train(x: tl.Tensor) -> None:
        every = [w for tower in towers for w in tower]
        with tl.GradientTape() as tape:
            loss = tl.mean(network(x) ** 2)
        tl.optimizers.SGD(0.1).minimize(loss, every, tape)

    print("\nfifty workers, each with a batch, and more of them in reserve:")
    step, backup = train.get_concrete_function(x), {}
    for b in range(0, 7, 2):
        machines = tl.placement.cluster(workers=50, ps=6, backup=b)
        found = tl.placement.simulate(step, machines, costs=costs, steps=steps)
        backup[b] = found.seconds
        print(f"  {b} in reserve: {1e3 * found.seconds:.0f} ms a step")
    return {"times": times, "again": again(x), "answer": alone(x), "backup": backup}


if __name__ == "__main__":
    main()
