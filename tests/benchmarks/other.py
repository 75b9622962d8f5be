"""The workload in other libraries: `python -m tests.benchmarks.other torch` prints JSON.

Runs on any Python that has NumPy and the library; tensorlite is not imported.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from tests.benchmarks import workload
from tests.benchmarks.timing import Case, least

ADD = "x + y"


def tensorflow() -> tuple[list[Case], list[Case]]:
    """Return TensorFlow's cases: quick ones and training steps."""
    tf = import_module("tensorflow")
    x, y = map(tf.constant, workload.operands())

    def taped() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            end = workload.chain(x, y)
        return tape, end

    def gradient() -> Any:
        tape, end = taped()
        return tape.gradient(end, x)

    turns = tf.constant(workload.TURNS)

    def loop(v: Any) -> Any:
        return tf.while_loop(
            lambda i, _: i < turns, lambda i, v: (i + 1, v * y + y), [0, v]
        )[1]

    traced = tf.function(loop)
    quick = [
        Case("add", ADD, {"x": x, "y": y}),
        Case("chain", lambda: workload.chain(x, y)),
        Case("chain, tape", taped),
        Case("chain, gradient", gradient),
        Case(
            "call", "f(x, y)", {"f": tf.function(lambda a, b: a + b), "x": x, "y": y}
        ),
        Case("turn", lambda: traced(x), per=workload.TURNS),
        *_primitive_loops(tf),
    ]
    step = _tensorflow_step(tf)
    return quick, [Case("step, eager", step), Case("step, traced", tf.function(step))]


def _primitive_loops(tf: Any) -> list[Case]:
    """Return loops of Switch, Merge, Enter, Exit and NextIteration, over one device and two."""
    v1 = tf.compat.v1
    start, half = workload.operands()

    def loop(device: str) -> Callable[[], Any]:
        with v1.Graph().as_default(), v1.variable_scope("", use_resource=True):
            v1.disable_control_flow_v2()
            y, n = tf.constant(half), tf.constant(workload.TURNS)

            def body(i: Any, x: Any) -> tuple[Any, Any]:
                with tf.device(device):
                    return i + 1, x * y + y

            def counted(i: Any, x: Any) -> tuple[Any, Any]:
                _, x = body(i, x)
                with tf.device("/cpu:0"):
                    return i + 1, x

            with tf.device("/cpu:0"):
                i = tf.constant(0)
            ends = v1.while_loop(lambda i, _: i < n, counted, (i, tf.constant(start)))
            session = v1.Session(config=v1.ConfigProto(device_count={"CPU": 2}))
            run: Callable[[], Any] = session.make_callable(ends[1])
            return run

    return [
        Case("turn, frames", loop("/cpu:0"), per=workload.TURNS),
        Case("turn, two devices", loop("/cpu:1"), per=workload.TURNS),
    ]


def _tensorflow_step(tf: Any) -> Callable[[], Any]:
    data = {key: tf.constant(value) for key, value in workload.digits().items()}
    held = {key: tf.Variable(value) for key, value in workload.weights().items()}

    def loss() -> Any:
        h = tf.nn.relu(tf.nn.conv2d(data["images"], held["first"], 1, "SAME"))
        h = tf.nn.max_pool2d(h, 2, 2, "VALID")
        h = tf.nn.max_pool2d(
            tf.nn.relu(tf.nn.conv2d(h, held["second"], 1, "SAME")), 2, 2, "VALID"
        )
        logits = tf.matmul(tf.reshape(h, (workload.BATCH, -1)), held["dense"])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            data["labels"], logits
        )
        return tf.reduce_mean(losses)

    def step() -> Any:
        with tf.GradientTape() as tape:
            value = loss()
        for weight, g in zip(
            held.values(), tape.gradient(value, [*held.values()]), strict=True
        ):
            weight.assign_sub(0.01 * g)
        return value

    return step


def torch() -> tuple[list[Case], list[Case]]:
    """Return PyTorch's cases: quick ones and a training step; it runs eagerly."""
    library = import_module("torch")
    x, y = map(library.from_numpy, workload.operands())
    watched = x.clone().requires_grad_()

    def gradient() -> Any:
        end = workload.chain(watched, y)
        return library.autograd.grad(end.sum(), watched)

    quick = [
        Case("add", ADD, {"x": x, "y": y}),
        Case("chain", lambda: workload.chain(x, y)),
        Case("chain, tape", lambda: workload.chain(watched, y)),
        Case("chain, gradient", gradient),
    ]
    return quick, [Case("step, eager", _torch_step(library))]


