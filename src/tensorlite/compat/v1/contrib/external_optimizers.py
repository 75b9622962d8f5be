"""Optimizers of other packages that minimise a graph's loss: those of scipy.optimize."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from tensorlite.compat.shared import logging
from tensorlite.compat.shared.arrays import concat, reshape
from tensorlite.compat.v1.functions.arrays import zeros_like
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.sessions import get_default_session

Function = Callable[[np.ndarray], Any]


class ExternalOptimizerInterface:
    """Minimises a loss by `_minimize`, which works on one vector of all variables."""

    def __init__(
        self,
        loss: Any,
        var_list: Any = None,
        equalities: Sequence[Any] | None = None,
        inequalities: Sequence[Any] | None = None,
        var_to_bounds: Any = None,
        **optimizer_kwargs: Any,
    ) -> None:
        self._loss = loss
        self._equalities = list(equalities or ())
        self._inequalities = list(inequalities or ())
        self._vars = (
            scopes.trainable_variables() if var_list is None else list(var_list)
        )
        self._packed_bounds = self._bounds(var_to_bounds)
        self._slopes = self._slope(loss)
        self._slopes_of_equalities = [self._slope(x) for x in self._equalities]
        self._slopes_of_inequalities = [self._slope(x) for x in self._inequalities]
        self._places = [framework.placeholder(v.dtype, v.shape) for v in self._vars]
        pairs = zip(self._vars, self._places, strict=True)
        self._updates = framework.group(*[v.assign(x) for v, x in pairs])
        self.optimizer_kwargs = optimizer_kwargs

    def _bounds(self, given: Any) -> list[tuple[Any, Any]] | None:
        """Return the least and greatest value of each number."""
        if given is None:
            return None
        found: list[tuple[Any, Any]] = []
        for variable in self._vars:
            sizes, bounds = self._sizes(variable), (-np.inf, np.inf)
            for key, own in given.items():
                bounds = own if key is variable else bounds
            both = [np.broadcast_to(x, sizes).ravel().tolist() for x in bounds]
            found += list(zip(*both, strict=True))
        return found

    def _sizes(self, variable: Any) -> list[int]:
        sizes: list[int] = variable.get_shape().as_list()
        return sizes

    def _slope(self, value: Any) -> Any:
        """Return the gradient by all variables, as one vector."""
        slopes = framework.gradients(value, self._vars)
        found = [
            reshape(_dense(slope, variable), [-1])
            for variable, slope in zip(self._vars, slopes, strict=True)
        ]
        return found[0] if len(found) == 1 else concat(found, 0)

    def _parted(self, packed: np.ndarray) -> list[np.ndarray]:
        """Return the value of each variable in a vector of all."""
        sizes = [self._sizes(v) for v in self._vars]
        ends = np.cumsum([int(np.prod(x)) for x in sizes])[:-1]
        parts = zip(np.split(np.asarray(packed), ends), sizes, strict=True)
        return [part.reshape(size) for part, size in parts]

    def minimize(
        self,
        session: Any = None,
        feed_dict: Any = None,
        fetches: Any = None,
        step_callback: Callable[..., Any] | None = None,
        loss_callback: Callable[..., Any] | None = None,
        **run_kwargs: Any,
    ) -> None:
        """Minimise the loss and assign the variables what was found.

        Gradients and values are run in the session, the default one if None, with feed_dict.
        step_callback gets the vector of variables after each step, loss_callback the fetches after
        each evaluation. Without any session InvalidArgumentError is raised.
        """
        session = session or get_default_session()
        if session is None:
            raise InvalidArgumentError(
                "minimize: there is no default session; give one: minimize(session)"
            )
        evaluator = partial(self._evaluator, session, feed_dict or {}, fetches or ())

        def each(values: Sequence[Any]) -> list[Function]:
            return [evaluator([value]) for value in values]

        first = session.run(self._vars)
        begin = np.concatenate([np.ravel(x) for x in first])
        found = self._minimize(
            initial_val=begin,
            loss_grad_func=evaluator([self._loss, self._slopes], loss_callback),
            equality_funcs=each(self._equalities),
            equality_grad_funcs=each(self._slopes_of_equalities),
            inequality_funcs=each(self._inequalities),
            inequality_grad_funcs=each(self._slopes_of_inequalities),
            packed_bounds=self._packed_bounds,
            step_callback=step_callback or (lambda x: None),
            optimizer_kwargs=self.optimizer_kwargs,
        )
        fed = dict(zip(self._places, self._parted(found), strict=True))
        session.run(self._updates, feed_dict=fed, **run_kwargs)

    def _evaluator(
        self,
        session: Any,
        feed_dict: Any,
        fetches: Sequence[Any],
        asked: Sequence[Any],
        tell: Callable[..., Any] | None = None,
    ) -> Function:
        """Return a function from the vector of variables to what is asked; it tells the fetches."""

        def evaluate(x: np.ndarray) -> Any:
            fed = dict(zip(self._vars, self._parted(x), strict=True))
            found = session.run([*asked, *fetches], fed | dict(feed_dict))
            if tell is not None:
                tell(*found[len(asked) :])
            kept = found[: len(asked)]
            return kept if len(kept) > 1 else kept[0]

        return evaluate

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Any,
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        """Return the vector at which the loss is least."""
        raise NotImplementedError(
            "To use ExternalOptimizerInterface, subclass from it and implement the _minimize() "
            "method."
        )


def _dense(slope: Any, variable: Any) -> Any:
    """Return a gradient as a tensor, zeros where there is none."""
    if slope is None:
        return zeros_like(variable.value())
    if isinstance(slope, IndexedSlices):
        return framework.convert_to_tensor(slope)
    return slope


def _double(loss_grad_func: Function) -> Function:
    """Return loss and gradient in double precision, in which the routines of SciPy work."""

    def found(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = loss_grad_func(x)
        return float(value), np.asarray(slope, np.float64)

    return found


class ScipyOptimizerInterface(ExternalOptimizerInterface):
    """Minimises a loss by scipy.optimize.minimize, by L-BFGS-B unless another method is named."""

    _DEFAULT_METHOD = "L-BFGS-B"

    def _minimize(
        self,
        initial_val: Any,
        loss_grad_func: Any,
        equality_funcs: Any,
        equality_grad_funcs: Any,
        inequality_funcs: Any,
        inequality_grad_funcs: Any,
        packed_bounds: Any,
        step_callback: Any,
        optimizer_kwargs: Any,
    ) -> Any:
        optimize = import_module("scipy.optimize")
        kinds = [
            ("eq", equality_funcs, equality_grad_funcs),
            ("ineq", inequality_funcs, inequality_grad_funcs),
        ]
        constraints = [
            {"type": kind, "fun": value, "jac": slope}
            for kind, values, slopes in kinds
            for value, slope in zip(values, slopes, strict=True)
        ]
        given = dict(optimizer_kwargs)
        method = given.pop("method", self._DEFAULT_METHOD)

        asked = {
            "jac": True,
            "callback": step_callback,
            "method": method,
            "constraints": constraints,
            "bounds": packed_bounds,
        }
        taken = sorted(set(asked) & set(given))
        if taken:
            raise InvalidArgumentError(
                f"Optimizer keyword arg {taken[0]!r} is set automatically and cannot be injected "
                "manually"
            )
        result = optimize.minimize(
            _double(loss_grad_func), initial_val.astype(np.float64), **asked, **given
        )
        logging.info(
            "Optimization terminated with:\n  Message: %s\n  Objective function value: %f",
            result.message,
            result.fun,
        )
        return result["x"]
