"""tf.contrib.estimator: heads by older names, and estimators that answer with more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.ragged_and_sparse.sparse import to_dense
from tensorlite.compat.v1.estimators.base import Estimator
from tensorlite.compat.v1.estimators.class_heads import (
    BinaryClassHead,
    MultiClassHead,
)
from tensorlite.compat.v1.estimators.heads import Head, RegressionHead
from tensorlite.compat.v1.estimators.many_heads import (
    LogisticRegressionHead,
    MultiHead as multi_head,
    MultiLabelHead,
    PoissonRegressionHead,
    add_metrics,
)
from tensorlite.compat.v1.estimators.receivers import DEFAULT_KEY, PredictOutput
from tensorlite.compat.v1.estimators.specs import EstimatorSpec, ModeKeys
from tensorlite.compat.v1.losses import Reduction
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = [
    "add_metrics",
    "binary_classification_head",
    "forward_features",
    "logistic_regression_head",
    "multi_class_head",
    "multi_head",
    "multi_label_head",
    "poisson_regression_head",
    "regression_head",
]

_MEAN = Reduction.SUM_OVER_BATCH_SIZE
H = TypeVar("H", bound=Head)


def _older(head: H) -> H:
    """Return a head that sums up areas as heads did before they were classes."""
    head.area_method = "trapezoidal"
    return head


def binary_classification_head(
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Any = None,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> BinaryClassHead:
    """Return a head for two classes: sigmoid cross entropy of one logit."""
    given = (
        weight_column,
        thresholds,
        label_vocabulary,
        loss_reduction,
        loss_fn,
        name,
    )
    return _older(BinaryClassHead(*given))


def multi_class_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Any = None,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> MultiClassHead:
    """Return a head for n_classes classes, of which each example has one: softmax."""
    given = (weight_column, label_vocabulary, loss_reduction, loss_fn, name)
    return MultiClassHead(n_classes, *given)


def multi_label_head(
    n_classes: int,
    weight_column: Any = None,
    thresholds: Sequence[float] | None = None,
    label_vocabulary: Any = None,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    classes_for_class_based_metrics: Any = None,
    name: str | None = None,
) -> MultiLabelHead:
    """Return a head for n_classes labels, of which examples have any number: sigmoids."""
    given = (weight_column, thresholds, label_vocabulary, loss_reduction, loss_fn)
    rest = (classes_for_class_based_metrics, name)
    return _older(MultiLabelHead(n_classes, *given, *rest))


def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _MEAN,
    loss_fn: Callable[..., Any] | None = None,
    inverse_link_fn: Callable[..., Any] | None = None,
    name: str | None = None,
) -> RegressionHead:
    """Return a head for numbers: mean squared errors of label_dimension outputs."""
    given = (weight_column, loss_reduction, loss_fn, inverse_link_fn, name)
    return RegressionHead(label_dimension, *given)


def poisson_regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = _MEAN,
    compute_full_loss: bool = True,
    name: str | None = None,
) -> PoissonRegressionHead:
    """Return a head for counts: Poisson losses of the exponentials of outputs."""
    given = (weight_column, loss_reduction, compute_full_loss, name)
    return PoissonRegressionHead(label_dimension, *given)


def logistic_regression_head(
    weight_column: Any = None, loss_reduction: str = _MEAN, name: str | None = None
) -> LogisticRegressionHead:
    """Return a head for probabilities: sigmoid cross entropy with labels in [0, 1]."""
    return LogisticRegressionHead(weight_column, loss_reduction, name)


def forward_features(
    estimator: Estimator, keys: Any = None, sparse_default_values: Any = None
) -> Estimator:
    """Return an estimator that answers with features beside its predictions."""
    listed = [keys] if isinstance(keys, str) else keys

    def forwarded(features: Any) -> dict[str, Any]:
        found = {}
        for key in features if listed is None else listed:
            if key not in features:
                raise InvalidArgumentError(
                    f"keys should be exist in features. Key {key!r} is not in features dict."
                )
            value = features[key]
            if isinstance(value, SparseTensor):
                value = to_dense(value, (sparse_default_values or {}).get(key))
            found[key] = value
        return found

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        kept = dict(features)
        spec = estimator.built_with(features, labels, mode)
        if mode != ModeKeys.PREDICT:
            return spec
        more = forwarded(kept)
        both = sorted(set(more) & set(spec.predictions))
        if both:
            raise InvalidArgumentError(f"Cannot forward feature key ({both[0]}).")
        whole = {**spec.predictions, **more}
        told = dict(spec.export_outputs or {})
        told = {
            key: PredictOutput({**x.outputs, **more})
            if isinstance(x, PredictOutput)
            else x
            for key, x in (told or {DEFAULT_KEY: PredictOutput(whole)}).items()
        }
        return spec._replace(predictions=whole, export_outputs=told)

    return Estimator(model_fn, estimator.model_dir, estimator.config)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
