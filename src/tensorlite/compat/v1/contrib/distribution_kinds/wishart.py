"""Wishart's distribution of matrices: sums of products of normal vectors with themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tensorlite.compat.shared import arrays, checks, elementwise
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.linear.linear_operator import (
    LinearOperator,
    LinearOperatorLowerTriangular,
)
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1 import random
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import Distribution
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    new_seed,
)
from tensorlite.compat.v1.contrib.distribution_kinds.validating import (
    positive,
    validated,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    matrices as v1_matrices,
    numbers,
)
from tensorlite.compat.v1.graphs.framework import convert_to_tensor
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import name_scope

log, square = elementwise.log, elementwise.square


class _Wishart(ShapedDistribution):
    """Sums of `df` products of normal vectors with themselves, of a covariance.

    Matrices are taken and given as their Cholesky factors if `cholesky_input_output_matrices`.
    """

    def __init__(
        self,
        df: Any,
        scale_operator: LinearOperator,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str | None = None,
    ) -> None:
        self._as_factors = cholesky_input_output_matrices
        with name_scope(name or type(self).__name__) as prefix, name_scope("init"):
            dtype = scale_operator.dtype
            if not dtype.is_floating:
                raise DTypeError(
                    f"scale_operator.dtype={dtype!r} is not a floating-point type"
                )
            if not scale_operator.is_square:
                raise InvalidArgumentError("scale_operator must be square.")
            self._scale = scale_operator
            self._df = convert_to_tensor(df, dtype, name="df")
            size = scale_operator.shape[-1].value
            if size is None:
                size = scale_operator.domain_dimension_tensor()
                self._dimension = elementwise.cast(size, dtype, name="dimension")
            else:
                self._dimension = convert_to_tensor(size, dtype, name="dimension")
            self._check_df(validate_args)
        super().__init__(dtype, prefix, validate_args, allow_nan_stats)

    def _check_df(self, validate_args: bool) -> None:
        known, size = get_static_value(self._df), get_static_value(self._dimension)
        told = "Degrees of freedom (df = {}) cannot be less than dimension of scale matrix"
        if known is not None and size is not None:
            if np.any(known < size):
                raise InvalidArgumentError(
                    f"{told.format(known)} (scale.dimension = {size})"
                )
            return
        least, message = self._dimension, told.format(self._df)
        self._df = validated(
            validate_args,
            self._df,
            lambda x: checks.assert_less_equal(least, x, message=message),
        )

    df = property(lambda self: self._df)
    scale_operator = property(lambda self: self._scale)
    cholesky_input_output_matrices = property(lambda self: self._as_factors)
    dimension = property(lambda self: self._dimension)

    def scale(self) -> Any:
        """Return the covariance of the vectors, or its Cholesky factor."""
        return self._scale.to_dense() if self._as_factors else self._squared()

    def _squared(self) -> Any:
        return self._scale.matmul(self._scale.to_dense(), adjoint_arg=True)

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        return Distribution.like_draws(self)

    def _batch_shape(self) -> Any:
        return self._scale.batch_shape

    def _event_shape(self) -> Any:
        size = self._scale.domain_dimension
        return [size, size]

    def _batch_shape_tensor(self) -> Any:
        return self._scale.batch_shape_tensor()

    def _event_shape_tensor(self) -> Any:
        size = self._scale.domain_dimension_tensor()
        return arrays.stack([size, size])

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        # Bartlett's decomposition: a triangle of normal numbers, roots of gammas on its diagonal.
        batch, event = self.batch_shape_tensor(), self.event_shape_tensor()
        shape = arrays.concat([[n], batch, event], 0)
        drawn = random.normal(shape, dtype=self.dtype, seed=seed)
        own = self._scale.batch_shape_tensor()
        df = self._df * arrays.ones(own, self.dtype)
        alpha = self._multi_gamma_sequence(0.5 * df, self._dimension)
        other = new_seed(seed, "wishart")
        sums = random.gamma([n], alpha, 0.5, self.dtype, other)
        lower = matrices.band_part(drawn, -1, 0)
        lower = v1_matrices.matrix_set_diag(lower, elementwise.sqrt(sums))
        found = self._scale.matmul(lower)
        if self._as_factors:
            return found
        return matrices.matmul(found, found, adjoint_b=True)

    def _log_prob(self, x: Any) -> Any:
        factor = x if self._as_factors else matrices.cholesky(x)
        apart = self._scale.solve(factor)
        trace = numbers.reduce_sum(square(apart), axis=[-2, -1])
        logs = log(v1_matrices.matrix_diag_part(factor))
        half = numbers.reduce_sum(logs, axis=[-1])
        found = (self._df - self._dimension - 1.0) * half
        return found - 0.5 * trace - self.log_normalization()

    def _prob(self, x: Any) -> Any:
        return elementwise.exp(self._log_prob(x))

    def _entropy(self) -> Any:
        size, half = self._dimension, 0.5 * self._df
        middle = 0.5 * size + 0.5
        found = size * (half + middle * math.log(2.0))
        found += 2 * middle * self._scale.log_abs_determinant()
        found += self._multi_lgamma(half, size)
        return found + (middle - half) * self._multi_digamma(half, size)

    def _mean(self) -> Any:
        if self._as_factors:
            return elementwise.sqrt(self._df) * self._scale.to_dense()
        return self._df * self._squared()

    def _variance(self) -> Any:
        x = elementwise.sqrt(self._df) * self._squared()
        d = v1_arrays.expand_dims(v1_matrices.matrix_diag_part(x), -1)
        found = square(x) + matrices.matmul(d, d, adjoint_b=True)
        return matrices.cholesky(found) if self._as_factors else found

    def _stddev(self) -> Any:
        if self._as_factors:
            raise InvalidArgumentError(
                "Computing std. dev. when is cholesky_input_output_matrices=True does not "
                "make sense."
            )
        return matrices.cholesky(self.variance())

    def _mode(self) -> Any:
        s = self._df - self._dimension - 1.0
        nan = elementwise.cast(math.nan, self.dtype)
        s = v1_arrays.where_v2(s < 0.0, nan, s)
        if self._as_factors:
            return elementwise.sqrt(s) * self._scale.to_dense()
        return s * self._squared()

    def mean_log_det(self, name: str = "mean_log_det") -> Any:
        """Return the mean of log |det| of what is drawn."""
        with self._name_scope(name):
            found = self._multi_digamma(0.5 * self._df, self._dimension)
            found = found + self._dimension * math.log(2.0)
            return found + 2 * self._scale.log_abs_determinant()

    def log_normalization(self, name: str = "log_normalization") -> Any:
        """Return the logarithm of what densities are divided by."""
        with self._name_scope(name):
            found = self._df * self._scale.log_abs_determinant()
            found = found + 0.5 * self._df * self._dimension * math.log(2.0)
            return found + self._multi_lgamma(0.5 * self._df, self._dimension)

    def _multi_gamma_sequence(
        self, a: Any, p: Any, name: str = "multi_gamma_sequence"
    ) -> Any:
        """Return a, a - 1 / 2, a - 1 and so on, as many as p."""
        with self._name_scope(name):
            zero = elementwise.cast(0.0, self.dtype)
            steps = arrays.linspace(zero, 0.5 - 0.5 * p, elementwise.cast(p, int32))
            return steps + v1_arrays.expand_dims(a, [-1])

    def _multi_lgamma(self, a: Any, p: Any, name: str = "multi_lgamma") -> Any:
        with self._name_scope(name):
            each = elementwise.lgamma(self._multi_gamma_sequence(a, p))
            whole = 0.25 * p * (p - 1.0) * math.log(math.pi)
            return whole + numbers.reduce_sum(each, axis=[-1])

    def _multi_digamma(self, a: Any, p: Any, name: str = "multi_digamma") -> Any:
        with self._name_scope(name):
            each = elementwise.digamma(self._multi_gamma_sequence(a, p))
            return numbers.reduce_sum(each, axis=[-1])


def _operator(lower: Any) -> LinearOperator:
    return LinearOperatorLowerTriangular(
        lower, is_non_singular=True, is_positive_definite=True, is_square=True
    )


class WishartCholesky(_Wishart):
    """Wishart's distribution, by the Cholesky factor of the vectors' covariance."""

    def __init__(
        self,
        df: Any,
        scale: Any,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartCholesky",
    ) -> None:
        check = positive("scale must be positive definite")

        def is_square(x: Any) -> Any:
            shape = v1_arrays.shape(x)
            message = "scale must be square"
            return checks.assert_equal(shape[-1], shape[-2], message=message)

        with name_scope(name) as prefix:
            with name_scope("init"):
                lower = validated(
                    validate_args,
                    convert_to_tensor(scale),
                    lambda x: check(v1_matrices.matrix_diag_part(x)),
                    is_square,
                )
            super().__init__(
                df,
                _operator(lower),
                cholesky_input_output_matrices,
                validate_args,
                allow_nan_stats,
                prefix,
            )


class WishartFull(_Wishart):
    """Wishart's distribution, by the vectors' covariance."""

    def __init__(
        self,
        df: Any,
        scale: Any,
        cholesky_input_output_matrices: bool = False,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "WishartFull",
    ) -> None:
        def is_symmetric(x: Any) -> Any:
            other = matrices.matrix_transpose(x)
            return checks.assert_equal(x, other, message="matrix was not symmetric.")

        with name_scope(name) as prefix, name_scope("init"):
            whole = validated(validate_args, convert_to_tensor(scale), is_symmetric)
            lower = validated(
                validate_args,
                matrices.cholesky(whole),
                lambda x: positive()(v1_matrices.matrix_diag_part(x)),
            )
        super().__init__(
            df,
            _operator(lower),
            cholesky_input_output_matrices,
            validate_args,
            allow_nan_stats,
            prefix,
        )
