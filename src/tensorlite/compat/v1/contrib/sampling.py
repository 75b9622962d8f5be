"""tf.contrib.training's samplers: elements that are kept, left out or repeated by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shared import arrays, checks, control_flow, elementwise
from tensorlite.compat.shared.picking import one_hot
from tensorlite.compat.shared.python import Print
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    checks as v1_checks,
    control_flow as v1_control_flow,
    numbers,
)
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.graphs.state import get_local_variable
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.compat.v1.pipelines.batching import batch, maybe_batch
from tensorlite.compat.v1.primitives import with_dependencies
from tensorlite.compat.v1.training.averages import assign_moving_average
from tensorlite.core.dtypes import float32, int32, int64
from tensorlite.core.errors import DTypeError, InvalidArgumentError

_TOLERANCE = 1e-6
_FIRST_COUNT = 10
"""How often each class is taken to have been seen at first, so that nothing is divided by zero."""


def rejection_sample(
    tensors: Sequence[Any],
    accept_prob_fn: Callable[[Any], Any],
    batch_size: Any,
    queue_threads: int = 1,
    enqueue_many: bool = False,
    prebatch_capacity: int = 16,
    prebatch_threads: int = 1,
    runtime_checks: bool = False,
    name: str | None = None,
) -> list[Any]:
    """Return batches of those elements that chance keeps, by the probability accept_prob_fn gives.

    It is called with the list of an element's tensors, which are rows of tensors if enqueue_many.
    Runners fill the queues: start them. With runtime_checks a probability outside of [0, 1] raises.
    """
    with scopes.variable_scope(name, "rejection_sample", tensors):
        element = _listed(tensors)
        if enqueue_many:
            _check_rows(element, element[0])
            rows = batch(
                element, 1, prebatch_threads, prebatch_capacity, enqueue_many=True
            )
            listed = rows if isinstance(rows, list) else [rows]
            element = [v1_arrays.squeeze(x, [0]) for x in listed]
        likely = accept_prob_fn(element)
        if runtime_checks:
            held = [
                v1_checks.assert_less_equal(0.0, likely),
                v1_checks.assert_less_equal(likely, 1.0),
            ]
            likely = arrays.identity(
                with_dependencies(held, likely), name="prob_with_checks"
            )
        kept = random.uniform([]) < likely
        found = maybe_batch(element, kept, batch_size, queue_threads)
    return found if isinstance(found, list) else [found]


def stratified_sample(
    tensors: Sequence[Any],
    labels: Any,
    target_probs: Any,
    batch_size: Any,
    init_probs: Any = None,
    enqueue_many: bool = False,
    queue_capacity: int = 16,
    threads_per_queue: int = 1,
    name: str | None = None,
) -> Any:
    """Return (tensors, labels), batches in which classes are as frequent as target_probs says.

    Chance leaves out elements of classes that are more frequent: init_probs says how frequent they
    are, otherwise labels are counted as they come. A class that never comes, by init_probs, cannot
    be asked for. With enqueue_many the tensors and labels are rows of elements.
    """
    with framework.name_scope(name, "stratified_sample"):
        element = _listed(tensors)
        classes = framework.convert_to_tensor(labels)
        target = framework.convert_to_tensor(target_probs, dtype=float32)
        if not enqueue_many:
            element = [v1_arrays.expand_dims(x, 0) for x in element]
            classes = v1_arrays.expand_dims(classes, 0)
        if init_probs is None:
            target.get_shape().assert_is_fully_defined()
            first = _frequencies(classes, target.get_shape().num_elements())
        else:
            first = framework.convert_to_tensor(init_probs, dtype=float32)
        element, classes, [first, target] = _checked(
            element, classes, [first, target]
        )
        accepted = _acceptance(_possible(first, target), target)
        rows = batch(
            [*element, classes],
            1,
            threads_per_queue,
            queue_capacity,
            enqueue_many=True,
        )
        *values, label = [v1_arrays.squeeze(x, [0]) for x in rows]
        likely = v1_arrays.gather(accepted, label)
        kept = random.uniform([]) < likely
        found = maybe_batch(
            [*values, label], kept, batch_size, num_threads=threads_per_queue
        )
        return found[:-1], found[-1]


def _listed(tensors: Any) -> list[Any]:
    if not isinstance(tensors, (list, tuple)):
        raise DTypeError(
            f"tensors must be a list or a tuple of tensors, not {tensors}"
        )
    return [framework.convert_to_tensor(x) for x in tensors]


def _possible(first: Any, target: Any) -> Any:
    """Return the first frequencies, which may be zero only where none is asked for."""
    either = elementwise.logical_or(
        elementwise.not_equal(first, 0.0), elementwise.equal(target, 0.0)
    )
    told = (
        "All classes with zero initial probability must also have zero target "
        "probability: "
    )
    held = checks.Assert(numbers.reduce_all(either), [told, first, target])
    return with_dependencies([held], first)


def _acceptance(first: Any, target: Any) -> Any:
    """Return how likely elements of each class are kept; it is printed where most are not."""
    ratio = target / first
    ratio = v1_arrays.where_v2(
        elementwise.is_nan(ratio), v1_arrays.zeros_like(ratio), ratio
    )
    accepted = ratio / numbers.reduce_max(ratio)
    rejected = numbers.reduce_sum((1 - accepted) * first)

    def told() -> Any:
        message = "Proportion of examples rejected by sampler is high."
        return Print(accepted, [accepted], message=message, first_n=10)

    return control_flow.cond(elementwise.less(rejected, 0.5), lambda: accepted, told)


def _frequencies(labels: Any, count: int) -> Any:
    """Return how frequent each class was among the labels up to now."""
    seen = Variable(
        [_FIRST_COUNT] * count, trainable=False, name="class_count", dtype=int64
    )
    ones = one_hot(labels, count, dtype=int64)
    counted = seen.assign_add(numbers.reduce_sum(ones, 0)) + 0
    return elementwise.cast(
        elementwise.truediv(counted, numbers.reduce_sum(counted)), float32
    )


def _check_rows(tensors: Sequence[Any], like: Any) -> None:
    """Raise an error unless all have as many rows."""
    for x in tensors:
        rows = x.get_shape().with_rank_at_least(1)[0]
        rows.assert_is_compatible_with(like.get_shape()[0])


def _checked(tensors: Sequence[Any], labels: Any, shares: Sequence[Any]) -> Any:
    """Return rows, labels and frequencies, which are checked when they are run."""
    shares = [_checked_share(x) for x in shares]
    count = shares[0].get_shape().num_elements()
    if any(x.get_shape().num_elements() != count for x in shares):
        raise InvalidArgumentError(
            "Probability parameters must have the same length."
        )
    labels.get_shape().assert_has_rank(1)
    _check_rows(tensors, labels)
    rows = v1_arrays.shape(labels)[0]
    some = v1_checks.assert_positive(rows)
    labels = with_dependencies([some], labels)
    tensors = [
        with_dependencies(
            [some, v1_checks.assert_equal(v1_arrays.shape(x)[0], rows)], x
        )
        for x in tensors
    ]
    held = [
        checks.assert_integer(labels),
        v1_checks.assert_non_negative(labels),
        v1_checks.assert_less(labels, elementwise.cast(count, labels.dtype)),
    ]
    return tensors, with_dependencies(held, labels), shares


def _checked_share(x: Any) -> Any:
    x.get_shape().assert_is_fully_defined()
    x.get_shape().assert_has_rank(1)
    total = numbers.reduce_sum(x)
    held = [
        v1_checks.assert_non_negative(x),
        v1_checks.assert_less(total, 1.0 + _TOLERANCE),
        v1_checks.assert_less(1.0 - _TOLERANCE, total),
    ]
    return with_dependencies(held, x)


def resample_at_rate(
    inputs: Sequence[Any],
    rates: Any,
    scope: str | None = None,
    seed: int | None = None,
    back_prop: bool = False,
) -> list[Any]:
    """Return rows of tensors, each as often as Poisson draws with its rate say.

    The same rows are taken of all tensors. back_prop has no effect: gradients reach the tensors.
    """
    with framework.name_scope(scope, "resample_at_rate"):
        rates = framework.convert_to_tensor(rates, name="rates")
        drawn = random.poisson(rates, (), rates.dtype, seed=seed)
        places = _repeated(elementwise.cast(drawn, int32))
        if not back_prop:
            places = arrays.stop_gradient(places)
        return [v1_arrays.gather(x, places) for x in inputs]


def _repeated(counts: Any, name: str | None = None) -> Any:
    """Return 0, 1, ..., each as often as counts says: [0, 2, 1] gives [1, 1, 2]."""
    with framework.name_scope(name, "repeat_range") as whole:
        counts = framework.convert_to_tensor(counts, name="counts")
        size = v1_arrays.shape(counts)[0]

        def write(places: Any, i: Any) -> Any:
            return places.write(i, arrays.fill(counts[i : i + 1], i)), i + 1

        begun = TensorArray(int32, size, infer_shape=False)
        places, written = v1_control_flow.while_loop(
            lambda _, i: i < size, write, [begun, 0]
        )
        return v1_control_flow.cond(
            written > 0, places.concat, lambda: arrays.zeros([0], int32), name=whole
        )


def weighted_resample(
    inputs: Sequence[Any],
    weights: Any,
    overall_rate: Any,
    scope: str | None = None,
    mean_decay: float = 0.999,
    seed: int | None = None,
) -> Any:
    """Return (rows, rates): rows by chance, with rates in proportion to their weights.

    On the whole overall_rate times as many rows come as go in; the mean of weights up to now is
    kept in local variables. rates are those of the rows that come.
    """
    with framework.name_scope(scope, "weighted_resample") as whole:
        with scopes.variable_scope(scope, "estimate_mean", inputs):
            kind = weights.dtype
            kept = get_local_variable(
                "estimated_mean",
                initializer=elementwise.cast(0, kind),
                dtype=kind,
            )
            mean = assign_moving_average(
                kept, numbers.reduce_mean(weights), mean_decay
            )
        rates = weights * overall_rate / mean
        found = resample_at_rate([rates, *inputs], rates, scope=whole, seed=seed)
    return found[1:], found[0]
