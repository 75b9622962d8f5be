"""tf.keras.wrappers.scikit_learn: models as estimators of scikit-learn, which makes them anew."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from inspect import signature
from types import FunctionType, MethodType
from typing import Any, Self

import numpy as np

from tensorlite.compat.missing import listing
from tensorlite.compat.v2.keras.models import Sequential
from tensorlite.compat.v2.keras.utils import to_categorical
from tensorlite.core.errors import InvalidArgumentError

_METHODS = (
    Sequential.fit,
    Sequential.predict,
    Sequential.predict_classes,
    Sequential.evaluate,
)


class BaseWrapper:
    """What builds a model of the arguments that are searched, and trains it.

    `sk_params` has arguments of `build_fn` and of the model's methods. Without a `build_fn` the
    class's own `__call__` builds.
    """

    model: Any

    def __init__(self, build_fn: Any = None, **sk_params: Any) -> None:
        self.build_fn = build_fn
        self.sk_params = sk_params
        self.check_params(sk_params)

    def _builder(self) -> Callable[..., Any]:
        """Return the function that builds, whose arguments are known."""
        if self.build_fn is None:
            own: Callable[..., Any] = self.__call__  # type: ignore[operator]
            return own
        if isinstance(self.build_fn, (FunctionType, MethodType)):
            return self.build_fn
        called: Callable[..., Any] = self.build_fn.__call__
        return called

    def check_params(self, params: Any) -> None:
        """Refuse what neither `build_fn` nor a method of models takes."""
        functions = [*_METHODS, self._builder()]
        for name in params:
            if not any(_takes(function, name) for function in functions):
                raise InvalidArgumentError(f"{name} is not a legal parameter")

    def get_params(self, **params: Any) -> dict[str, Any]:
        """Return copies of sk_params, and build_fn; params has no effect."""
        return {**deepcopy(self.sk_params), "build_fn": self.build_fn}

    def set_params(self, **params: Any) -> Self:
        """Change sk_params, which are checked, and return the wrapper."""
        self.check_params(params)
        self.sk_params.update(params)
        return self

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Build a model, and train it."""
        build = self._builder()
        self.model = build(**self.filter_sk_params(build))
        given = self.filter_sk_params(Sequential.fit)
        return self.model.fit(x, self._labels(y), **{**deepcopy(given), **kwargs})

    def filter_sk_params(
        self, fn: Callable[..., Any], override: Any = None
    ) -> dict[str, Any]:
        """Return those of the arguments that a function takes."""
        taken = {k: x for k, x in self.sk_params.items() if _takes(fn, k)}
        return {**taken, **(override or {})}

    def _labels(self, y: Any) -> Any:
        """Return classes as rows, if the model's loss compares rows."""
        loss = getattr(self.model.loss, "__name__", self.model.loss)
        by_rows = "categorical_crossentropy", "CategoricalCrossentropy"
        is_row = loss in by_rows or type(loss).__name__ in by_rows
        return to_categorical(y) if is_row and np.ndim(y) != 2 else y

    def _judged(self, x: Any, y: Any, given: Any) -> list[Any]:
        """Return the loss, and what metrics say."""
        kwargs = self.filter_sk_params(Sequential.evaluate, given)
        found = self.model.evaluate(x, y, **kwargs)
        return found if isinstance(found, list) else [found]


class KerasClassifier(BaseWrapper):
    """A model that says classes."""

    classes_: Any

    def fit(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Build the model and train it on classes, or on one-hot rows; return the History."""
        labels = np.array(y)
        if labels.ndim not in (1, 2):
            raise InvalidArgumentError(f"Invalid shape for y: {labels.shape}")
        if labels.ndim == 2 and labels.shape[1] > 1:
            self.classes_ = np.arange(labels.shape[1])
        else:
            self.classes_ = np.unique(labels)
            labels = np.searchsorted(self.classes_, labels)
        self.n_classes_ = len(self.classes_)
        return super().fit(x, labels, **kwargs)

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """Return the likeliest class of each row, as the labels named it."""
        given = self.filter_sk_params(Sequential.predict_classes, kwargs)
        return self.classes_[self.model.predict_classes(x, **given)]

    def predict_proba(self, x: Any, **kwargs: Any) -> Any:
        """Return the chances of classes: of two, if the model says that of one."""
        given = self.filter_sk_params(Sequential.predict, kwargs)
        chances = self.model.predict(x, **given)
        return np.hstack([1 - chances, chances]) if chances.shape[1] == 1 else chances

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Return how many classes are right, which is a metric of the model."""
        labels = self._labels(np.searchsorted(self.classes_, y))
        found = self._judged(x, labels, kwargs)
        for name, value in zip(self.model.metrics_names, found, strict=False):
            if name in {"accuracy", "acc"}:
                return value
        raise InvalidArgumentError(
            "The model is not configured to compute accuracy. You should pass "
            '`metrics=["accuracy"]` to the `model.compile()` method.'
        )


class KerasRegressor(BaseWrapper):
    """A model that says numbers."""

    def predict(self, x: Any, **kwargs: Any) -> Any:
        """Return the numbers that the model says, without a last axis of size 1."""
        given = self.filter_sk_params(Sequential.predict, kwargs)
        return np.squeeze(self.model.predict(x, **given), axis=-1)

    def score(self, x: Any, y: Any, **kwargs: Any) -> Any:
        """Return the loss with its sign turned, as more is better."""
        return -self._judged(x, y, kwargs)[0]


def _takes(function: Callable[..., Any], name: str) -> bool:
    return name in signature(function).parameters


__dir__ = listing("v1.keras.wrappers.scikit_learn", globals())
