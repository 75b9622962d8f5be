"""VectorDiffeomixture: vectors moved and stretched by what is between two affine functions.

Dillon and Langmore 2018, "Quadrature Compound: An approximating family of distributions".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tensorlite.compat.shared import arrays, cutting, elementwise, picking
from tensorlite.compat.shared.linear.linear_operator import (
    LinearOperator,
    LinearOperatorLowerTriangular,
    together,
)
from tensorlite.compat.shared.linear.linear_operators import LinearOperatorDiag
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_vectors import (
    AffineLinearOperator,
    SoftmaxCentered,
)
from tensorlite.compat.v1.contrib.distribution_kinds.compounds import (
    even_weights,
    hermite_points,
    last,
    quantiles_between,
)
from tensorlite.compat.v1.contrib.distribution_kinds.continuous import Normal
from tensorlite.compat.v1.contrib.distribution_kinds.discrete import Categorical
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import Distribution
from tensorlite.compat.v1.contrib.distribution_kinds.scales import is_diagonal
from tensorlite.compat.v1.contrib.distribution_kinds.shaped import (
    ShapedDistribution,
    as_parameter,
    new_seed,
)
from tensorlite.compat.v1.contrib.distribution_kinds.vectors_of_others import (
    scalar_base,
)
from tensorlite.compat.v1.functions import (
    arrays as v1_arrays,
    matrices as v1_matrices,
    nn_functions,
    numbers,
)
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    UnimplementedError,
)
from tensorlite.graph_mode.graph import name_scope

_ONLY_TWO = "Currently only bimixtures are supported;"


def _mixing(loc: Any, scale: Any) -> tuple[Any, Any]:
    """Return what is mixed by as tensors, for which the last axis has one element."""
    place = as_parameter(loc, "normal_loc")
    wide = as_parameter(scale, "normal_scale", place.dtype)
    for x, name in ((place, "normal_loc"), (wide, "normal_scale")):
        shape = x.get_shape()
        if shape.rank == 0:
            raise InvalidArgumentError(
                f"Mixing params must be a (batch of) vector; {name}.rank=0 is not at least one."
            )
        if shape.rank is not None and shape[-1].value not in (1, None):
            raise UnimplementedError(
                f"{_ONLY_TWO} {name}.shape[-1]={shape[-1].value} is not 1."
            )
    return place, wide


def quadrature_scheme_softmaxnormal_gauss_hermite(
    normal_loc: Any,
    normal_scale: Any,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return shares of both ends, [..., 2, size], and weights, as Gauss and Hermite choose them."""
    with name_scope(name, "quadrature_scheme_softmaxnormal_gauss_hermite"):
        loc, scale = _mixing(normal_loc, normal_scale)
        places, weights = hermite_points(quadrature_size, loc.dtype)
        share = as_parameter(weights, "probs", loc.dtype)
        odds = loc[..., None] + math.sqrt(2.0) * scale[..., None] * places
        both = arrays.concat([v1_arrays.zeros_like(odds[..., :1, :]), odds], -2)
        return nn_functions.softmax(-both, axis=-2), share


