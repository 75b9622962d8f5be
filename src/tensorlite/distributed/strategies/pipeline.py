"""Pipeline: a model whose stages lie on several tasks, with small batches under way at once.

Source: GPipe (Huang et al. 2019), whose schedule is not written down here: micro-batches are
traced into one graph, and each device does what is ready.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

from tensorlite.core.check import whole
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.core.scope import device
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.distributed.strategies.placing import Owned, at_home
from tensorlite.distributed.strategies.shards import Batch
from tensorlite.distributed.strategies.shared import shared
from tensorlite.distributed.strategies.tasks import tasks_of
from tensorlite.distributed.strategies.together import Joint, Together
from tensorlite.ops.state.making import Make, creation
from tensorlite.ops.state.variable import Variable
from tensorlite.train.layers import Layer, Sequential
from tensorlite.train.optimizers import Optimizer


class Stage(Layer):
    """A layer that is made, and computes, on one device."""

    def __init__(self, layer: Layer, place: DeviceName) -> None:
        self.layer = layer
        self.place = place

    def __call__(self, x: TensorLike, training: bool = False) -> Tensor:
        """Return the layer's output, computed on its device."""
        with device(None), device(self.place):
            return self.layer(x, training=training)


class Pipeline(Together):
    """Trains one model whose layers lie on the workers, one stage on each.

    A batch is cut into `microbatches`; while a worker has one, the next has the one before. Their
    gradients are added up, and applied once. What is made or computed inside `stage(i)` is on
    worker i; `staged` makes stages of a list of layers.

    >>> tasks = tl.distribute.LocalTasks(["/device:CPU:0"])
    >>> strategy = tl.distribute.Pipeline(tasks, microbatches=2)
    >>> with strategy.scope():
    ...     layers = strategy.staged([tl.layers.Dense(4), tl.layers.Dense(1)])
    ...     optimizer = tl.optimizers.SGD(0.1)
    >>> model = tl.layers.Sequential(layers)
    >>> def step(x):
    ...     with tl.GradientTape() as tape:
    ...         loss = tl.mean(model(x) ** 2)
    ...     optimizer.minimize(loss, model.trainable_variables, tape)
    ...     return loss
    >>> strategy.run(step, tl.ones((4, 3))).shape
    ()
    """

    def __init__(
        self, cluster: Any, microbatches: int = 4, workers: str = "worker"
    ) -> None:
        super().__init__(tasks_of(cluster, workers))
        self.microbatches = int(whole(microbatches, "Pipeline: microbatches", 1))
        self._owned = Owned()

    @property
    def count(self) -> int:
        """The number of micro-batches, each of which is a replica of the step."""
        return self.microbatches

    @contextmanager
    def stage(self, index: int) -> Iterator[DeviceName]:
        """Make and compute what is inside on a worker."""
        whole(index, "Pipeline: stage")
        if not 0 <= index < len(self.workers):
            raise InvalidArgumentError(
                f"stage {index}; there are {len(self.workers)} workers, from 0 on"
            )
        with device(None), device(self.workers[index]):
            yield self.workers[index]

    def staged(
        self,
        layers: Sequence[Layer] | Sequential,
        starts: Sequence[int] | None = None,
    ) -> list[Layer]:
        """Return layers that are on the workers, as many of them on each as on the others.

        `starts` says otherwise which layer is the first of each stage.
        """
        number = len(self.workers)
        layers = _checked(layers)
        if starts is None:
            starts = [-(-i * len(layers) // number) for i in range(number)]
        rising = all(
            a <= b for a, b in zip(starts, [*starts[1:], len(layers)], strict=True)
        )
        if len(starts) > number or not starts or starts[0] != 0 or not rising:
            raise InvalidArgumentError(
                f"starts={list(starts)}: give the first layer of each stage, 0 for the first, "
                f"rising, for {number} workers at most and {len(layers)} layers"
            )
        stages = [sum(start <= i for start in starts) - 1 for i in range(len(layers))]
        made: list[Layer] = []
        for i, (layer, at) in enumerate(zip(layers, stages, strict=True)):
            _check_place(layer, f"layer {i}", at, self.workers[at])
            made.append(Stage(layer, self.workers[at]))
        return made

    def place_of(self, index: int) -> DeviceName:
        """Return where what is in no stage is computed: where the last stage is, as losses are."""
        return self.workers[-1]

    @contextmanager
    def placing(self) -> Iterator[None]:
        """Keep variables where their stage is, outside of all on the last."""
        above = creation.get()

        def maker(initial: Any, make: Make) -> Tensor:
            if initial is None:  # a queue or the like
                return make(None) if above is None else above(None, make)
            first = partial(at_home, initial)
            handle = shared(
                lambda: make(first) if above is None else above(first, make)
            )
            self._owned.add(handle)
            return handle

        token = creation.set(maker)
        try:
            yield
        finally:
            creation.reset(token)

    def owns(self, variable: Variable) -> bool:
        """Return whether a variable was made in this strategy's scope."""
        return variable in self._owned

    def apply(
        self, optimizer: Optimizer, joint: Sequence[Joint], batch: Batch
    ) -> None:
        """Add up the micro-batches' gradients where each variable is, and update it there."""
        self.update_where_kept(optimizer, joint, batch)


def _checked(layers: Any) -> list[Layer]:
    """Return layers, also of a Sequential; DTypeError for anything else."""
    given = layers.layers if isinstance(layers, Sequential) else layers
    found = (
        [x for x in given if isinstance(x, Layer)]
        if isinstance(given, Sequence)
        else []
    )
    if not isinstance(given, Sequence) or len(found) < len(given):
        raise DTypeError(f"Pipeline: layers={layers!r}; give a list of tl.layers")
    if not found:
        raise InvalidArgumentError(
            "Pipeline: layers=[]: there is nothing to put in stages"
        )
    return found


def _check_place(layer: Layer, what: str, stage: int, place: DeviceName) -> None:
    """Raise InvalidArgumentError for a layer that has variables elsewhere than on its stage."""
    for path, variable in layer.named_variables().items():
        if variable.device != place:
            raise InvalidArgumentError(
                f"{what} has its {path} on {variable.device}, and belongs to stage {stage} on "
                f"{place}: make it inside `with strategy.stage({stage}):`, or without a number of "
                "inputs, so that it makes its variables when it is called"
            )
