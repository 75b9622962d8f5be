"""Training: compile, fit, evaluate and predict of models; steps are traced by tl.function."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any

import numpy as np

from tensorlite.compat.v2.framework import GradientTape
from tensorlite.compat.v2.keras import callbacks, optimizers
from tensorlite.compat.v2.keras.src.layers import naming
from tensorlite.compat.v2.keras.src.layers.phases import in_step
from tensorlite.compat.v2.keras.src.metrics.base import Metric
from tensorlite.compat.v2.keras.src.models import histories, in_sessions
from tensorlite.compat.v2.keras.src.models.in_graphs import apart
from tensorlite.compat.v2.keras.src.optimizers.loss_scaling import LossScaleOptimizer
from tensorlite.compat.v2.keras.src.optimizers.older import TFOptimizer
from tensorlite.compat.v2.keras.src.saving import describing
from tensorlite.compat.v2.keras.src.trainers import feeding
from tensorlite.compat.v2.keras.src.trainers.compiled import (
    CompiledLoss,
    CompiledMetrics,
)
from tensorlite.compat.v2.keras.src.trainers.generators import OfGenerators
from tensorlite.compat.v2.keras.src.trainers.graph_steps import OfGraphs
from tensorlite.compat.v2.keras.src.trainers.measured import OfMetrics
from tensorlite.compat.v2.keras.src.trainers.stepping import (
    Steps,
    all_over,
    arrays_of,
    as_tensor,
    calling,
    counted_by_all,
    grouped,
    has_replicas,
    in_order,
    is_due,
    joined,
    numbers,
    of_all_replicas,
    shared_out,
)
from tensorlite.compat.v2.keras.src.trainers.told import Run
from tensorlite.compat.v2.keras.src.trainers.without_batches import noticed
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.function.function import function, run_eagerly

_STEPS = ("train_step", "test_step", "compute_loss", "compute_metrics")
_COMPILED = ("optimizer", "loss", "loss_weights", "metrics", "weighted_metrics")


class Training(OfGenerators, OfGraphs, OfMetrics):
    """The part of a model that trains it."""

    optimizer: Any = None
    compiled_loss: Any = None
    compiled_metrics: Any = None
    stop_training = False
    epoch_restored = 0
    """The epoch with which training goes on that was broken off."""
    run_eagerly = False
    jit_compile = False
    steps_per_execution = 1
    stop_evaluating = stop_predicting = False
    loss: Any = None
    output_names: Any
    distribute_strategy: Any
    __steps: Any = None
    __compiled = False
    _trained: Any = None
    """What Keras 2 trains: what could be trained when the model was compiled."""
    _compile_config: Mapping[str, Any] = MappingProxyType({})

    def compile(
        self,
        optimizer: Any = "rmsprop",
        loss: Any = None,
        loss_weights: Any = None,
        metrics: Any = None,
        weighted_metrics: Any = None,
        run_eagerly: bool | None = None,
        steps_per_execution: int | None = None,
        jit_compile: Any = None,
        auto_scale_loss: bool = True,
        **kwargs: Any,
    ) -> None:
        """Say how the model is trained: optimizer, losses and metrics, by names or objects.

        Several outputs have lists or dicts of them. Steps are traced unless run_eagerly;
        steps_per_execution says how many steps callbacks see as one; jit_compile is only kept.
        Further arguments have no effect.
        """
        if _are_metrics(loss_weights):  # Keras 2 has the metrics in the third place
            loss_weights, metrics = metrics, loss_weights
        self._compile_config = {
            "optimizer": optimizer,
            "loss": loss,
            "loss_weights": loss_weights,
            "metrics": metrics,
            "weighted_metrics": weighted_metrics,
        }
        given = [metrics] if isinstance(metrics, str) else metrics
        self.optimizer = self.__scaling(optimizers.get(optimizer), auto_scale_loss)
        self.loss = loss
        self.run_eagerly = bool(run_eagerly)
        self.jit_compile = jit_compile is True
        self.steps_per_execution = steps_per_execution or 1
        names = list(getattr(self, "output_names", []))
        mean = self.mean_in_graph()
        self.compiled_loss = CompiledLoss(loss, loss_weights, names, mean)
        self.compiled_metrics = CompiledMetrics(given, weighted_metrics, names, loss)
        self.__steps = Steps()
        layer = self.__layer()
        self._trained = (
            list(layer.trainable_variables)
            if layer.built and not naming.is_keras_3()
            else None
        )
        self.__compiled = True
        self.begin_in_graph()

    @property
    def compiled(self) -> bool:
        """Whether the model was compiled."""
        return self.__compiled

    def __scaling(self, optimizer: Any, wanted: bool) -> Any:
        """Return an optimizer that scales losses, if the model computes in half width."""
        scales = isinstance(optimizer, LossScaleOptimizer) or optimizer is None
        half = self.__layer().policy_used().name == "mixed_float16"
        return (
            LossScaleOptimizer(optimizer)
            if wanted and half and not scales
            else optimizer
        )

    def get_compile_config(self) -> dict[str, Any]:
        """Return what the model was compiled with, nothing if it was not, or cannot tell."""
        if isinstance(self.optimizer, TFOptimizer):
            warnings.warn(
                "an optimizer of tf.train tells no configuration: what the model was compiled "
                "with is not saved, so call compile on the model that is loaded",
                stacklevel=3,
            )
            return {}
        told = self._compile_config
        if "optimizer" in told:
            told = {**told, "optimizer": self.optimizer}
        return {key: describing.described(x) for key, x in told.items()}

    def compile_from_config(self, config: dict[str, Any]) -> None:
        """Compile as get_compile_config says."""
        known = {key: describing.restored(config.get(key)) for key in _COMPILED}
        self.compile(**known)

    def __layer(self) -> Any:
        """Return the model as the layer that it is, too."""
        return self

    def compute_loss(
        self,
        x: Any = None,
        y: Any = None,
        y_pred: Any = None,
        sample_weight: Any = None,
        training: bool = True,
    ) -> Any:
        """Return the loss of a batch with layers' penalties; x and training have no effect."""
        return self.compiled_loss(y, y_pred, sample_weight, self.__layer().losses)

    def compute_metrics(
        self, x: Any, y: Any, y_pred: Any, sample_weight: Any = None
    ) -> Any:
        """Take a batch into account; return what metrics came to, by name."""
        if y is not None:
            self.compiled_metrics.update_state(y, y_pred, sample_weight)
        return self.get_metrics_result()

    @histories.stepping()
    def train_step(self, data: Any) -> Any:
        """Update weights by a batch; return what metrics came to. Models may have their own."""
        x, y, weights = feeding.unpacked(data)
        with GradientTape() as tape:
            y_pred = self.__layer()(x, training=in_step(self, True))
            loss = self.compute_loss(x, y, y_pred, weights)
            loss = self.optimizer.scale_loss(loss)
        variables = self.trained_weights()
        self.optimizer.apply_gradients(
            zip(tape.gradient(loss, variables), variables, strict=True)
        )
        return self.compute_metrics(x, y, y_pred, weights)

    @histories.stepping()
    def test_step(self, data: Any) -> Any:
        """Take a batch into account without training; return what metrics came to."""
        x, y, weights = feeding.unpacked(data)
        y_pred = self.__layer()(x, training=in_step(self, False))
        self.compute_loss(x, y, y_pred, weights)
        return self.compute_metrics(x, y, y_pred, weights)

    def predict_step(self, data: Any) -> Any:
        """Return what the model makes of a batch."""
        x, _, _ = feeding.unpacked(data)
        return self.__layer()(x, training=in_step(self, False))

    def traced_step(self, name: str, is_spread: bool = False) -> Any:
        """Return a step that is traced once for each kind of batch, and spread over workers."""
        if self.waits_for_inputs():
            return self.after_inputs(lambda: self.traced_step(name, is_spread))
        written = None if name == "predict" else self.graph_training()
        if written is not None:
            return written.step(name)
        if self.__steps is None:
            self.__steps = Steps()
        traced = self.__steps.traced
        key = name, in_sessions.holder_of(self.__layer())
        if key not in traced:
            method = calling(getattr(self, f"{name}_step"))
            if has_replicas(self.distribute_strategy):
                method = of_all_replicas(method, self.distribute_strategy, name)
            traced[key] = function(method, reduce_retracing=True)
        step = traced[key]
        step = self.distribute_strategy.dispatched(step) if is_spread else step
        is_eager = self.run_eagerly or self.__layer().dynamic

        def run(data: Any) -> Any:
            batch = nest.map_structure(as_tensor, feeding.filled(data))
            batch = batch if naming.is_keras_3() else feeding.in_columns(batch)
            batch = shared_out(batch, self.distribute_strategy.num_replicas_in_sync)
            with run_eagerly() if is_eager else nullcontext():
                return step(batch)

        return run

    def writes_its_steps(self) -> bool:
        """Return whether a program's class says what a step is."""
        kind = type(self)
        return any(getattr(kind, x) is not getattr(Training, x) for x in _STEPS)

    def trained_weights(self) -> Any:
        """Return the weights that a step updates."""
        return self._trained or self.__layer().trainable_variables

    def __check_compiled(self) -> None:
        if not self.__compiled:
            raise InvalidArgumentError(
                "You must call `compile()` before using the model."
            )

    @apart
    def fit(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        epochs: int = 1,
        verbose: Any = "auto",
        callbacks: Any = None,
        validation_split: float = 0.0,
        validation_data: Any = None,
        shuffle: bool = True,
        class_weight: Any = None,
        sample_weight: Any = None,
        initial_epoch: int = 0,
        steps_per_epoch: int | None = None,
        validation_steps: int | None = None,
        validation_batch_size: int | None = None,
        validation_freq: Any = 1,
        **kwargs: Any,
    ) -> Any:
        """Train by arrays, datasets or generators; return the history of what epochs came to.

        Batches are of 32 rows unless batch_size is given. validation_split keeps the last rows of
        arrays to evaluate, unless there is validation_data, after every validation_freq epochs or
        those that it lists; class_weight weighs examples by their labels. InvalidArgumentError is
        raised before compile, and for a validation_split of what are no arrays.
        """
        self.__check_compiled()
        source = feeding.source_of(x, y, sample_weight, batch_size, shuffle)
        held: Any = None
        if validation_data is not None:
            held = self.__validation(
                validation_data, validation_batch_size or batch_size
            )
        elif validation_split:
            source, held = feeding.divided(source, validation_split)
        run = Run(source, steps_per_epoch, held, self.metrics_names)
        listeners = self.__listeners(callbacks, verbose, epochs, run)
        self.stop_training = False
        step = self.traced_step("train", is_spread=True)
        first = self.__begun(listeners, initial_epoch, run.announcement(verbose))
        batches = feeding.portions(source, steps_per_epoch)
        logs: dict[str, Any] = {}
        for epoch in range(first, epochs):
            listeners.on_epoch_begin(epoch)
            self.reset_metrics()
            parts = noticed(batches.epoch(), "train", not steps_per_epoch)
            logs = self.__epoch(step, parts, listeners, class_weight, run)
            if held is not None and is_due(epoch + 1, validation_freq):
                found = self.__evaluated(Run(held, validation_steps), listeners)
                logs = in_order(logs | {f"val_{k}": x for k, x in found.items()})
            listeners.on_epoch_end(epoch, logs)
            if self.stop_training or getattr(batches, "are_over", False):
                break
        self.optimizer.finalize_variable_values(self.__layer().trainable_variables)
        listeners.on_train_end(logs)
        return listeners.history

    def __begun(self, listeners: Any, initial_epoch: int, said: str) -> int:
        """Return the first epoch, once it is said that training begins."""
        print(said, end="")
        self.epoch_restored = 0
        listeners.on_train_begin()
        return self.epoch_restored or initial_epoch

    def __listeners(self, given: Any, verbose: Any, epochs: int, run: Run) -> Any:
        if isinstance(given, callbacks.CallbackList):
            return given
        loud = 1 if verbose == "auto" else verbose
        made = callbacks.CallbackList(given, model=self, verbose=verbose)
        made.set_params({"verbose": loud, "epochs": epochs, **run.params()})
        return made

    def __epoch(
        self, step: Any, parts: Any, listeners: Any, class_weight: Any, run: Run
    ) -> dict[str, Any]:
        logs: dict[str, Any] = {}
        for first, last, group in grouped(parts, self.steps_per_execution):
            known = run.of_batch(last, group)
            listeners.on_train_batch_begin(first, known)
            taken = [step(feeding.with_class_weights(x, class_weight)) for x in group]
            logs = in_order(all_over(taken)[-1])
            listeners.on_train_batch_end(last, known | logs)
            if self.stop_training:
                break
        return self.of_epoch(in_order(counted_by_all(self, logs)))

    def __validation(self, data: Any, batch_size: Any) -> Any:
        if isinstance(data, (tuple, list)):
            x, y, weights = feeding.unpacked(data)
            return feeding.source_of(x, y, weights, batch_size)
        return feeding.source_of(data, None, None, batch_size)

    def __evaluated(self, run: Run, listeners: Any) -> dict[str, Any]:
        self.reset_metrics()
        step, logs = self.traced_step("test"), {}
        self.stop_evaluating = False
        listeners.on_test_begin()
        parts = noticed(feeding.some(run.source, run.steps), "test")
        for first, last, group in grouped(parts, self.steps_per_execution):
            known = run.of_batch(last, group)
            listeners.on_test_batch_begin(first, known)
            for data in group:
                logs = numbers(step(data))
            listeners.on_test_batch_end(last, known | logs)
            if self.stop_evaluating:
                break
        logs = self.of_epoch(counted_by_all(self, logs))
        listeners.on_test_end(logs)
        return dict(logs)

    @apart
    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        batch_size: int | None = None,
        verbose: Any = "auto",
        sample_weight: Any = None,
        steps: int | None = None,
        callbacks: Any = None,
        return_dict: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Return the loss and what metrics come to, as a list or a dict."""
        self.__check_compiled()
        source = feeding.source_of(x, y, sample_weight, batch_size)
        run = Run(source, steps, names=self.metrics_names)
        listeners = self.__listeners(callbacks, verbose, 1, run)
        logs = self.__evaluated(run, listeners)
        return in_order(logs) if return_dict else self.__listed(logs)

    @apart
    def predict(
        self,
        x: Any,
        batch_size: int | None = None,
        verbose: Any = "auto",
        steps: int | None = None,
        callbacks: Any = None,
        **kwargs: Any,
    ) -> Any:
        """Return what the model makes of inputs, as arrays of all batches.

        verbose says in Keras 2 whether there is a line of how far it has come.
        """
        source = feeding.source_of(x, None, None, batch_size)
        run = Run(source, steps)
        is_silent = naming.is_keras_3() or verbose == "auto"
        listeners = self.__listeners(callbacks, 0 if is_silent else verbose, 1, run)
        step, parts = self.traced_step("predict"), []
        self.stop_predicting = False
        listeners.on_predict_begin()
        batches = noticed(feeding.some(source, steps), "predict")
        for first, last, group in grouped(batches, self.steps_per_execution):
            known = run.of_batch(last, group)
            listeners.on_predict_batch_begin(first, known)
            made = [arrays_of(step(data)) for data in group]
            parts += made
            known |= run.of_outputs(joined(made))
            listeners.on_predict_batch_end(last, known)
            if self.stop_predicting:
                break
        listeners.on_predict_end()
        if not parts:
            raise InvalidArgumentError("predict: there is no batch to predict from")
        return joined(parts)

    @apart
    def train_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        class_weight: Any = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """Update weights by one batch; return the loss and what metrics come to."""
        self.__check_compiled()
        if reset_metrics:
            self.reset_metrics()
        batch = self.__batch(x, y, sample_weight)
        step = self.traced_step("train")
        logs = numbers(step(feeding.with_class_weights(batch, class_weight)))
        return in_order(logs) if return_dict else self.__listed(logs)

    @apart
    def test_on_batch(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        reset_metrics: bool = True,
        return_dict: bool = False,
    ) -> Any:
        """Return the loss and what metrics come to for one batch."""
        self.__check_compiled()
        if reset_metrics:
            self.reset_metrics()
        logs = numbers(self.traced_step("test")(self.__batch(x, y, sample_weight)))
        return in_order(logs) if return_dict else self.__listed(logs)

    @apart
    def predict_on_batch(self, x: Any) -> Any:
        """Return what the model makes of one batch, as arrays."""
        return arrays_of(self.traced_step("predict")(self.__batch(x, None, None)))

    def __listed(self, logs: dict[str, Any]) -> Any:
        """Return numbers in the order in which Keras 3 lists them, of one it itself."""
        names = list(logs)
        if naming.is_keras_3():
            known = [name for x in self.metrics for name in _names_of(x)]
            others = sorted(name for name in logs if name not in known)
            names = [name for name in known if name in logs] + others
        values = [logs[name] for name in names]
        return values[0] if len(values) == 1 else values

    def __batch(self, x: Any, y: Any, sample_weight: Any) -> Any:
        arrays = feeding.Arrays(x, y, sample_weight, None, False)
        return feeding.packed(*arrays.parts)


def _names_of(metric: Metric) -> list[str]:
    return metric.listed if isinstance(metric, CompiledMetrics) else [metric.name]


def _are_metrics(given: Any) -> bool:
    """Return whether what stands for the weights of losses is metrics."""
    if isinstance(given, dict):
        return any(map(_are_metrics, given.values()))
    if isinstance(given, (list, tuple)):
        return any(map(_are_metrics, given))
    return given is not None and not isinstance(given, (int, float, np.generic))