def _torch_step(library: Any) -> Callable[[], Any]:
    nn, data, start = library.nn.functional, workload.digits(), workload.weights()
    images = library.from_numpy(np.moveaxis(data["images"], 3, 1).copy())
    labels = library.from_numpy(data["labels"].astype(np.int64))
    filters = [
        library.from_numpy(start[k].transpose(3, 2, 0, 1).copy())
        for k in ("first", "second")
    ]
    held = [
        w.requires_grad_() for w in (*filters, library.from_numpy(start["dense"]))
    ]

    def step() -> Any:
        h = nn.max_pool2d(nn.relu(nn.conv2d(images, held[0], padding=1)), 2)
        h = nn.max_pool2d(nn.relu(nn.conv2d(h, held[1], padding=1)), 2)
        loss = nn.cross_entropy(h.permute(0, 2, 3, 1).flatten(1) @ held[2], labels)
        slopes = library.autograd.grad(loss, held)
        with library.no_grad():
            for weight, g in zip(held, slopes, strict=True):
                weight.sub_(0.01 * g)
        return loss

    return step


def jax() -> tuple[list[Case], list[Case]]:
    """Return JAX's cases: quick ones and a compiled training step."""
    library = import_module("jax")
    x, y = map(library.numpy.asarray, workload.operands())
    lax = library.lax

    def turn(pair: Any) -> Any:
        return pair[0] + 1, pair[1] * y + y

    def loop(v: Any) -> Any:
        return lax.while_loop(lambda pair: pair[0] < workload.TURNS, turn, (0, v))[1]

    def differentiated() -> Any:
        _, back = library.vjp(lambda v: workload.chain(v, y), x)
        return back

    def wait(run: Callable[..., Any], *args: Any) -> Callable[[], Any]:
        return lambda: run(*args).block_until_ready()

    compiled = library.jit(loop)
    quick = [
        Case("add", ADD, {"x": x, "y": y}),
        Case("chain", wait(workload.chain, x, y)),
        Case("chain, tape", differentiated),
        Case("chain, gradient", lambda: differentiated()(y)),
        Case("call", wait(library.jit(lambda a, b: a + b), x, y)),
        Case("turn", wait(compiled, x), per=workload.TURNS),
    ]
    return quick, [Case("step, traced", _jax_step(library))]


def _jax_step(library: Any) -> Callable[[], Any]:
    data, start, lax = workload.digits(), workload.weights(), library.lax
    layout = ("NHWC", "HWIO", "NHWC")

    def layer(h: Any, filters: Any) -> Any:
        h = lax.conv_general_dilated(
            h, filters, (1, 1), "SAME", dimension_numbers=layout
        )
        h, size = library.nn.relu(h), (1, 2, 2, 1)
        return lax.reduce_window(h, -np.inf, lax.max, size, size, "VALID")

    def loss(held: Any) -> Any:
        h = layer(layer(data["images"], held["first"]), held["second"])
        logits = h.reshape(workload.BATCH, -1) @ held["dense"]
        rows = np.arange(workload.BATCH)
        return -library.nn.log_softmax(logits)[rows, data["labels"]].mean()

    def step(held: Any) -> Any:
        value, slopes = library.value_and_grad(loss)(held)
        return {key: held[key] - 0.01 * slopes[key] for key in held}, value

    compiled, state = library.jit(step), [start]

    def run() -> None:
        state[0], value = compiled(state[0])
        value.block_until_ready()

    return run


LIBRARIES = {"tensorflow": tensorflow, "torch": torch, "jax": jax}


def main() -> None:
    """Print the microseconds of each case of the library that is named, as JSON."""
    quick, steps = LIBRARIES[sys.argv[1]]()
    found = {**least(quick, rounds=30), **least(steps, rounds=15)}
    found["version"] = import_module(sys.argv[1]).__version__
    print(json.dumps(found))


if __name__ == "__main__":
    main()
