"""Training on a GPU: layers, optimizers and checkpoints give what they give on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite import layers, optimizers
from tensorlite.checkpoint import Checkpoint
from tensorlite.core.dispatch import call, calls
from tensorlite.core.xp import device_of
from tensorlite.ops.state.resource import (
    AssignVariableOp,
    ReadVariableOp,
    VarHandleOp,
)

OPTIMIZERS = {
    "SGD": lambda: optimizers.SGD(0.1),
    "momentum": lambda: optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "schedule": lambda: optimizers.SGD(
        lambda step: 0.1 / (1.0 + tl.astype(step, tl.float32))
    ),
    **{
        name: getattr(optimizers, name)
        for name in (
            *("Adagrad", "AdagradDA", "Adadelta", "RMSProp", "Adam", "AdamW", "Ftrl"),
            *("ProximalSGD", "ProximalAdagrad"),
        )
    },
}
IMAGES = np.random.default_rng(0).normal(size=(2, 6, 6, 3)).astype(np.float32)
WORDS = np.random.default_rng(1).normal(size=(2, 4, 3)).astype(np.float32)
LAYERS: dict[str, tuple[Callable[[], Any], np.ndarray[Any, Any]]] = {
    "Dense": (lambda: layers.Dense(4, activation=tl.nn.relu), WORDS),
    "Conv2D": (lambda: layers.Conv2D(4, 3, padding="SAME"), IMAGES),
    "MaxPool2D": (lambda: layers.MaxPool2D(2), IMAGES),
    "LayerNorm": (layers.LayerNorm, WORDS),
    "BatchNorm": (layers.BatchNorm, IMAGES),
    "Dropout": (lambda: layers.Dropout(0.5), WORDS),
    "LSTM": (lambda: layers.LSTM(5), WORDS),
    "GRU": (lambda: layers.GRU(5), WORDS),
    "Embedding": (
        lambda: layers.Embedding(7, 3),
        np.asarray([[1, 2], [6, 1]], np.int32),
    ),
    "Sequential": (
        lambda: layers.Sequential([layers.Flatten(), layers.Dense(2)]),
        IMAGES,
    ),
}


def lies(x: Any, device: str) -> bool:
    return str(x.device) == device


def trained(
    make: Callable[[], Any], device: str, traced: bool
) -> list[np.ndarray[Any, Any]]:
    """Return a variable after three steps, the second gradient being sparse."""
    with tl.device(device):
        w = tl.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))
        optimizer = make()

        def step(x: tl.Tensor) -> tl.Tensor:
            with tl.GradientTape() as tape:
                loss = tl.sum(tl.square(w * x - 1.0)) + tl.sum(tl.gather(w, [0, 2]))
            optimizer.minimize(loss, [w], tape)
            return loss

        run = tl.function(step) if traced else step
        losses = [run(tl.asarray(float(i))) for i in range(3)]
        rows = tl.IndexedSlices(tl.ones((2, 2)), tl.asarray([0, 2]), (3, 2))
        optimizer.apply_gradients([(rows, w)])
    assert all(lies(x, device) for x in (w, *losses))
    assert all(lies(slot, device) for slot in optimizer.variables[1:])
    return [w.numpy(), *[x.numpy() for x in losses]]


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("traced", [False, True])
def test_optimizers(name: str, traced: bool, gpu: str) -> None:
    wanted = trained(OPTIMIZERS[name], "/device:CPU:0", traced)
    found = trained(OPTIMIZERS[name], gpu, traced)
    for y, reference in zip(found, wanted, strict=True):
        np.testing.assert_allclose(y, reference, rtol=1e-5, atol=1e-6)


def passed(make: Callable[[], Any], x: Any, device: str, traced: bool) -> list[Any]:
    """Return a layer's output and the gradients of its weights."""
    tl.random.set_seed(3)
    with tl.device(device):
        layer = make()
        layer(tl.asarray(x))

        def step(x: tl.Tensor) -> Any:
            with tl.GradientTape() as tape:
                y = layer(x, training=True) if takes_training(layer) else layer(x)
                loss = tl.sum(y * y)
            return y, [
                tl.densify(g) for g in tape.gradient(loss, layer.trainable_variables)
            ]

        run = tl.function(step) if traced else step
        y, gradients = run(tl.asarray(x))
    assert lies(y, device)
    assert all(lies(g, device) for g in gradients)
    assert all(lies(v, device) for v in layer.variables)
    return [y, *gradients, *layer.variables]


def takes_training(layer: Any) -> bool:
    return isinstance(layer, (layers.BatchNorm, layers.Dropout))


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("traced", [False, True])
def test_layers(name: str, traced: bool, gpu: str) -> None:
    make, x = LAYERS[name]
    wanted = passed(make, x, "/device:CPU:0", traced)
    found = passed(make, x, gpu, traced)
    assert len(found) == len(wanted)
    for y, reference in zip(found, wanted, strict=True):
        np.testing.assert_allclose(y.numpy(), reference.numpy(), rtol=1e-4, atol=1e-5)


def test_checkpoints_come_back_to_the_device(tmp_path: Path, gpu: str) -> None:
    with tl.device(gpu):
        w = tl.Variable([1.0, 2.0])
    adam = optimizers.Adam()
    adam.apply_gradients([(tl.ones(2), w)])
    kept = w.numpy().copy()
    Checkpoint(w=w, adam=adam).save(tmp_path / "c")
    w.assign([0.0, 0.0])
    Checkpoint(w=w, adam=adam).restore(tmp_path / "c")
    assert lies(w.value(), gpu)
    np.testing.assert_array_equal(w.numpy(), kept)
    elsewhere = tl.Variable([0.0, 0.0])
    Checkpoint(w=elsewhere).restore(tmp_path / "c", partial=True)
    assert lies(elsewhere.value(), "/device:CPU:0")
    np.testing.assert_array_equal(elsewhere.numpy(), kept)


def test_sparse_writes_to_variables(gpu: str) -> None:
    w = tl.Variable(tl.zeros((3, 2)).to_device(gpu))
    rows = tl.IndexedSlices(tl.ones((2, 2)), tl.asarray([0, 0]), (3, 2))
    w.scatter_add(rows)
    w[1] = 5.0
    assert lies(w.value(), gpu)
    assert lies(w.sparse_read([1, 0]), gpu)
    np.testing.assert_array_equal(w.numpy(), [[2, 2], [5, 5], [0, 0]])


def test_a_variable_without_a_value_gets_one_where_it_was_made(gpu: str) -> None:
    op = VarHandleOp(tl.TensorSpec((2,)), True)
    with tl.device(gpu):
        first, second = call(op), call(op)
    assert {device_of(first.array), device_of(second.array)} == {first.device}
    calls(AssignVariableOp(), first, tl.asarray([1.0, 2.0]))
    tl.function(lambda: calls(AssignVariableOp(), second, [3.0, 4.0])[0])()
    for handle, value in ((first, [1.0, 2.0]), (second, [3.0, 4.0])):
        read = call(ReadVariableOp(), handle)
        assert str(read.device) == str(device_of(handle.array)) == gpu
        assert read.tolist() == value