def quadrature_scheme_softmaxnormal_quantiles(
    normal_loc: Any,
    normal_scale: Any,
    quadrature_size: int,
    validate_args: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Return shares of both ends in the middle between quantiles, and weights, which are equal."""
    with name_scope(name, "softmax_normal_grid_and_probs"):
        normal = Normal(*_mixing(normal_loc, normal_scale))
        edges = quantiles_between(normal, quadrature_size)
        shares = last(SoftmaxCentered().forward(edges))
        grid = (shares[..., :-1] + shares[..., 1:]) / 2.0
        outer = normal.batch_shape
        if outer.rank is not None:
            grid.set_shape(outer[:-1].concatenate([2, quadrature_size]))
        return grid, even_weights(quadrature_size, normal.dtype)


class VectorDiffeomixture(ShapedDistribution):
    """Vectors of independent numbers, mapped by what lies between two affine functions.

    How far from either one that is, is drawn; a mixture of `quadrature_size` places stands for it,
    which `quadrature_fn` returns with their weights.
    """

    def __init__(
        self,
        mix_loc: Any,
        temperature: Any,
        distribution: Distribution,
        loc: Sequence[Any] | None = None,
        scale: Sequence[LinearOperator] | None = None,
        quadrature_size: int = 8,
        quadrature_fn: Callable[..., Any] = quadrature_scheme_softmaxnormal_quantiles,
        validate_args: bool = False,
        allow_nan_stats: bool = True,
        name: str = "VectorDiffeomixture",
    ) -> None:
        with name_scope(name) as prefix:
            ends = _ends(loc, scale, validate_args)
            self._ends = [
                AffineLinearOperator(*end, validate_args, f"endpoint_affine_{k}")
                for k, end in enumerate(ends)
            ]
            dtype = ends[0][1].dtype
            place = as_parameter(mix_loc, "mix_loc", dtype)
            warm = as_parameter(temperature, "temperature", dtype)
            self._grid, weights = quadrature_fn(
                place / warm, 1.0 / warm, quadrature_size, validate_args
            )
            self._mixture = Categorical(
                logits=elementwise.log(weights),
                validate_args=validate_args,
                allow_nan_stats=allow_nan_stats,
            )
            scalar_base(distribution, dtype, validate_args)
            self._of = distribution
            between = _between(self._grid, ends)
            self._between = [
                AffineLinearOperator(*one, validate_args, f"interpolated_affine_{k}")
                for k, one in enumerate(between)
            ]
            super().__init__(dtype, prefix, validate_args, allow_nan_stats)

    mixture_distribution = property(lambda self: self._mixture)
    distribution = property(lambda self: self._of)
    grid = property(lambda self: self._grid)
    endpoint_affine = property(lambda self: self._ends)
    interpolated_affine = property(lambda self: self._between)

    def like_draws(self) -> Any:
        """Return a tensor of the shape of a batch of draws, for distributions made of this one."""
        return Distribution.like_draws(self)

    def _parts(self) -> list[Any]:
        """Return tensors whose shapes broadcast to that of a batch of vectors."""
        parts = [self._grid[..., 0, :1]]
        for end in self._ends:
            parts.append(end.scale.to_dense()[..., 0])
            if end.shift is not None:
                parts.append(end.shift)
        return parts

    @property
    def _shape(self) -> Any:
        shapes = [x.get_shape() for x in self._parts()]
        found = shapes[0]
        for shape in shapes[1:]:
            found = cutting.broadcast_static_shape(found, shape)
        return found

    def _batch_shape(self) -> Any:
        found = self._shape
        return None if found.rank is None else found[:-1]

    def _event_shape(self) -> Any:
        found = self._shape
        return [None] if found.rank is None else found[-1:]

    def _whole(self) -> Any:
        shapes = [v1_arrays.shape(x) for x in self._parts()]
        found = shapes[0]
        for shape in shapes[1:]:
            found = cutting.broadcast_dynamic_shape(found, shape)
        return found

    def _batch_shape_tensor(self) -> Any:
        return self._whole()[:-1]

    def _event_shape_tensor(self) -> Any:
        return self._whole()[-1:]

    def _sample_n(self, n: Any, seed: int | None = None) -> Any:
        batch, event = self.batch_shape_tensor(), self.event_shape_tensor()
        drawn = self._of.sample(arrays.concat([[n], batch, event], 0), seed=seed)
        first, second = [end.forward(drawn) for end in self._ends]
        shape = arrays.concat([[n], batch], 0)
        other = new_seed(seed, "vector_diffeomixture")
        chosen = self._mixture.sample(shape, seed=other)
        size = v1_arrays.shape(self._grid)[-1]
        hot = picking.one_hot(chosen, size, dtype=self.dtype)
        share = numbers.reduce_sum(self._grid[..., 0, :] * hot, -1)[..., None]
        return share * (first - second) + second

    def _log_prob(self, x: Any) -> Any:
        y = arrays.stack([one.inverse(x) for one in self._between], axis=-1)
        logs = numbers.reduce_sum(self._of.log_prob(y), axis=-2)
        volumes = [
            one.forward_log_det_jacobian(x, event_ndims=1) for one in self._between
        ]
        each = self._mixture.logits - arrays.stack(volumes, axis=-1) + logs
        return numbers.reduce_logsumexp(each, axis=-1)

    def _middle(self) -> Any:
        """Return the mean of the vectors that are mapped."""
        batch, event = self.batch_shape_tensor(), self.event_shape_tensor()
        return cutting.broadcast_to(self._of.mean(), arrays.concat([batch, event], 0))

    def _weighted(self, each: Sequence[Any]) -> Any:
        """Return the sum of what is told of each place, by its weight."""
        share = self._mixture.probs
        parts = [share[..., k] * x for k, x in enumerate(each)]
        return sum(parts[1:], parts[0])

    def _mean(self) -> Any:
        middle = self._middle()
        return self._weighted([one.forward(middle) for one in self._between])

    def _spread(self) -> Any:
        """Return how far the mean of each place is from that of all."""
        middle, mean = self._middle(), self._mean()
        return [one.forward(middle) - mean for one in self._between]

    def _covariance(self) -> Any:
        wide = [
            x.scale.matmul(x.scale.to_dense(), adjoint_arg=True)
            for x in self._between
        ]
        own = self._weighted(wide) * self._of.variance()[..., None, None]
        apart = [x[..., None] * x[..., None, :] for x in self._spread()]
        return own + self._weighted(apart)

    def _variance(self) -> Any:
        wide = []
        for one in self._between:
            scale = one.scale
            if is_diagonal(scale):
                wide.append(elementwise.square(scale.diag_part()))
            else:
                whole = scale.matmul(scale.to_dense(), adjoint_arg=True)
                wide.append(v1_matrices.matrix_diag_part(whole))
        own = self._weighted(wide) * self._of.variance()[..., None]
        return own + self._weighted([elementwise.square(x) for x in self._spread()])


def _ends(
    loc: Sequence[Any] | None,
    scale: Sequence[LinearOperator] | None,
    validate_args: bool,
) -> list[tuple[Any, LinearOperator]]:
    if not scale or len(scale) < 2:
        raise InvalidArgumentError(
            "Must specify list (or list-like object) of scale LinearOperators, one for each "
            "component with num_component >= 2."
        )
    places = [None] * len(scale) if loc is None else loc
    if len(places) != len(scale):
        raise InvalidArgumentError(
            "loc/scale must be same-length lists (or same-length list-like objects)."
        )
    dtype = scale[0].dtype
    for k, one in enumerate(scale):
        if validate_args and not one.is_positive_definite:
            raise InvalidArgumentError(
                f"scale[{k}].is_positive_definite = {one.is_positive_definite} != True"
            )
        if one.dtype != dtype:
            raise DTypeError(
                f'dtype mismatch; scale[{k}].base_dtype="{one.dtype.name}" != "{dtype.name}"'
            )
    if len(scale) != 2:
        raise UnimplementedError(f"{_ONLY_TWO} len(scale)={len(scale)} is not 2.")
    moved = [
        None if x is None else as_parameter(x, f"loc{k}", dtype)
        for k, x in enumerate(places)
    ]
    return list(zip(moved, scale, strict=True))


def _between(
    grid: Any, ends: list[tuple[Any, LinearOperator]]
) -> list[tuple[Any, LinearOperator]]:
    """Return the affine function at each place of a grid, by its shares of both ends."""
    count = grid.get_shape()[-1].value
    if count is None:
        raise InvalidArgumentError(
            "Num quadrature grid points must be known prior to graph execution."
        )
    shares = [[grid[..., end, k] for end in range(2)] for k in range(count)]
    return [(_place(share, ends), _scale(share, ends)) for share in shares]


def _place(share: list[Any], ends: list[tuple[Any, LinearOperator]]) -> Any:
    parts = [
        one[..., None] * loc
        for one, (loc, _) in zip(share, ends, strict=True)
        if loc is not None
    ]
    return sum(parts[1:], parts[0]) if parts else None


def _scale(
    share: list[Any], ends: list[tuple[Any, LinearOperator]]
) -> LinearOperator:
    """Return the sum of both ends' operators, by shares."""
    scales = [scale for _, scale in ends]
    hints: dict[str, Any] = {
        key: together([getattr(x, key) for x in scales])
        for key in ("is_non_singular", "is_self_adjoint", "is_positive_definite")
    }
    pairs = list(zip(share, scales, strict=True))
    if all(is_diagonal(x) for x in scales):
        parts = [one[..., None] * x.diag_part() for one, x in pairs]
        return LinearOperatorDiag(parts[0] + parts[1], **hints)
    for x in scales:
        if not is_diagonal(x) and not isinstance(x, LinearOperatorLowerTriangular):
            raise UnimplementedError(f"Unsupported Linop type ({type(x).__name__})")
    parts = [one[..., None, None] * x.to_dense() for one, x in pairs]
    return LinearOperatorLowerTriangular(parts[0] + parts[1], **hints)
