"""tf.einsum, by the nodes of TensorFlow 1: products of matrices or of elements, pair by pair."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import mul
from typing import Any

from tensorlite.compat.shared import einsums
from tensorlite.compat.shared.arrays import expand_dims, reshape, shape, transpose
from tensorlite.compat.shared.elementwise import multiply
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.shared.reductions import reduce_sum
from tensorlite.compat.v1.graphs.constants import convert_to_tensor
from tensorlite.compat.views import plain
from tensorlite.core.check import one_of
from tensorlite.core.operand import Operand
from tensorlite.graph_mode.graph import active_graph, name_scope
from tensorlite.ops.linear.einsum import DOTS, LETTERS, Einsum, parsed


def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Any:
    """Return sums of products of tensors, as an equation such as "ij,jk->ik" says.

    Letters name axes; those that are not behind the arrow are summed. Without an arrow, letters
    that come once stay, in the order of the alphabet. "..." stands for axes that broadcast.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1])).tolist()
    [3, 7]
    """
    if active_graph() is None:
        return einsums.einsum(equation, *inputs, **kwargs)
    given, name = einsums.einsum_arguments(inputs, kwargs)
    one_of(equation, str, "einsum: equation", "a text such as 'ij,jk->ik'")
    with name_scope(name, "einsum") as prefix:
        xs = [convert_to_tensor(x, name="input") for x in given]
        spec = Einsum(equation.replace(" ", "")).infer(*[x.spec for x in plain(xs)])
        terms, result = parsed(equation)
        listed = _spelled([*terms, result], [x.spec.rank for x in xs])
        if not result and terms in [[c + c] for c in LETTERS]:
            return matrices.trace(xs[0])
        if listed is None or not _is_pairwise(listed[:-1], listed[-1]):
            return einsums.einsum(equation, *xs, name=prefix)
        made = _of_pairs(xs, listed[:-1], listed[-1])
        made.set_shape(spec.shape)
    return made


def _spelled(terms: list[str], ranks: Sequence[int | None]) -> list[str] | None:
    """Return terms with letters for their ellipses; None where these have no common number."""
    if None in ranks:
        return None
    pairs = zip(terms, ranks, strict=False)
    hidden = {(rank or 0) - len(term) + 1 for term, rank in pairs if DOTS in term}
    if len(hidden) > 1:
        return None
    free = [c for c in LETTERS if not any(c in term for term in terms)]
    dots = "".join(free[: max(hidden, default=0)])
    return [term.replace(DOTS, dots) for term in terms]


def _is_pairwise(terms: list[str], result: str) -> bool:
    """Return whether no label repeats in a term, and none is summed over in more than two."""
    labels = set("".join(terms))
    return all(len(set(term)) == len(term) for term in terms) and all(
        c in result or sum(c in term for term in terms) <= 2 for c in labels
    )


def _of_pairs(xs: list[Any], terms: list[str], result: str) -> Any:
    made, labels = xs[0], terms[0]
    for x, term in zip(xs[1:], terms[1:], strict=True):
        made, labels = _joined(made, labels, x, term, result)
    over = [i for i, c in enumerate(labels) if c not in result]
    if over:
        made = reduce_sum(made, over)
        labels = "".join(c for c in labels if c in result)
    return _turned(made, labels, result)


def _joined(x: Any, mine: str, y: Any, theirs: str, result: str) -> tuple[Any, str]:
    """Return the product of two tensors, summed over what both have and the result lacks."""
    both = sorted(set(mine) & set(theirs))
    kept = "".join(c for c in both if c in result)
    summed = "".join(c for c in both if c not in result)
    left = "".join(sorted(set(mine) - set(both)))
    right = "".join(sorted(set(theirs) - set(both)))
    x = _turned(x, mine, kept + left + summed)
    y = _turned(y, theirs, kept + summed + right)
    join = _matrix_product if summed else _element_product
    return join(x, y, len(kept), len(left), len(right)), kept + left + right


def _element_product(x: Any, y: Any, kept: int, left: int, right: int) -> Any:
    for _ in range(right):
        x = expand_dims(x, -1)
    for _ in range(left):
        y = expand_dims(y, kept)
    return multiply(x, y)


def _matrix_product(x: Any, y: Any, kept: int, left: int, right: int) -> Any:
    ours = _sizes(x)
    here, there = ours[:kept], ours[kept : kept + left]
    x = _shaped(x, [*here, _count(there), _count(ours[kept + left :])])
    others = _sizes(y)
    behind = len(others) - right
    sums, free = others[kept:behind], others[behind:]
    y = _shaped(y, [*others[:kept], _count(sums), _count(free)])
    return _shaped(matrices.matmul(x, y), [*here, *there, *free])


def _sizes(x: Any) -> list[Any]:
    """Return the sizes of a tensor: numbers where they are known."""
    known = x.get_shape().as_list()
    if None not in known:
        return list(known)
    told = shape(x)
    return [told[i] if n is None else n for i, n in enumerate(known)]


def _count(sizes: list[Any]) -> Any:
    return reduce(mul, sizes, 1)


def _shaped(x: Any, sizes: list[Any]) -> Any:
    """Return a tensor of other sizes; the same where it has these."""
    is_known = not any(isinstance(n, Operand) for n in sizes)
    return x if is_known and sizes == x.get_shape().as_list() else reshape(x, sizes)


def _turned(x: Any, labels: str, wanted: str) -> Any:
    """Return a tensor with its axes in another order."""
    order = [labels.index(c) for c in wanted]
    return x if order == sorted(order) else transpose(x, order)
