"""optimize_loss of tf.contrib.layers, and the clipping that it may be given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.v1 import random, summary
from tensorlite.compat.v1.functions import arrays as v1_arrays, clipping, init_ops
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.training import optimizer_classes as optimizers
from tensorlite.compat.v1.training.averages import (
    assign_moving_average,
    get_global_step,
)
from tensorlite.compat.v1.training.optimizer import Optimizer
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.keys import GraphKeys

Gradients = list[tuple[Any, Any]]

OPTIMIZER_CLS_NAMES: dict[str, Callable[..., Any]] = {
    "Adagrad": optimizers.AdagradOptimizer,
    "Adam": optimizers.AdamOptimizer,
    "Ftrl": optimizers.FtrlOptimizer,
    "Momentum": lambda learning_rate: optimizers.MomentumOptimizer(
        learning_rate, momentum=0.9
    ),
    "RMSProp": optimizers.RMSPropOptimizer,
    "SGD": optimizers.GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = [
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
]


def optimize_loss(
    loss: Any,
    global_step: Any,
    learning_rate: Any,
    optimizer: Any,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Any = None,
    clip_gradients: Any = None,
    learning_rate_decay_fn: Any = None,
    update_ops: Iterable[Any] | None = None,
    variables: Any = None,
    name: str | None = None,
    summaries: Any = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> Any:
    """Return the loss; running it takes a step of training first.

    optimizer is a name ("SGD", "Adam", ...), a class, a function of the rate, or an object.
    Gradients get noise, multipliers and clipping (a norm, or a function) in this order. update_ops,
    those of the collection UPDATE_OPS if None, run before. A learning_rate_decay_fn needs a global
    step.
    """
    step = get_global_step() if global_step is None else global_step
    shown = _summaries(summaries)
    with scopes.variable_scope(name, "OptimizeLoss"):
        target = _behind(update_ops, framework.convert_to_tensor(loss))
        rate = _rate(learning_rate)
        if rate is not None and learning_rate_decay_fn is not None:
            if step is None:
                raise InvalidArgumentError(
                    "global_step is required for learning_rate_decay_fn."
                )
            rate = learning_rate_decay_fn(rate, step)
            if "learning_rate" in shown:
                summary.scalar("learning_rate", rate)
        chosen = _optimizer(optimizer, rate)
        gradients = chosen.compute_gradients(
            target, scopes.trainable_variables() if variables is None else variables
        )
        gradients = _changed(gradients, gradient_noise_scale, gradient_multipliers)
        if {"global_gradient_norm", "gradient_norm"} & set(shown):
            summary.scalar("global_norm/gradient_norm", _norm(gradients))
        gradients = _clipped(gradients, clip_gradients)
        _summarized(target, gradients, shown, clipped=clip_gradients is not None)
        counted = step if increment_global_step else None
        updates = chosen.apply_gradients(gradients, global_step=counted, name="train")
        with framework.control_dependencies([updates]):
            return arrays.identity(target, name="control_dependency")


def _summaries(summaries: Any) -> list[str]:
    if summaries is None:
        return ["loss", "learning_rate", "global_gradient_norm"]
    for one in summaries:
        if one not in OPTIMIZER_SUMMARIES:
            raise InvalidArgumentError(
                f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you provided "
                f"{one}."
            )
    return list(summaries)


def _behind(update_ops: Iterable[Any] | None, loss: Any) -> Any:
    """Return the loss, known when updates have run."""
    given = (
        scopes.get_collection(GraphKeys.UPDATE_OPS)
        if update_ops is None
        else update_ops
    )
    listed = list(dict.fromkeys(given))
    if not listed:
        return loss
    with framework.control_dependencies(listed):
        return arrays.identity(loss)


def _rate(learning_rate: Any) -> Any:
    if learning_rate is None or isinstance(learning_rate, Operand):
        return learning_rate
    if not isinstance(learning_rate, float) or learning_rate < 0.0:
        raise InvalidArgumentError(
            f"Learning rate should be 0d Tensor or float. Got {learning_rate!r} of type "
            f"{type(learning_rate)}"
        )
    begun = init_ops.Constant(learning_rate)
    return scopes.get_variable(
        "learning_rate", [], initializer=begun, trainable=False
    )


def _optimizer(given: Any, rate: Any) -> Any:
    if isinstance(given, Optimizer):
        return given
    kind = OPTIMIZER_CLS_NAMES.get(given) if isinstance(given, str) else given
    if kind is None:
        raise InvalidArgumentError(
            f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], you provided "
            f"{given}."
        )
    needs_rate = isinstance(given, (str, type))
    if needs_rate and rate is None:
        raise InvalidArgumentError(
            f"Learning rate is None, but should be specified if optimizer is {given}."
        )
    found = kind(learning_rate=rate) if needs_rate else _called(kind, rate)
    if not isinstance(found, Optimizer):
        raise InvalidArgumentError(
            "Unrecognized optimizer: should be string, subclass of Optimizer, instance of "
            f"subclass of Optimizer or function with one argument. Got {given!r}."
        )
    return found


def _called(function: Any, rate: Any) -> Any:
    return function() if rate is None else function(rate)


def _norm(gradients: Gradients) -> Any:
    return clipping.global_norm([dx for dx, _ in gradients])


def _changed(gradients: Gradients, noise: float | None, factors: Any) -> Gradients:
    """Return gradients with noise, and times the factors of their variables."""
    if noise is not None:
        gradients = [(_noisy(dx, noise), x) for dx, x in gradients]
    if factors is None:
        return gradients
    made = []
    for dx, x in gradients:
        key = x if x in factors else x.name
        known = dx is not None and key in factors
        made.append((_times(dx, factors[key]) if known else dx, x))
    return made


def _noisy(dx: Any, scale: float) -> Any:
    if dx is None:
        return None
    sizes = dx.dense_shape if isinstance(dx, IndexedSlices) else dx.get_shape()
    return framework.convert_to_tensor(dx) + random.truncated_normal(sizes) * scale


def _times(dx: Any, factor: Any) -> Any:
    if isinstance(dx, IndexedSlices):
        return IndexedSlices(dx.values * factor, dx.indices, dx.dense_shape)
    return dx * elementwise.cast(factor, dx.dtype)


def _clipped(gradients: Gradients, clip: Any) -> Gradients:
    if clip is None:
        return gradients
    if isinstance(clip, (int, float)):
        made, _ = clipping.clip_by_global_norm([dx for dx, _ in gradients], clip)
        return list(zip(made, [x for _, x in gradients], strict=True))
    if not callable(clip):
        raise InvalidArgumentError(f"Unknown type {type(clip)} for clip_gradients")
    return list(clip(gradients))


def _summarized(
    loss: Any, gradients: Gradients, shown: list[str], clipped: bool
) -> None:
    if "loss" in shown:
        summary.scalar("loss", loss)
    for dx, x in gradients:
        values = dx.values if isinstance(dx, IndexedSlices) else dx
        if values is None:
            continue
        name = x.name.replace(":", "_")
        if "gradients" in shown:
            summary.histogram(f"gradients/{name}", values)
        if "gradient_norm" in shown:
            summary.scalar(f"gradient_norm/{name}", clipping.global_norm([values]))
    if clipped and {"global_gradient_norm", "gradient_norm"} & set(shown):
        summary.scalar("global_norm/clipped_gradient_norm", _norm(gradients))


def adaptive_clipping_fn(
    std_factor: float = 2.0,
    decay: float = 0.95,
    static_max_norm: float | None = None,
    global_step: Any = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Callable[[Gradients], Gradients]:
    """Return what clips gradients to a norm that few of those so far have exceeded."""

    def clip(gradients: Gradients) -> Gradients:
        norm = _norm(gradients)
        with scopes.variable_scope(name, "AdaptiveMaxNorm"):
            most, log_mean = _usual(norm, std_factor, decay, global_step, epsilon)
        if report_summary:
            summary.scalar("global_norm/adaptive_max_gradient_norm", most)
        factor = v1_arrays.where(
            norm < most,
            v1_arrays.ones_like(norm),
            elementwise.exp(log_mean) / norm,
        )
        if static_max_norm is not None:
            factor = elementwise.minimum(static_max_norm / norm, factor)
        return [
            (None if dx is None else _times(dx, factor), x) for dx, x in gradients
        ]

    return clip


def _usual(norm: Any, factor: float, decay: Any, step: Any, epsilon: float) -> Any:
    """Return the norm that few exceed, and the mean of the logarithms of norms so far."""
    log_norm = elementwise.log(norm + epsilon)
    if step is not None:
        n = elementwise.cast(step, norm.dtype)
        decay = elementwise.minimum(decay, n / (n + 1.0))

    def averaged(name: str, value: Any) -> Any:
        average = scopes.get_variable(
            name, [], value.dtype, init_ops.Zeros(), trainable=False
        )
        return assign_moving_average(average, value, decay, zero_debias=False)

    mean = averaged("mean", log_norm)
    squares = averaged("sq_mean", elementwise.square(log_norm))
    variance = squares - elementwise.square(mean)
    spread = elementwise.sqrt(elementwise.maximum(epsilon, variance))
    return elementwise.exp(mean + factor * spread), mean
