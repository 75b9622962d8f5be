"""Estimator of tf.contrib.learn: the model that a function builds."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

from tensorlite.compat.v1 import metrics
from tensorlite.compat.v1.contrib.learning.base import (
    BaseEstimator,
    SKCompat as SKCompat,
    infer_real_valued_columns_from_input as infer_real_valued_columns_from_input,
    infer_real_valued_columns_from_input_fn as infer_real_valued_columns_from_input_fn,
)
from tensorlite.compat.v1.contrib.learning.keys import MetricKey, ModeKeys
from tensorlite.compat.v1.contrib.learning.metric_specs import make_metrics_ops
from tensorlite.compat.v1.contrib.learning.model_fns import ModelFnOps
from tensorlite.compat.v1.contrib.learning.serving import export
from tensorlite.compat.v1.contrib.learning.signatures import placeholders
from tensorlite.compat.v1.estimators.specs import EstimatorSpec
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError


def _parameters(function: Any) -> set[str]:
    """Return the arguments of a function that are not given yet."""
    known = signature(function).parameters
    given = getattr(function, "keywords", None) or {}
    return {name for name in known if name not in given}


class Estimator(BaseEstimator):
    """Trains, judges and asks the model that a function builds."""

    def __init__(
        self,
        model_fn: Any = None,
        model_dir: str | None = None,
        config: Any = None,
        params: Any = None,
        feature_engineering_fn: Any = None,
    ) -> None:
        super().__init__(model_dir, config)
        given = model_fn is not None and params is not None
        if given and "params" not in _parameters(model_fn):
            raise InvalidArgumentError(
                f"Estimator's model_fn ({model_fn}) does not have a params argument, but params "
                f"({params}) were passed to the Estimator's constructor."
            )
        self._model_fn, self.params = model_fn, params
        self._engineered = feature_engineering_fn

    @property
    def model_fn(self) -> Callable[..., ModelFnOps]:
        """The function that builds the model, of features, labels, mode and config."""

        def public(features: Any, labels: Any, mode: str, config: Any) -> ModelFnOps:
            return self._call_model_fn(features, labels, mode, config=config)

        return public

    def _call_model_fn(
        self,
        features: Any,
        labels: Any,
        mode: str,
        metrics: Any = None,
        config: Any = None,
    ) -> ModelFnOps:
        if self._engineered is not None:
            features, labels = self._engineered(features, labels)
        offered = {
            "mode": mode,
            "params": self.params,
            "config": config or self.config,
            "model_dir": self.model_dir,
        }
        taken = _parameters(self._model_fn)
        known = {key: value for key, value in offered.items() if key in taken}
        built = _as_ops(self._model_fn(features, labels, **known), mode)
        if metrics:
            more = make_metrics_ops(metrics, features, labels, built.predictions)
            built.eval_metric_ops.update(more)
        return built

    def _get_train_ops(self, features: Any, labels: Any) -> ModelFnOps:
        return self._call_model_fn(features, labels, ModeKeys.TRAIN)

    def _get_eval_ops(
        self, features: Any, labels: Any, metrics_asked: Any
    ) -> ModelFnOps:
        built = self._call_model_fn(features, labels, ModeKeys.EVAL, metrics_asked)
        if MetricKey.LOSS not in built.eval_metric_ops:
            built.eval_metric_ops[MetricKey.LOSS] = metrics.mean(built.loss)
        return built

    def _get_predict_ops(self, features: Any) -> ModelFnOps:
        labels = placeholders(self._labels)
        return self._call_model_fn(features, labels, ModeKeys.INFER)

    def export_savedmodel(
        self,
        export_dir_base: Any,
        serving_input_fn: Callable[[], Any],
        default_output_alternative_key: Any = None,
        assets_extra: Any = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        graph_rewrite_specs: Any = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Write a SavedModel into a new folder below export_dir_base, and return its path.

        graph_rewrite_specs raise UnimplementedError; strip_default_attrs has no effect.
        """
        if serving_input_fn is None:
            raise InvalidArgumentError("serving_input_fn must be defined.")
        if graph_rewrite_specs is not None:
            raise UnimplementedError(
                "export_savedmodel: graph_rewrite_specs are not served; export without them"
            )
        path = self._checkpoint(checkpoint_path)
        given = (export_dir_base, serving_input_fn, default_output_alternative_key)
        return export(self._call_model_fn, *given, assets_extra, as_text, path)


def _as_ops(given: Any, mode: str) -> ModelFnOps:
    """Return what a function that builds models gave, which may be (predictions, loss, step)."""
    if isinstance(given, ModelFnOps):
        return given
    if isinstance(given, EstimatorSpec):
        return ModelFnOps(
            mode,
            given.predictions,
            given.loss,
            given.train_op,
            dict(given.eval_metric_ops or {}),
            None,
            given.training_chief_hooks,
            given.training_hooks,
            given.scaffold,
        )
    if not isinstance(given, (list, tuple)) or len(given) != 3:
        raise InvalidArgumentError(
            "Unrecognized value returned by model_fn, please return ModelFnOps."
        )
    return ModelFnOps(mode, *given)
