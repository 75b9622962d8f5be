"""Models of tf.contrib.learn as SavedModels, and strategies of exporting them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

from tensorlite.compat.v1.contrib.learning.keys import (
    ModeKeys,
    PredictionKey,
    ProblemType,
)
from tensorlite.compat.v1.contrib.learning.model_fns import output_of
from tensorlite.compat.v1.estimators import exporting
from tensorlite.compat.v1.estimators.base import Estimator as CoreEstimator
from tensorlite.compat.v1.estimators.receivers import (
    DEFAULT_KEY,
    PredictOutput,
    ServingInputReceiver,
)
from tensorlite.compat.v1.estimators.specs import EstimatorSpec
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.pipelines.parsing import parse_example
from tensorlite.core.dtypes import string
from tensorlite.core.errors import InvalidArgumentError

_INPUT, _OUTPUT = "default_input_alternative", "default_output_alternative"


class InputFnOps(NamedTuple):
    """Features of a model that is asked, and what is fed for them."""

    features: Any
    labels: Any
    default_inputs: Any


def build_parsing_serving_input_fn(
    feature_spec: Any, default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Return a function that makes features of serialized examples."""

    def input_fn() -> InputFnOps:
        examples = framework.placeholder(
            string, [default_batch_size], "input_example_tensor"
        )
        features = parse_example(examples, feature_spec)
        return InputFnOps(features, None, {"examples": examples})

    return input_fn


def build_default_serving_input_fn(
    features: Any, default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """Return a function that makes placeholders like given features."""

    def input_fn() -> InputFnOps:
        made = {
            name: framework.placeholder(
                x.dtype,
                [default_batch_size, *x.get_shape().as_list()[1:]],
                x.op.name,
            )
            for name, x in features.items()
        }
        return InputFnOps(made, None, made)

    return input_fn


class _Exported:
    """What `exporting.exported` asks: an estimator of which only the model is known."""

    def __init__(
        self, call: Callable[..., Any], serving_input_fn: Any, default: Any
    ) -> None:
        self._call, self._given, self._default = call, serving_input_fn, default
        self._inputs: Any = None

    def receiver(self) -> ServingInputReceiver:
        """Return what the model is asked with."""
        given = self._given()
        if not isinstance(given, InputFnOps) or not given.default_inputs:
            raise InvalidArgumentError(
                "A default input_alternative must be provided."
            )
        self._inputs = given.default_inputs
        return ServingInputReceiver(given.features, given.default_inputs)

    def built_with(self, features: Any, labels: Any, mode: str) -> EstimatorSpec:
        """Return the model with its answers by TensorFlow's names."""
        built = self._call(features, labels, ModeKeys.INFER)
        given = built.output_alternatives
        if not given:
            found = built.predictions
            if not isinstance(found, dict):
                found = {PredictionKey.GENERIC: found}
            given = {_OUTPUT: (ProblemType.UNSPECIFIED, found)}
        chosen = _default(given, self._default)
        told = {key: self._output(*pair) for key, pair in given.items()}
        named = {f"{_INPUT}:{key or 'None'}": x for key, x in told.items()}
        named[DEFAULT_KEY] = told[chosen]
        spec: EstimatorSpec = built.estimator_spec(chosen)
        return spec._replace(export_outputs=named)

    def _output(self, problem: int, found: Any) -> Any:
        """Return what answers: of several inputs or outputs, all that there are."""
        is_plain = problem == ProblemType.LINEAR_REGRESSION and len(found) > 1
        if len(self._inputs) > 1 or is_plain:
            return PredictOutput(found)
        return output_of(problem, found)


def _default(alternatives: Any, wanted: Any) -> Any:
    if wanted:
        if wanted in alternatives:
            return wanted
        raise InvalidArgumentError(
            f"Requested default_output_alternative: {wanted}, but available output_alternatives "
            f"are: {sorted(map(str, alternatives))}"
        )
    if len(alternatives) > 1:
        raise InvalidArgumentError(
            "Please specify a default_output_alternative.  Available output_alternatives are: "
            f"{sorted(map(str, alternatives))}"
        )
    return next(iter(alternatives))


def export(
    call_model_fn: Callable[..., Any],
    base: Any,
    serving_input_fn: Callable[[], Any],
    default: Any,
    assets_extra: Any,
    as_text: bool,
    checkpoint: str,
) -> bytes:
    """Write a SavedModel into a new folder, and return its path."""
    folder = base.decode() if isinstance(base, bytes) else base
    model = _Exported(call_model_fn, serving_input_fn, default)
    given = (model.receiver, assets_extra, as_text, checkpoint)
    return exporting.exported(model, folder, *given)


class _Strategy(NamedTuple):
    name: str
    export_fn: Callable[..., Any]
    strip_default_attrs: Any = None


class ExportStrategy(_Strategy):
    """A name and a function that exports an estimator."""

    def export(
        self,
        estimator: Any,
        export_path: Any,
        checkpoint_path: Any = None,
        eval_result: Any = None,
    ) -> Any:
        """Return what the function gives for those of the arguments that it takes."""
        taken = signature(self.export_fn).parameters
        if "eval_result" in taken and "checkpoint_path" not in taken:
            raise InvalidArgumentError(
                "An export_fn accepting eval_result must also accept checkpoint_path."
            )
        offered = {
            "checkpoint_path": checkpoint_path,
            "eval_result": eval_result,
            "strip_default_attrs": self.strip_default_attrs,
        }
        known = {key: value for key, value in offered.items() if key in taken}
        return self.export_fn(estimator, export_path, **known)


def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: Any = None,
    assets_extra: Any = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: Any = None,
) -> ExportStrategy:
    """Return a strategy that writes SavedModels, of which the newest are kept.

    strip_default_attrs has no effect.
    """

    def export_fn(
        estimator: Any, export_dir_base: Any, checkpoint_path: Any = None
    ) -> Any:
        more = {}
        if default_output_alternative_key is not None:
            if isinstance(estimator, CoreEstimator):
                raise InvalidArgumentError(
                    "default_output_alternative_key is not supported in core Estimator. Given: "
                    f"{default_output_alternative_key}"
                )
            more["default_output_alternative_key"] = default_output_alternative_key
        found = estimator.export_savedmodel(
            export_dir_base,
            serving_input_fn,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            **more,
        )
        _forget(export_dir_base, exports_to_keep)
        return found

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


def _forget(base: Any, count: int | None) -> None:
    """Remove the oldest exports."""
    if count is None:
        return
    folder = Path(base.decode() if isinstance(base, bytes) else base)
    found = [x for x in folder.iterdir() if x.name.isdigit() and len(x.name) == 10]
    for old in sorted(found, key=lambda x: int(x.name))[: max(len(found) - count, 0)]:
        shutil.rmtree(old)
