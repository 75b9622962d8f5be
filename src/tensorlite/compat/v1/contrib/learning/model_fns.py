"""ModelFnOps: what functions give back that build models for tf.contrib.learn."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

from tensorlite.compat.shared import arrays
from tensorlite.compat.shared.values import convert_to_tensor_or_sparse_tensor
from tensorlite.compat.v1.contrib.learning.keys import (
    MetricKey,
    ModeKeys,
    PredictionKey,
    ProblemType,
)
from tensorlite.compat.v1.estimators.receivers import (
    DEFAULT_KEY,
    ClassificationOutput,
    PredictOutput,
    RegressionOutput,
)
from tensorlite.compat.v1.estimators.specs import EstimatorSpec
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import Operation
from tensorlite.core.dtypes import string
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.hooks import SessionRunHook


class _Parts(NamedTuple):
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: dict[str, Any]
    output_alternatives: Any
    training_chief_hooks: list[Any]
    training_hooks: list[Any]
    scaffold: Any
    mode: str


class ModelFnOps(_Parts):
    """What a function that builds a model gives back: what its mode asks for is there."""

    def __new__(
        cls,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Any = None,
        output_alternatives: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
    ) -> Self:
        ModeKeys.validate(mode)
        _check_asked(mode, predictions, loss, train_op)
        if eval_metric_ops is not None and not isinstance(eval_metric_ops, dict):
            raise InvalidArgumentError("eval_metric_ops must be a dict.")
        chief, every = list(training_chief_hooks or ()), list(training_hooks or ())
        for hook in every + chief:
            if not isinstance(hook, SessionRunHook):
                raise DTypeError(
                    "All hooks returned from model_fn must be SessionRunHook instances, got "
                    f"instance of {type(hook)}: {hook}"
                )
        return super().__new__(
            cls,
            _tensors(predictions),
            _scalar(loss),
            _operation(train_op),
            {} if eval_metric_ops is None else eval_metric_ops,
            output_alternatives,
            chief,
            every,
            scaffold,
            mode,
        )

    def estimator_spec(
        self, default_serving_output_alternative_key: Any = None
    ) -> EstimatorSpec:
        """Return the same for tf.estimator.Estimator."""
        told = None
        if self.output_alternatives:
            given = dict(self.output_alternatives)
            if len(given) > 1 and DEFAULT_KEY not in given:
                given[DEFAULT_KEY] = given[default_serving_output_alternative_key]
            told = {key: output_of(*pair) for key, pair in given.items()}
        measured = dict(self.eval_metric_ops)
        measured.pop(MetricKey.LOSS, None)
        return EstimatorSpec(
            self.mode,
            self.predictions,
            self.loss,
            self.train_op,
            measured,
            told,
            self.training_chief_hooks,
            self.training_hooks,
            self.scaffold,
        )


def _check_asked(mode: str, predictions: Any, loss: Any, train_op: Any) -> None:
    if train_op is None and mode == ModeKeys.TRAIN:
        raise InvalidArgumentError("Missing train_op.")
    if loss is None and mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
        raise InvalidArgumentError("Missing loss.")
    if predictions is None and mode in (ModeKeys.INFER, ModeKeys.EVAL):
        raise InvalidArgumentError("Missing predictions.")


def _operation(given: Any) -> Any:
    if given is None or isinstance(given, Operation):
        return given
    return framework.convert_to_tensor(given).op


def _scalar(given: Any) -> Any:
    if given is None:
        return None
    loss = framework.convert_to_tensor(given)
    shape = loss.get_shape()
    if shape.num_elements() not in (None, 1):
        raise InvalidArgumentError(f"Loss must be scalar: {loss}.")
    return loss if shape.is_compatible_with([]) else arrays.reshape(loss, [])


def _tensors(given: Any) -> Any:
    if isinstance(given, dict):
        return {k: convert_to_tensor_or_sparse_tensor(v) for k, v in given.items()}
    return None if given is None else convert_to_tensor_or_sparse_tensor(given)


def scores_of(found: Any) -> Any:
    """Return the scores among predictions, or else the probabilities."""
    scores = found.get(PredictionKey.SCORES)
    return found.get(PredictionKey.PROBABILITIES) if scores is None else scores


def classes_of(found: Any) -> Any:
    """Return the classes among predictions if they are words, else None."""
    classes = found.get(PredictionKey.CLASSES)
    return classes if classes is not None and classes.dtype == string else None


def output_of(problem: int, found: Any) -> Any:
    """Return an answer of tf.estimator's for predictions of a kind of problem."""
    if problem == ProblemType.LINEAR_REGRESSION:
        return RegressionOutput(scores_of(found))
    if problem in (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION):
        return ClassificationOutput(scores_of(found), classes_of(found))
    if problem == ProblemType.UNSPECIFIED:
        return PredictOutput(found)
    raise InvalidArgumentError(f"Unknown problem_type={problem}")
