"""What functions that build models are told, and what they give back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Self

from tensorlite.compat.shared.arrays import reshape
from tensorlite.compat.shared.values import is_tensor
from tensorlite.compat.v2.keras.src.metrics.base import Metric
from tensorlite.compat.views import Operation
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.hooks import SessionRunHook
from tensorlite.graph_mode.keys import GraphKeys


class ModeKeys:
    """What a model is built for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class _Parts(NamedTuple):
    """The members of what a function that builds a model gives back, as they are given."""

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Mapping[str, Any] | None = None
    export_outputs: Any = None
    training_chief_hooks: Iterable[Any] | None = None
    training_hooks: Iterable[Any] | None = None
    scaffold: Any = None
    evaluation_hooks: Iterable[Any] | None = None
    prediction_hooks: Iterable[Any] | None = None


class EstimatorSpec(_Parts):
    """What a function that builds a model gives back: what its mode asks for is there."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        given = _Parts(*args, **kwargs)
        _check_asked(given)
        parts = given._replace(
            loss=_scalar(given.loss),
            predictions={} if given.predictions is None else given.predictions,
            eval_metric_ops=_measured(given.eval_metric_ops),
            training_chief_hooks=tuple(given.training_chief_hooks or ()),
            training_hooks=tuple(given.training_hooks or ()),
            evaluation_hooks=tuple(given.evaluation_hooks or ()),
            prediction_hooks=tuple(given.prediction_hooks or ()),
        )
        for key in _HOOKS:
            for hook in getattr(parts, key):
                if not isinstance(hook, SessionRunHook):
                    raise DTypeError(
                        f"All hooks must be SessionRunHook instances, given: {hook}"
                    )
        return super().__new__(cls, *parts)


_HOOKS = (
    "training_chief_hooks",
    "training_hooks",
    "evaluation_hooks",
    "prediction_hooks",
)
_ASKED = {
    ModeKeys.TRAIN: ("train_op", "loss"),
    ModeKeys.EVAL: ("loss",),
    ModeKeys.PREDICT: ("predictions",),
}


def _check_asked(parts: _Parts) -> None:
    for name in _ASKED.get(parts.mode, ()):
        if getattr(parts, name) is None:
            raise InvalidArgumentError(f"Missing {name}.")
    step = parts.train_op
    if not (step is None or _is_fetched(step)):
        raise DTypeError(f"train_op must be Operation or Tensor, given: {step}")
    if not isinstance(parts.export_outputs, (dict, type(None))):
        raise DTypeError(
            f"export_outputs must be dict, given: {parts.export_outputs}"
        )
    found = parts.predictions
    named = found if isinstance(found, Mapping) else {"": found}
    for key, x in named.items():
        if x is not None and not _is_fetched(x):
            place = f"predictions[{key}]" if key else "predictions"
            raise DTypeError(f"{place} must be Tensor, given: {x}")


def _is_fetched(value: Any) -> bool:
    """Return whether a session gives something for it: tensors, variables, nodes."""
    return is_tensor(value) or isinstance(value, Operation)


def _scalar(loss: Any) -> Any:
    """Return a loss of one element as a scalar."""
    if loss is None:
        return None
    if not is_tensor(loss):
        raise DTypeError(f"loss must be Tensor, given: {loss}")
    count = loss.get_shape().num_elements()
    if count not in (None, 1):
        raise InvalidArgumentError(f"Loss must be scalar, given: {loss}")
    return loss if loss.get_shape().rank == 0 else reshape(loss, [])


def _measured(given: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a mapping of pairs of a value and what updates it."""
    pairs = dict(given or {})
    for key, value in pairs.items():
        if isinstance(value, Metric):
            pairs[key] = _of_metric(value)
            continue
        if not isinstance(value, tuple) or len(value) != 2:
            raise DTypeError(
                "Values of eval_metric_ops must be (metric_value, update_op) tuples, given: "
                f"{value} for key: {key}"
            )
    return pairs


def _of_metric(metric: Metric) -> tuple[Any, Any]:
    """Return what a metric of Keras has gathered, and what makes it gather."""
    if not metric.updates:
        raise InvalidArgumentError(
            f"Please call update_state(...) on the {metric.name!r} metric"
        )
    for variable in metric.variables:
        variable.graph.add_to_collection(GraphKeys.LOCAL_VARIABLES, variable)
    return metric.result(), metric.updates[0]
