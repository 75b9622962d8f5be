"""tf.estimator.export: what exported models are given, and what they answer with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.signatures import (
    classification_signature_def,
    predict_signature_def,
    regression_signature_def,
)
from tensorlite.compat.v1.pipelines import parsing
from tensorlite.core.dtypes import string
from tensorlite.core.errors import DTypeError, InvalidArgumentError

__all__ = [
    "ClassificationOutput",
    "EvalOutput",
    "ExportOutput",
    "PredictOutput",
    "RegressionOutput",
    "ServingInputReceiver",
    "TensorServingInputReceiver",
    "build_parsing_serving_input_receiver_fn",
    "build_raw_serving_input_receiver_fn",
]

DEFAULT_KEY = "serving_default"


class ServingInputReceiver(NamedTuple):
    """Features of a model that is asked from outside, and the tensors that are fed for them."""

    features: Any
    receiver_tensors: Any
    receiver_tensors_alternatives: Any = None


class TensorServingInputReceiver(ServingInputReceiver):
    """The same where the features are one tensor."""


def _by_name(tensors: Any, single: str) -> dict[str, Any]:
    return dict(tensors) if isinstance(tensors, Mapping) else {single: tensors}


class ExportOutput:
    """What a model answers with, which a signature says to those that ask."""

    def as_signature_def(self, receiver_tensors: Mapping[str, Any]) -> Any:
        """Return the SignatureDef for these receivers; subclasses say how."""
        raise NotImplementedError(f"{type(self).__name__} has no signature")


@dataclass(frozen=True)
class PredictOutput(ExportOutput):
    """Tensors by their names."""

    given: Any

    @property
    def outputs(self) -> dict[str, Any]:
        """The tensors by their names; a single one is called "output"."""
        return _by_name(self.given, "output")

    def as_signature_def(self, receiver_tensors: Mapping[str, Any]) -> Any:
        """Return a SignatureDef for predicting."""
        return predict_signature_def(dict(receiver_tensors), self.outputs)


def _examples(receiver_tensors: Mapping[str, Any], what: str) -> Any:
    """Return the one tensor of examples that a signature of this kind is given."""
    listed = list(receiver_tensors.values())
    if len(listed) != 1 or listed[0].dtype is not string:
        raise InvalidArgumentError(
            f"{what} signatures can only have one input, of serialized examples; got "
            f"{sorted(receiver_tensors)}"
        )
    return listed[0]


@dataclass(frozen=True)
class ClassificationOutput(ExportOutput):
    """Classes, scores, or both."""

    scores: Any = None
    classes: Any = None

    def __post_init__(self) -> None:
        if self.scores is None and self.classes is None:
            raise InvalidArgumentError(
                "At least one of scores and classes must be set."
            )
        if self.classes is not None and self.classes.dtype is not string:
            raise DTypeError(
                f"Classification classes must be strings: {self.classes}"
            )

    def as_signature_def(self, receiver_tensors: Mapping[str, Any]) -> Any:
        """Return a SignatureDef for classifying, whose input is one tensor of examples."""
        examples = _examples(receiver_tensors, "Classification")
        return classification_signature_def(examples, self.classes, self.scores)


@dataclass(frozen=True)
class RegressionOutput(ExportOutput):
    """Numbers."""

    value: Any

    def as_signature_def(self, receiver_tensors: Mapping[str, Any]) -> Any:
        """Return a SignatureDef for regression, whose input is one tensor of examples."""
        examples = _examples(receiver_tensors, "Regression")
        return regression_signature_def(examples, self.value)


class EvalOutput(ExportOutput):
    """What a model is judged by."""

    def __init__(
        self, loss: Any = None, predictions: Any = None, metrics: Any = None
    ) -> None:
        self.loss, self.predictions, self.metrics = loss, predictions, metrics


def outputs_of(export_outputs: Any, predictions: Any) -> dict[str, ExportOutput]:
    """Return what a model answers with, one of them being asked for by default."""
    if export_outputs is None:
        return {DEFAULT_KEY: PredictOutput(predictions)}
    for key, value in export_outputs.items():
        if not isinstance(value, ExportOutput):
            raise DTypeError(
                "Values in export_outputs must be ExportOutput objects. "
                f"Given: {key}: {value}"
            )
    found = dict(export_outputs)
    if DEFAULT_KEY in found:
        return found
    if len(found) > 1:
        raise InvalidArgumentError(
            f"Multiple `export_outputs` were provided, but none of them is specified as the "
            f"default: {sorted(found)}; one must be {DEFAULT_KEY!r}"
        )
    return {**found, DEFAULT_KEY: next(iter(found.values()))}


def signatures(receiver: Any, outputs: Mapping[str, ExportOutput]) -> dict[str, Any]:
    """Return the signatures of a model; those that its inputs do not fit are left out."""
    fed = _by_name(receiver.receiver_tensors, "input")
    found = {}
    for key, output in outputs.items():
        try:
            found[key] = output.as_signature_def(fed)
        except InvalidArgumentError:
            continue
    others = getattr(receiver, "receiver_tensors_alternatives", None) or {}
    for name, tensors in others.items():
        for key, output in outputs.items():
            try:
                made = output.as_signature_def(_by_name(tensors, "input"))
            except InvalidArgumentError:
                continue
            found[f"{name}:{key}"] = made
    return found


def build_parsing_serving_input_receiver_fn(
    feature_spec: Any, default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Return a function that makes features of serialized tf.train.Examples, which are fed."""

    def serving_input_receiver_fn() -> ServingInputReceiver:
        examples = framework.placeholder(
            string, [default_batch_size], "input_example_tensor"
        )
        features = parsing.parse_example(examples, feature_spec)
        return ServingInputReceiver(features, {"examples": examples})

    return serving_input_receiver_fn


def build_raw_serving_input_receiver_fn(
    features: Any, default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """Return a function that makes features that are fed themselves, with batches of any size.

    features are tensors, or arrays, whose dtypes and shapes they have.
    """

    def placeholder(name: str, like: Any) -> Any:
        tensor = framework.convert_to_tensor(like)
        sizes = tensor.get_shape().as_list()[1:]
        return framework.placeholder(tensor.dtype, [default_batch_size, *sizes], name)

    def serving_input_receiver_fn() -> ServingInputReceiver:
        fed = {name: placeholder(name, x) for name, x in features.items()}
        return ServingInputReceiver(dict(fed), fed)

    return serving_input_receiver_fn


__dir__ = listing("v1.estimator.export", globals())


def __getattr__(name: str) -> object:
    raise attribute_error("v1.estimator.export", name, __all__)
