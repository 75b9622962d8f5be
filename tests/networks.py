"""Networks that placements are sought for: a forked MLP, a CNN with branches, stacked LSTMs.

And programs whose kernels sleep: devices run them at once whatever else the cores have to do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import sleep
from typing import TypeAlias

import numpy as np

import tensorlite as tl
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp

Program: TypeAlias = Callable[..., list[tl.Tensor]]
Network: TypeAlias = tuple[Program, list[TensorSpec]]
State: TypeAlias = tuple[tl.Tensor, tl.Tensor]


def weights(*shapes: tuple[int, ...]) -> list[tl.Tensor]:
    """Return small random weights."""
    draw = np.random.default_rng(0)
    return [
        tl.asarray((0.1 * draw.standard_normal(shape)).astype(np.float32))
        for shape in shapes
    ]


def mlp(batch: int, units: int, layers: int) -> Network:
    """Return a step that trains two towers whose sum is the answer, and its inputs' specs."""
    towers = [weights(*[(units, units)] * layers) for _ in range(2)]
    every = [w for tower in towers for w in tower]

    def step(x: tl.Tensor, y: tl.Tensor) -> list[tl.Tensor]:
        with tl.GradientTape() as tape:
            tape.watch(every)
            ends = []
            for tower in towers:
                h = x
                for w in tower:
                    h = tl.nn.relu(h @ w)
                ends.append(h)
            loss = tl.mean((ends[0] + ends[1] - y) ** 2)
        slopes = tape.gradient(loss, every)
        return [loss, *[w - 0.1 * dw for w, dw in zip(every, slopes, strict=True)]]

    return step, [TensorSpec((batch, units))] * 2


def cnn(batch: int, size: int, channels: int, depth: int = 2) -> Network:
    """Return a network of three branches of convolutions, such as Inception's, and its input."""
    filters = [
        weights(*[(width, width, channels, channels)] * depth) for width in (1, 3, 5)
    ]

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        ends = []
        for branch in filters:
            h = x
            for one in branch:
                h = tl.nn.relu(tl.nn.conv2d(h, one, padding="SAME"))
            ends.append(h)
        return [tl.mean(tl.concat(ends, axis=3), axis=(1, 2))]

    return program, [TensorSpec((batch, size, size, channels))]


def cell(w: tl.Tensor, x: tl.Tensor, h: tl.Tensor, c: tl.Tensor) -> State:
    """Return the state of an LSTM after one turn."""
    gates = tl.split(tl.concat([x, h], axis=1) @ w, 4, axis=1)
    enter, forget, candidate, leave = gates
    c = tl.nn.sigmoid(forget) * c + tl.nn.sigmoid(enter) * tl.tanh(candidate)
    return tl.nn.sigmoid(leave) * tl.tanh(c), c


def lstm(
    batch: int, units: int, layers: int, turns: int, *, unrolled: bool
) -> Network:
    """Return stacked LSTMs over `turns` inputs, as a loop or without one, and the input's spec."""
    gates = weights(*[(2 * units, 4 * units)] * layers)

    def turn(x: tl.Tensor, states: Sequence[tl.Tensor]) -> list[tl.Tensor]:
        made: list[tl.Tensor] = []
        for layer, w in enumerate(gates):
            made += cell(w, x, states[2 * layer], states[2 * layer + 1])
            x = made[-2]
        return made

    def program(xs: tl.Tensor) -> list[tl.Tensor]:
        states = [tl.zeros((batch, units)) for _ in range(2 * layers)]
        if unrolled:
            for t in range(turns):
                states = turn(xs[t], states)
            return states[-2:]
        _, *states = tl.while_loop(
            lambda t, *_: t < turns,
            lambda t, *states: (t + 1, *turn(xs[t], states)),
            (tl.asarray(0), *states),
            parallel_iterations=8,
        )
        return states[-2:]

    return program, [TensorSpec((turns, batch, units))]


LENGTH = 20_000
"""Elements that a kernel takes which the machine counts as a long one."""


class Nap(Op, abstract=True):
    """Sleeps for some seconds, and returns the first of its inputs."""

    seconds: float

    def infer(self, x: TensorSpec, *others: TensorSpec) -> TensorSpec:
        return x

    def kernel(self, xp: Xp, x: Array, *others: Array) -> Array:
        sleep(self.seconds)
        return x


def naps(count: int, seed: int) -> Network:
    """Return a random graph of kernels that sleep 2 to 8 ms, and its input's spec."""
    draw = np.random.default_rng(seed)
    lengths = [float(draw.choice([2, 3, 5, 8])) * 1e-3 for _ in range(count)]
    inputs = [draw.integers(0, i + 1, 2).tolist() for i in range(count)]

    def program(x: tl.Tensor) -> list[tl.Tensor]:
        made = [x]
        for seconds, taken in zip(lengths, inputs, strict=True):
            made.append(tl.extend.call(Nap(seconds), *[made[i] for i in taken]))
        return made[1:]

    return program, [TensorSpec((LENGTH,))]
