"""estimator_head_distribution_regression: a head whose labels a distribution of logits draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared import arrays
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import Distribution
from tensorlite.compat.v1.contrib.learning import head_parts
from tensorlite.compat.v1.contrib.learning.heads import RegressionHead
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.views import plain
from tensorlite.core.errors import DTypeError
from tensorlite.graph_mode.graph import name_scope


class _DistributionHead(RegressionHead):
    """A head for numbers, whose loss is how unlikely they are, and whose answer is the mean."""

    def __init__(
        self, make_distribution_fn: Callable[..., Distribution], *args: Any
    ) -> None:
        if not callable(make_distribution_fn):
            raise DTypeError("`make_distribution_fn` must be a callable function.")
        self._make, self._made = make_distribution_fn, dict[int, Any]()
        self.distributions: dict[Any, Distribution] = {}
        super().__init__(*args)

    def distribution(self, logits: Any, name: str | None = None) -> Distribution:
        """Return the distribution of logits, which is made once."""
        with name_scope(name, "distribution"):
            key = id(plain(logits))
            if key not in self._made:
                self._made[key] = logits, self._make(logits)
                self.distributions[key] = self._made[key][1]
            found: Distribution = self._made[key][1]
            return found

    def default_loss(
        self, labels: Any, logits: Any, weights: Any = None
    ) -> tuple[Any, Any]:
        """Return the mean of how unlikely labels are, by the logarithm."""
        own = self.distribution(logits)
        outer = labels.get_shape()[:-1]
        sizes: Any = v1_arrays.shape(labels)[:-1]
        if outer.is_fully_defined():
            sizes = outer.as_list()
        shape = arrays.concat([sizes, own.event_shape_tensor()], 0)
        each = -own.log_prob(arrays.reshape(labels, shape))
        return head_parts.weighted(each, weights)

    def link(self, logits: Any) -> Any:
        """Return the means."""
        return self.distribution(logits).mean()


def estimator_head_distribution_regression(
    make_distribution_fn: Callable[..., Distribution],
    label_dimension: int = 1,
    logits_dimension: int | None = None,
    label_name: str | None = None,
    weight_column_name: str | None = None,
    enable_centered_bias: bool = False,
    head_name: str | None = None,
) -> Any:
    """Return a head for labels that are drawn by what make_distribution_fn makes of logits."""
    return _DistributionHead(
        make_distribution_fn,
        label_dimension if logits_dimension is None else logits_dimension,
        label_name,
        weight_column_name,
        enable_centered_bias,
        head_name,
    )
