"""Strategies over GPUs: a machine with two, and servers in host memory with workers on GPUs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tensorlite as tl
from tests.distributed.strategies.training import (
    convolutional,
    crossed,
    digits,
    noise,
    trained,
)

D = tl.distribute
GPUS = ["/device:GPU:0", "/device:GPU:1"]
CPU = ["/device:CPU:0"]


def tasks() -> tl.distribute.LocalTasks:
    return D.LocalTasks(GPUS, CPU)


STRATEGIES: dict[str, Callable[[], tl.distribute.Strategy]] = {
    "mirrored": D.Mirrored,
    "all-reduce": lambda: D.AllReduce(tasks()),
    "servers": lambda: D.ParameterServer(tasks()),
    "backup": lambda: D.ParameterServer(tasks(), backup=1),
    "servers on GPUs": lambda: D.ParameterServer(D.LocalTasks(GPUS, GPUS)),
    "backup on GPUs": lambda: D.ParameterServer(D.LocalTasks(GPUS, GPUS), backup=1),
    "pipeline": lambda: D.Pipeline(tasks(), microbatches=2),
}


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize("name", STRATEGIES)
def test_losses_are_those_of_one_machine(name: str) -> None:
    for rows in (8, 7):
        batches = noise(6, rows)
        alone, *_ = trained(None, batches)
        losses, *_ = trained(STRATEGIES[name](), batches)
        np.testing.assert_allclose(losses, alone, rtol=1e-5, atol=1e-5)


@pytest.mark.usefixtures("pretended")
def test_mirrored_takes_all_gpus_that_there_are() -> None:
    strategy = D.Mirrored()
    _, model, optimizer = trained(strategy, noise(1, 8))
    assert [str(place) for place in strategy.workers] == GPUS
    for variable in (*model.variables, *optimizer.variables):
        assert isinstance(variable, D.MirroredVariable)
        assert [str(copy.device) for copy in variable.copies] == GPUS


def test_one_gpu_trains_a_network_as_the_cpu_does(gpu: str) -> None:
    given = digits(5, 16), convolutional, lambda: tl.optimizers.SGD(0.1), crossed
    alone, *_ = trained(None, *given)
    for strategy in (D.Mirrored([gpu]), D.ParameterServer(D.LocalTasks([gpu], CPU))):
        losses, *_ = trained(strategy, *given)
        np.testing.assert_allclose(losses, alone, rtol=1e-3)
