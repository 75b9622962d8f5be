"""Keras' optimizers in graphs: updates are the nodes, and have the names, of TensorFlow 1.

What they compute elsewhere is of tensorlite/train; classes that programs write are called as
written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat import v1
from tensorlite.compat.v1 import raw_ops
from tensorlite.compat.v2.keras.src.models.in_graphs import writes
from tensorlite.compat.v2.keras.src.optimizers import base
from tensorlite.compat.v2.keras.src.optimizers.rates import Called, Decaying, settable
from tensorlite.compat.views import plain, shown
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.graph import built, get_default_graph, name_scope

_RULES: dict[str, type[Rule]] = {}
"""How an optimizer updates, by the name of its class."""


class Rule:
    """Writes the updates of an optimizer for variables of a dtype."""

    def __init__(self, optimizer: Any, dtype: Any, leads: bool) -> None:
        self.optimizer, self.dtype = optimizer, dtype
        self.leads = leads
        """Whether what is kept for all variables is changed with those of this dtype."""
        self.prepare()

    def __init_subclass__(cls, of: str) -> None:
        _RULES[of] = cls

    def prepare(self) -> None:
        """Compute what all updates take."""
        self.rate = v1.identity(self._decayed())

    def _decayed(self) -> Any:
        held = self.optimizer.rate_in_graph
        steps = self.optimizer.iterations
        if isinstance(held, Called):
            return v1.cast(shown(held.function()), self.dtype)
        if settable(held) is None:
            step = v1.cast(steps, self.dtype)
            with built(get_default_graph()):
                found = held(plain(step))
            return v1.cast(shown(found), self.dtype)
        rate = self._number("learning_rate")
        if not isinstance(held, Decaying):
            return rate
        count = v1.cast(steps, self.dtype)
        return rate / (1.0 + self._number("decay") * count)

    def _number(self, name: str) -> Any:
        held = self.optimizer.numbers_in_graph[name]
        return (
            held if held.dtype.base_dtype is self.dtype else v1.cast(held, self.dtype)
        )

    def hyper(self, name: str) -> Any:
        """Return a hyperparameter as it is when the step begins."""
        return v1.identity(self._number(name))

    def constant(self, value: Any) -> Any:
        """Return a number as a constant."""
        return v1.convert_to_tensor(value, self.dtype)

    def slot(self, variable: Any, name: str) -> Any:
        """Return what is kept beside a variable."""
        return self.optimizer.get_slot(variable, name)

    def dense(self, gradient: Any, variable: Any) -> Any:
        """Return what updates a variable."""
        raise NotImplementedError("a rule says how a variable is updated")

    def sparse(self, gradient: Any, variable: Any, rows: Any) -> Any:
        """Return what updates rows of a variable, no row twice."""
        raise NotImplementedError("a rule says how rows are updated")

    def repeated(self, gradient: Any, variable: Any, rows: Any) -> Any:
        """Return what updates rows of a variable that may be named twice."""
        found, places = v1.unique(rows)
        count = v1.shape(found)[0]
        total = v1.unsorted_segment_sum(gradient, places, count)
        return self.sparse(total, variable, found)


def added(variable: Any, rows: Any, values: Any) -> Any:
    """Return a variable once values are added to rows of it."""
    change = raw_ops.ResourceScatterAdd(
        resource=variable.handle, indices=rows, updates=values
    )
    with v1.control_dependencies([change]):
        return variable.value()


def fading(variable: Any, share: Any, rows: Any, values: Any) -> Any:
    """Return a mean that moves on: a share of all that it was, and values added to rows."""
    with v1.control_dependencies([v1.assign(variable, variable * share)]):
        return added(variable, rows, values)


def faded(variable: Any, share: Any, rows: Any, values: Any) -> tuple[Any, Any]:
    """Return a mean that moves on, and its rows that values were added to."""
    whole = fading(variable, share, rows, values)
    with v1.control_dependencies([whole]):
        return whole, v1.gather(whole, rows)


class _Descent(Rule, of="SGD"):
    def prepare(self) -> None:
        super().prepare()
        self.momentum = self.hyper("momentum")

    def _told(self, variable: Any) -> dict[str, Any]:
        held = self.slot(variable, "momentum")
        return {
            "var": variable.handle,
            "accum": held.handle,
            "lr": self.rate,
            "momentum": self.momentum,
            "use_nesterov": self.optimizer.nesterov,
        }

    def dense(self, gradient: Any, variable: Any) -> Any:
        if self.optimizer.momentum:
            told = self._told(variable)
            return raw_ops.ResourceApplyKerasMomentum(grad=gradient, **told)
        return raw_ops.ResourceApplyGradientDescent(
            var=variable.handle, alpha=self.rate, delta=gradient
        )

    def sparse(self, gradient: Any, variable: Any, rows: Any) -> Any:
        return raw_ops.ResourceSparseApplyKerasMomentum(
            grad=gradient, indices=rows, **self._told(variable)
        )

    def repeated(self, gradient: Any, variable: Any, rows: Any) -> Any:
        if self.optimizer.momentum:
            return super().repeated(gradient, variable, rows)
        return raw_ops.ResourceScatterAdd(
            resource=variable.handle, indices=rows, updates=-gradient * self.rate
        )


class _Moments(Rule, of="Adam"):
    def prepare(self) -> None:
        super().prepare()
        step = v1.cast(self.optimizer.iterations + 1, self.dtype)
        first, second = self.hyper("beta_1"), self.hyper("beta_2")
        first_power, second_power = v1.pow(first, step), v1.pow(second, step)
        self.whole_rate = self.rate * (v1.sqrt(1 - second_power) / (1 - first_power))
        self.epsilon = self.constant(self.optimizer.epsilon)
        self.rest_of_first, self.rest_of_second = 1 - first, 1 - second
        self.told = {
            "beta1_power": first_power,
            "beta2_power": second_power,
            "lr": self.rate,
            "beta1": first,
            "beta2": second,
            "epsilon": self.epsilon,
        }

    def dense(self, gradient: Any, variable: Any) -> Any:
        m, v = self.slot(variable, "m"), self.slot(variable, "v")
        told = {"var": variable.handle, "m": m.handle, "v": v.handle, **self.told}
        if not self.optimizer.amsgrad:
            return raw_ops.ResourceApplyAdam(grad=gradient, **told)
        largest = self.slot(variable, "vhat").handle
        return raw_ops.ResourceApplyAdamWithAmsgrad(
            grad=gradient, vhat=largest, **told
        )

    def sparse(self, gradient: Any, variable: Any, rows: Any) -> Any:
        m, v = self.slot(variable, "m"), self.slot(variable, "v")
        share = gradient * self.rest_of_first
        mean = fading(m, self.told["beta1"], rows, share)
        share = (gradient * gradient) * self.rest_of_second
        squares = fading(v, self.told["beta2"], rows, share)
        kept = [mean, squares]
        if self.optimizer.amsgrad:
            held = self.slot(variable, "vhat")
            largest = v1.maximum(held, squares)
            with v1.control_dependencies([largest]):
                squares = v1.assign(held, largest)
            kept.append(squares)
        root = v1.sqrt(squares)
        change = self.whole_rate * mean / (root + self.epsilon)
        return v1.group(v1.assign_sub(variable, change), *kept)


class _Roots(Rule, of="RMSprop"):
    def prepare(self) -> None:
        super().prepare()
        rho = self.hyper("rho")
        self.negative = -self.rate
        self.epsilon = self.constant(self.optimizer.epsilon)
        momentum = self.hyper("momentum")
        self.rho, self.rest = rho, 1.0 - rho
        self.told = {
            "lr": self.rate,
            "rho": rho,
            "momentum": momentum,
            "epsilon": self.epsilon,
        }

    def _by_kernel(self, variable: Any, gradient: Any, kind: str, **rows: Any) -> Any:
        told = {
            "var": variable.handle,
            "ms": self.slot(variable, "rms").handle,
            "mom": self.slot(variable, "momentum").handle,
            **self.told,
        }
        centered = "Centered" if self.optimizer.centered else ""
        if centered:
            told["mg"] = self.slot(variable, "mg").handle
        kernel = getattr(raw_ops, f"Resource{kind}Apply{centered}RMSProp")
        return kernel(grad=gradient, **told, **rows)

    def dense(self, gradient: Any, variable: Any) -> Any:
        if self.optimizer.momentum:
            return self._by_kernel(variable, gradient, "")
        held = self.slot(variable, "rms")
        squares = v1.assign(held, self.rho * held + self.rest * v1.square(gradient))
        if self.optimizer.centered:
            held = self.slot(variable, "mg")
            mean = v1.assign(held, self.rho * held + self.rest * gradient)
            squares = squares - v1.square(mean)
        step = self.rate * gradient / (v1.sqrt(squares) + self.epsilon)
        return v1.assign(variable, variable - step).op

    def sparse(self, gradient: Any, variable: Any, rows: Any) -> Any:
        if self.optimizer.momentum:
            return self._by_kernel(variable, gradient, "Sparse", indices=rows)
        held = self.slot(variable, "rms")
        share = (gradient * gradient) * self.rest
        squares, of_rows = faded(held, self.rho, rows, share)
        kept = [squares]
        if self.optimizer.centered:
            held = self.slot(variable, "mg")
            mean, means = faded(held, self.rho, rows, gradient * self.rest)
            kept.append(mean)
            of_rows = of_rows - v1.square(means)
        step = self.negative * gradient / (v1.sqrt(of_rows) + self.epsilon)
        return v1.group(added(variable, rows, step), *kept)


class _Sums(Rule, of="Adagrad"):
    def prepare(self) -> None:
        super().prepare()
        self.epsilon = self.constant(self.optimizer.epsilon)
        _ = -self.rate, v1.zeros((), dtype="int64")  # TensorFlow has nodes of them

    def _told(self, variable: Any) -> dict[str, Any]:
        held = self.slot(variable, "accumulator")
        return {
            "var": variable.handle,
            "accum": held.handle,
            "lr": self.rate,
            "epsilon": self.epsilon,
        }

    def dense(self, gradient: Any, variable: Any) -> Any:
        return raw_ops.ResourceApplyAdagradV2(grad=gradient, **self._told(variable))

    def sparse(self, gradient: Any, variable: Any, rows: Any) -> Any:
        return raw_ops.ResourceSparseApplyAdagradV2(
            grad=gradient, indices=rows, **self._told(variable)
        )


class _Deltas(Rule, of="Adadelta"):
    def prepare(self) -> None:
        super().prepare()
        self.epsilon = self.constant(self.optimizer.epsilon)
        self.rho = self.hyper("rho")

    def _told(self, variable: Any) -> dict[str, Any]:
        return {
            "var": variable.handle,
            "accum": self.slot(variable, "accum_grad").handle,
            "accum_update": self.slot(variable, "accum_var").handle,
            "lr": self.rate,
            "rho": self.rho,
            "epsilon": self.epsilon,
        }

    def dense(self, gradient: Any, variable: Any) -> Any:
        return raw_ops.ResourceApplyAdadelta(grad=gradient, **self._told(variable))

    def sparse(self, gradient: Any, variable: Any, rows: Any) -> Any:
        return raw_ops.ResourceSparseApplyAdadelta(
            grad=gradient, indices=rows, **self._told(variable)
        )


class _Largest(Rule, of="Adamax"):
    def prepare(self) -> None:
        super().prepare()
        step = v1.cast(self.optimizer.iterations + 1, self.dtype)
        first, second = self.hyper("beta_1"), self.hyper("beta_2")
        power = v1.pow(first, step)
        self.negative = -self.rate / (1 - power)
        self.epsilon = self.constant(self.optimizer.epsilon)
        self.rest = 1 - first
        self.zero = v1.zeros((), dtype="int64")
        self.first, self.second, self.power = first, second, power

    def dense(self, gradient: Any, variable: Any) -> Any:
        return raw_ops.ResourceApplyAdaMax(
            var=variable.handle,
            m=self.slot(variable, "m").handle,
            v=self.slot(variable, "v").handle,
            beta1_power=self.power,
            lr=self.rate,
            beta1=self.first,
            beta2=self.second,
            epsilon=self.epsilon,
            grad=gradient,
        )

    def sparse(self, gradient: Any, variable: Any, rows: Any) -> Any:
        m, v = self.slot(variable, "m"), self.slot(variable, "v")
        before = v1.gather(m, rows, axis=self.zero)
        means = before * self.first + gradient * self.rest
        mean = self._updated(m, rows, means)
        before = v1.gather(v, rows, axis=self.zero)
        most = v1.maximum(before * self.second, v1.abs(gradient))
        largest = self._updated(v, rows, most)
        step = self.negative * (means / (most + self.epsilon))
        with v1.control_dependencies([step]):
            update = added(variable, rows, step)
        return v1.group(update, mean, largest)

    def _updated(self, variable: Any, rows: Any, values: Any) -> Any:
        with v1.control_dependencies([values]):
            change = raw_ops.ResourceScatterUpdate(
                resource=variable.handle, indices=rows, updates=values
            )
            with v1.control_dependencies([change]):
                return variable.value()


class _Ahead(Rule, of="Nadam"):
    def prepare(self) -> None:
        cache = self.optimizer.momentum_cache
        read = v1.identity(cache)
        self.rate = self.hyper("learning_rate")
        first, second = self.hyper("beta_1"), self.hyper("beta_2")
        steps = self.optimizer.iterations
        step = v1.cast(steps + 1, self.dtype)
        following = v1.cast(steps + 2, self.dtype)
        base = v1.cast(0.96, self.dtype)
        decay = self.optimizer.schedule_decay
        now = first * (1.0 - 0.5 * v1.pow(base, decay * step))
        then = first * (1.0 - 0.5 * v1.pow(base, decay * following))
        product = v1.cast(read, self.dtype) * now
        if self.leads:
            kept = cache.dtype.base_dtype
            same = self.dtype is kept
            held = v1.assign(cache, product if same else v1.cast(product, kept))
            product = v1.identity(held) if same else v1.cast(held, self.dtype)
        product_then = product * then
        self.negative = -self.rate
        self.epsilon = self.constant(self.optimizer.epsilon)
        self.first, self.second, self.then = first, second, then
        self.rest_of_first, self.rest_of_second = 1 - first, 1 - second
        self.rest_of_now = 1.0 - now
        self.rest_of_product = 1.0 - product
        self.rest_of_then = 1.0 - product_then
        self.share_of_squares = 1.0 - v1.pow(second, step)

    def dense(self, gradient: Any, variable: Any) -> Any:
        m, v = self.slot(variable, "m"), self.slot(variable, "v")
        own = gradient / self.rest_of_product
        mean = v1.assign(m, self.first * m + self.rest_of_first * gradient)
        ahead = mean / self.rest_of_then
        squares = self.second * v + self.rest_of_second * v1.square(gradient)
        squares = v1.assign(v, squares) / self.share_of_squares
        both = self.rest_of_now * own + self.then * ahead
        step = self.rate * both / (v1.sqrt(squares) + self.epsilon)
        return v1.assign(variable, variable - step).op

    def sparse(self, gradient: Any, variable: Any, rows: Any) -> Any:
        m, v = self.slot(variable, "m"), self.slot(variable, "v")
        own = gradient / self.rest_of_product
        share = gradient * self.rest_of_first
        _, means = faded(m, self.first, rows, share)
        both = self.rest_of_now * own + self.then * (means / self.rest_of_then)
        share = (gradient * gradient) * self.rest_of_second
        squares, of_rows = faded(v, self.second, rows, share)
        root = v1.sqrt(of_rows / self.share_of_squares) + self.epsilon
        update = added(variable, rows, self.negative * both / root)
        return v1.group(update, both, squares)


class _Leader(Rule, of="Ftrl"):
    def prepare(self) -> None:
        super().prepare()
        power = self.hyper("learning_rate_power")
        first = self.hyper("l1_regularization_strength")
        second = self.hyper("l2_regularization_strength")
        numbers = self.optimizer.numbers()
        shrinkage = numbers["l2_shrinkage_regularization_strength"]
        told = v1.cast(shrinkage, self.dtype)
        self.told = {"lr": self.rate, "l1": first, "l2": second, "lr_power": power}
        self.version = ""
        if shrinkage > 0.0:
            self.version, self.told["l2_shrinkage"] = "V2", told

    def dense(self, gradient: Any, variable: Any) -> Any:
        return self._by_kernel(variable, gradient, "")

    def sparse(self, gradient: Any, variable: Any, rows: Any) -> Any:
        return self._by_kernel(variable, gradient, "Sparse", indices=rows)

    def _by_kernel(self, variable: Any, gradient: Any, kind: str, **rows: Any) -> Any:
        kernel = getattr(raw_ops, f"Resource{kind}ApplyFtrl{self.version}")
        return kernel(
            var=variable.handle,
            accum=self.slot(variable, "accumulator").handle,
            linear=self.slot(variable, "linear").handle,
            grad=gradient,
            **self.told,
            **rows,
        )


def _rule_of(optimizer: Any) -> Callable[[Any, Any, bool], Rule] | None:
    """Return how an optimizer updates; None where a program says it, or more is asked for."""
    if optimizer.asks_for_more():
        return None
    names = (kind.__name__ for kind in type(optimizer).__mro__)
    return next((_RULES[name] for name in names if name in _RULES), None)


@writes(base.Optimizer.get_gradients)
def get_gradients(self: Any, loss: Any, params: Any) -> Any:
    if _rule_of(self) is None:
        return NotImplemented
    with name_scope(f"{self.name}/gradients"):
        found = v1.gradients(loss, params)
        missing = [x.name for x, g in zip(params, found, strict=True) if g is None]
        if missing:
            raise InvalidArgumentError(
                f"Variable {missing[0]} has `None` for gradient. Please make sure that all of "
                "your ops have a gradient defined (i.e. are differentiable). Common ops without "
                "gradient: K.argmax, K.round, K.eval."
            )
        return _clipped(self, found)


def _clipped(optimizer: Any, gradients: list[Any]) -> Any:
    """Return gradients clipped as an optimizer was asked to."""
    most, norm = optimizer.clipvalue, optimizer.clipnorm
    if norm is not None:
        return [v1.clip_by_norm(g, norm) for g in gradients]
    if most is not None:
        return [v1.clip_by_value(g, -most, most) for g in gradients]
    if optimizer.global_clipnorm is not None:
        return v1.clip_by_global_norm(gradients, optimizer.global_clipnorm)[0]
    return gradients


@writes(base.Optimizer._apply_pairs)  # noqa: SLF001  what applies gradients
def apply_pairs(self: Any, given: list[tuple[Any, Any]]) -> Any:
    make, pairs = _rule_of(self), [(g, v) for g, v in given if g is not None]
    if make is None or not pairs:
        return NotImplemented
    if not self.are_clipped:
        found = _clipped(self, [g for g, _ in pairs])
        pairs = [(g, v) for g, (_, v) in zip(found, pairs, strict=True)]
    variables = [v for _, v in pairs]
    with name_scope(self.name) as scope:
        self.build_in(scope, variables)
        kinds = list(dict.fromkeys(v.dtype.base_dtype for v in variables))
        rules = {dtype: make(self, dtype, dtype is kinds[0]) for dtype in kinds}
        with name_scope(self.name):
            done = [_updated(rules, g, v) for g, v in pairs]
            with v1.control_dependencies(done):
                return v1.assign_add(self.iterations, 1).op


def _updated(rules: dict[Any, Rule], gradient: Any, variable: Any) -> Any:
    rule = rules[variable.dtype.base_dtype]
    with name_scope(f"update_{variable.op.name}"):
        if isinstance(gradient, IndexedSlices):
            return rule.repeated(gradient.values, variable, gradient.indices)
        update = rule.dense(gradient, variable)
        if variable.constraint is None:
            return update
        with v1.control_dependencies([update]):
            return v1.assign(variable, variable.constraint(variable.value()))
