"""Kernels and links are measured; how long they take is nobody's test."""

from __future__ import annotations

import math
from time import perf_counter
from typing import ClassVar

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.op import REGISTRY, Effect, Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import CPU, Array, Xp
from tensorlite.graph.trace import trace
from tensorlite.ops.arrays.shape import Reshape
from tensorlite.ops.linear.matmul import MatMul
from tensorlite.ops.math.arithmetic import AddV2
from tensorlite.runtime import measure

VECTOR = TensorSpec((8,))


def test_a_kernel_takes_time() -> None:
    for op, specs in [
        (AddV2(), [VECTOR, VECTOR]),
        (MatMul(), [TensorSpec((4, 5)), TensorSpec((5, 6))]),
        (Reshape(), [VECTOR, TensorSpec((2,), tl.int32, known=(2, 4))]),
    ]:
        seconds = measure.kernel_seconds(op, specs, CPU)
        assert seconds is not None
        assert 0 < seconds < 1


class Noted(Op, abstract=True):
    """Counts how often it runs."""

    runs: ClassVar[list[Array]] = []

    def infer(self, x: TensorSpec) -> TensorSpec:
        return x

    def kernel(self, xp: Xp, x: Array) -> Array:
        self.runs.append(x)
        return x


class Acting(Noted, abstract=True):
    """The same, with an effect."""

    effect = Effect.IO
    runs: ClassVar[list[Array]] = []


class Refusing(Noted, abstract=True):
    """Fails on whatever it is given."""

    def kernel(self, xp: Xp, x: Array) -> Array:
        raise ValueError("no")


def test_operators_with_effects_never_run() -> None:
    assert measure.kernel_seconds(Acting(), [VECTOR], CPU) is None
    assert not Acting.runs
    assert measure.kernel_seconds(Noted(), [VECTOR], CPU) is not None
    assert 0 < len(Noted.runs) <= measure.MOST + 2


def test_a_kernel_that_refuses_its_inputs_is_not_measured() -> None:
    assert measure.kernel_seconds(Refusing(), [VECTOR], CPU) is None


@pytest.mark.parametrize(
    "spec",
    [
        TensorSpec((None,)),
        TensorSpec(None),
        TensorSpec((), tl.resource),
        TensorSpec((), tl.variant),
        TensorSpec((2,), tl.string),
        TensorSpec((1 << 20, 1 << 20)),
    ],
)
def test_what_is_no_array_of_a_known_size_is_not_measured(spec: TensorSpec) -> None:
    assert not measure.is_measurable(AddV2(), [spec, spec])
    assert measure.kernel_seconds(AddV2(), [spec, spec], CPU) is None


def test_a_result_that_is_too_large_is_not_made() -> None:
    shape = TensorSpec((2,), tl.int32, known=(1 << 20, 1 << 20))
    fill = trace(lambda: [tl.fill((3, 3), 1.0)], []).graph.outputs[0].node.op
    assert fill.name == "Fill"
    assert not measure.is_measurable(fill, [shape, TensorSpec(())])
    wide = TensorSpec((1 << 16, 1))
    assert not measure.is_measurable(AddV2(), [wide, TensorSpec((1, 1 << 16))])
    assert not measure.is_measurable(
        MatMul(), [wide, wide]
    )  # they do not fit together


def test_operators_with_inner_graphs_are_not_measured() -> None:
    graph = trace(
        lambda x: [tl.cond(x[0] > 0.0, lambda: x, lambda: -x)], [VECTOR]
    ).graph
    node = graph.outputs[0].node
    assert node.op.regions()
    assert not measure.is_measurable(node.op, [x.spec for x in node.inputs])


def test_made_up_inputs_have_the_known_value_or_stay_in_range() -> None:
    shape = measure._example(TensorSpec((2, 2), tl.int64, known=(1, 2, 3, 4)))
    np.testing.assert_array_equal(shape, [[1, 2], [3, 4]])
    assert shape.dtype == np.int64
    floats = measure._example(TensorSpec((7, 9)))
    assert floats.dtype == np.float32
    assert 0.1 <= floats.min() < floats.max() <= 0.9
    assert len(set(floats.ravel().tolist())) == 63
    assert not measure._example(TensorSpec((5,), tl.int32)).any()
    assert measure._example(TensorSpec((4,), tl.bool)).tolist() == [1, 0, 1, 0]
    assert measure._example(TensorSpec((4,), tl.bfloat16)).dtype == tl.bfloat16.numpy


def test_a_long_run_is_not_repeated_often() -> None:
    times = iter([*range(100)])
    runs: list[int] = []

    def slow() -> None:
        runs.append(next(times))
        end = perf_counter() + 11 * measure.BUDGET
        while perf_counter() < end:
            pass

    assert measure.least(slow, int) > 10 * measure.BUDGET
    assert len(runs) == 2


def test_cpu_devices_share_one_memory() -> None:
    latency, bandwidth = measure.link(CPU, DeviceName(kind="CPU", index=1))
    assert 0 < latency < 1
    assert bandwidth == math.inf


def test_most_operators_can_be_measured() -> None:
    """Those of a small network, at any rate."""

    def program(x: tl.Tensor, f: tl.Tensor, w: tl.Tensor) -> list[tl.Tensor]:
        with tl.GradientTape() as tape:
            tape.watch([f, w])
            h = tl.nn.max_pool2d(tl.nn.relu(tl.nn.conv2d(x, f, padding="SAME")), 2)
            logits = tl.reshape(h, (4, -1)) @ w
            loss = tl.mean(tl.logsumexp(logits, axis=1))
        return [loss, *tape.gradient(loss, [f, w])]

    shapes = [(4, 8, 8, 1), (3, 3, 1, 2), (32, 10)]
    graph = trace(program, [TensorSpec(shape) for shape in shapes]).graph
    nodes = [node for node in graph.nodes if node.inputs]
    missed = [
        node.op.name
        for node in nodes
        if measure.kernel_seconds(node.op, [x.spec for x in node.inputs], CPU) is None
    ]
    assert not missed
    assert set(REGISTRY) >= {node.op.name for node in nodes}
