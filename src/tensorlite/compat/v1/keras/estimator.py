"""tf.keras.estimator: compiled models as estimators, which train copies of them in their graphs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorlite.compat import v1
from tensorlite.compat.missing import listing
from tensorlite.compat.v1.estimators.base import Estimator
from tensorlite.compat.v1.estimators.receivers import PredictOutput
from tensorlite.compat.v1.estimators.specs import EstimatorSpec, ModeKeys
from tensorlite.compat.v1.training.scaffolds import Scaffold
from tensorlite.compat.v2.keras.models import clone_model, load_model
from tensorlite.compat.v2.keras.src.metrics.base import Metric
from tensorlite.compat.v2.keras.src.models import in_graphs
from tensorlite.compat.v2.keras.src.optimizers.older import TFOptimizer
from tensorlite.compat.v2.keras.src.trainers.compiled import (
    CompiledLoss,
    CompiledMetrics,
)
from tensorlite.core import nest
from tensorlite.core.errors import InvalidArgumentError


def model_to_estimator(
    keras_model: Any = None,
    keras_model_path: str | None = None,
    custom_objects: Any = None,
    model_dir: str | None = None,
    config: Any = None,
    checkpoint_format: str = "saver",
) -> Estimator:
    """Return an estimator of a compiled model, which begins with the weights that this has."""
    if (keras_model is None) == (keras_model_path is None):
        raise InvalidArgumentError(
            "Either keras_model or keras_model_path needs to be provided, and not both."
        )
    model = keras_model
    if model is None:
        model = load_model(keras_model_path, custom_objects)
    if model.optimizer is None:
        raise InvalidArgumentError(
            "The given keras model has not been compiled yet. Please compile the model with "
            "`model.compile()` before calling `model_to_estimator()`."
        )
    return Estimator(_Building(model).built, model_dir, config)


class _Building:
    """Builds copies of a model in the graphs of an estimator."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._first = model.get_weights()

    def built(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        model = clone_model(self._model)
        made = model(_fed(model, features), training=mode == ModeKeys.TRAIN)
        outputs = _named(model, made)
        told: dict[str, Any] = {
            "mode": mode,
            "predictions": outputs,
            "export_outputs": {"serving_default": PredictOutput(outputs)},
            "scaffold": self._scaffold(model),
        }
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(**told)
        loss = self._loss(model, labels, made)
        if mode == ModeKeys.TRAIN:
            return EstimatorSpec(loss=loss, train_op=self._step(model, loss), **told)
        found = self._metrics(model, labels, made)
        return EstimatorSpec(loss=loss, eval_metric_ops=found, **told)

    def _scaffold(self, model: Any) -> Scaffold:
        """Return what a session without a checkpoint begins with: the weights of the model."""
        pairs = list(zip(model.weights, self._first, strict=True))
        given = [v1.placeholder(x.dtype, x.shape) for x, _ in pairs]
        begins = v1.group(
            *[v1.assign(x, y) for (x, _), y in zip(pairs, given, strict=True)]
        )
        feeds = {y: value for (_, value), y in zip(pairs, given, strict=True)}
        return Scaffold(init_fn=lambda scaffold, session: session.run(begins, feeds))

    def _loss(self, model: Any, labels: Any, made: Any) -> Any:
        given, shares = self._model.compiled_loss.given
        losses = CompiledLoss(given, shares, list(model.output_names))
        return in_graphs.in_default(
            in_graphs.anywhere(losses.total), labels, made, None, model.losses
        )

    def _step(self, model: Any, loss: Any) -> Any:
        step = v1.train.get_or_create_global_step()
        given, weights = self._model.optimizer, model.trainable_weights
        if isinstance(given, TFOptimizer):
            pairs = given.optimizer.compute_gradients(loss, weights)
            updates = [given.optimizer.apply_gradients(pairs)]
        else:
            optimizer = type(given).from_config(given.get_config())
            updates = optimizer.get_updates(loss, weights)
        with v1.control_dependencies([*updates, *model.updates]):
            return v1.assign_add(step, 1).op

    def _metrics(self, model: Any, labels: Any, made: Any) -> dict[str, Any]:
        compiled: CompiledMetrics = self._model.compiled_metrics.anew(
            list(model.output_names)
        )
        found: dict[str, Metric] = {}
        for metric, *values in compiled.pairs(labels, made):
            metric.update_state(*values)
            found[metric.name] = metric
        return found


def _fed(model: Any, features: Any) -> Any:
    """Return what a model is given, by its inputs' names if features have such."""
    if not isinstance(features, Mapping):
        return features
    names = list(model.input_names)
    missing = [name for name in names if name not in features]
    if missing:
        raise InvalidArgumentError(
            "The dictionary passed into features does not have the expected inputs keys defined in "
            f"the keras model.\n\tExpected keys: {set(names)}\n\tfeatures keys: {set(features)}"
        )
    found = [features[name] for name in names]
    return found[0] if len(found) == 1 else found


def _named(model: Any, made: Any) -> dict[str, Any]:
    return dict(zip(model.output_names, nest.flatten(made), strict=True))


__dir__ = listing(__name__, globals())
