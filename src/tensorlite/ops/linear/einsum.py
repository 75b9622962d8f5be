"""Einsum: sums of products written as an equation, and tensordot, which is one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import several
from tensorlite.core.dispatch import call, constant, promoted
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Call, Grads, Op
from tensorlite.core.spec import Dim, Dims, TensorSpec, broadcast, normalise_axes
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp
from tensorlite.ops.arrays.arrange import moveaxis
from tensorlite.ops.arrays.pieces import sliced
from tensorlite.ops.arrays.shape import astype, shape_of
from tensorlite.ops.arrays.stack import same_dtypes, together
from tensorlite.ops.linear.diagonal import identity_like
from tensorlite.ops.math.arithmetic import broadcast_to, conjugated, sum, sum_to

__all__ = ["einsum", "tensordot"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
LETTERS += LETTERS.upper()
DOTS = "."
"""One character that stands for an ellipsis inside a term."""


class Einsum(Op):
    """Products of tensors, summed over the axes whose labels the result lacks."""

    aliases = True
    equation: str

    def infer(self, *xs: TensorSpec) -> TensorSpec:
        """Return the sizes of the result's labels; errors when operands do not fit the equation."""
        terms, result = parsed(self.equation)
        if len(terms) != len(xs):
            raise InvalidArgumentError(
                f"einsum: {self.equation!r} names {len(terms)} operands, not {len(xs)}"
            )
        same_dtypes("einsum", xs)
        _numbers(xs[0])
        sizes: dict[str, Dim] = {}
        dots: list[Dims | None] = []
        for term, x in zip(terms, xs, strict=True):
            dots.append(_read(self.equation, term, x, sizes))
        middle = broadcast(*dots)
        if DOTS in result and middle is None:
            return xs[0].with_shape(None)
        if middle and DOTS not in result:
            raise ShapeError(
                f"einsum: {self.equation!r} has axes under an ellipsis, and none in its result; "
                "write it there, too"
            )
        shape = [
            n for c in result for n in ((middle or ()) if c == DOTS else (sizes[c],))
        ]
        return xs[0].with_shape(shape)

    def kernel(self, xp: Xp, *xs: Array) -> Array:
        """Return the sum of products; two operands meet in a matrix product where they can."""
        made = xp.einsum(self.equation, *xs, optimize=len(xs) > 1)
        # Products of bfloat16 come as float32.
        return made.astype(xs[0].dtype, copy=False)

    def grad(self, call: Call, dy: Tensor) -> Grads:
        """Return for each operand an einsum of the gradient and the others."""
        terms, result = parsed(self.equation)
        xs = call.inputs
        return tuple(
            [_operand_gradient(xs, terms, result, i, dy) for i in range(len(xs))]
        )


def _numbers(x: TensorSpec) -> None:
    if not x.dtype.is_numeric:
        raise DTypeError(
            f"einsum takes numbers, not {x.dtype!r}; cast with tl.astype"
        )


def parsed(equation: str) -> tuple[list[str], str]:
    """Return the operands' terms and the result's; DOTS stands for an ellipsis."""
    text = equation.replace(" ", "").replace("...", DOTS)
    left, arrow, result = text.partition("->")
    terms = left.split(",")
    if not arrow:
        counts = Counter("".join(terms))
        dots = DOTS if counts.pop(DOTS, 0) else ""
        result = dots + "".join(sorted(c for c, n in counts.items() if n == 1))
    used, made = Counter("".join(terms)), Counter(result)
    wrong = [c for c in used | made if c != DOTS and c not in LETTERS]
    missing = [c for c in made if c not in used or made[c] > 1]
    if wrong or missing or any(term.count(DOTS) > 1 for term in terms):
        raise InvalidArgumentError(
            f"einsum: {equation!r} is no equation such as 'ij,jk->ik': the labels are letters or "
            "one ellipsis a term, and each in the result is there once and in an operand"
        )
    return terms, result


def _written(terms: Sequence[str], result: str) -> str:
    return f"{','.join(terms)}->{result}".replace(DOTS, "...")


def _read(
    equation: str, term: str, x: TensorSpec, sizes: dict[str, Dim]
) -> Dims | None:
    """Note the sizes of a term's labels, and return those under its ellipsis."""
    labels = term.replace(DOTS, "")
    if x.shape is None:
        sizes.update({c: sizes.get(c) for c in labels})
        return None if DOTS in term else ()
    hidden = len(x.shape) - len(labels)
    if hidden < 0 or (hidden and DOTS not in term):
        raise ShapeError(
            f"einsum: the term {term.replace(DOTS, '...')!r} does not fit {x}"
        )
    start = term.index(DOTS) if DOTS in term else len(term)
    shown = (*x.shape[:start], *x.shape[start + hidden :])
    for label, size in zip(labels, shown, strict=True):
        known = sizes.get(label)
        if None not in (known, size) and known != size:
            raise ShapeError(
                f"einsum: {equation!r} gives {label!r} the sizes {known} and {size}"
            )
        sizes[label] = size if known is None else known
    return x.shape[start : start + hidden]


def _operand_gradient(
    xs: Sequence[Tensor], terms: Sequence[str], result: str, i: int, dy: Tensor
) -> Tensor:
    """Return the gradient of one operand.

    A label that only this operand has is spread by ones, one that it repeats (a diagonal) is put
    on the diagonal by an identity matrix: then all of it is an einsum, whose gradient is one.
    """
    x, term = xs[i], terms[i]
    operands: list[Tensor] = [dy]
    given = [result]
    for j, other in enumerate(xs):
        if j != i:
            operands.append(conjugated(other))
            given.append(terms[j])
    wanted, extra = _distinct(term, "".join([*given, term]))
    for place, label in enumerate(wanted):
        ones = None if label == DOTS else _needed(label, extra, given)
        if ones is not None:
            vector = _ones(x, term, place)
            operands.append(identity_like(vector) if len(ones) == 2 else vector)
            given.append(ones)
    dots = DOTS if any(DOTS in one for one in given) else ""
    whole = call(Einsum(_written(given, dots + wanted.replace(DOTS, ""))), *operands)
    return sum_to(_dots_put_back(whole, x, term, bool(dots)), x)


def _distinct(term: str, taken: str) -> tuple[str, dict[str, str]]:
    """Return a term with repeated labels replaced by free ones, and which each stands for."""
    free = iter([c for c in LETTERS if c not in taken])
    wanted, extra = "", dict[str, str]()
    for label in term:
        if label in wanted and label != DOTS:
            fresh = next(free)
            extra[fresh] = label
            wanted += fresh
        else:
            wanted += label
    return wanted, extra


def _needed(label: str, extra: dict[str, str], given: Sequence[str]) -> str | None:
    """Return the term of the ones or identity that brings a label in, if nothing else does."""
    if label in extra:
        return extra[label] + label
    return None if any(label in one for one in given) else label


def _ones(x: Tensor, term: str, place: int) -> Tensor:
    """Return a vector of ones as long as the axis of `x` that stands at `place` in its term."""
    one = constant(np.ones((), x.dtype.numpy))
    if DOTS in term[:place]:
        place += x.ndim - len(term)
    return broadcast_to(one, sliced(shape_of(x), constant([place]), constant([1])))


def _dots_put_back(whole: Tensor, x: Tensor, term: str, dots: bool) -> Tensor:
    """Return a gradient whose ellipsis came first with it where the operand's term has it."""
    if not dots or term == DOTS or (DOTS in term and term.index(DOTS) == 0):
        return whole
    labels = len(term.replace(DOTS, ""))
    ahead = whole.ndim - labels
    mine = x.ndim - labels
    if ahead > mine:
        whole = sum(whole, axis=tuple(range(ahead - mine)))
    if not mine:
        return whole
    at = term.index(DOTS)
    return moveaxis(whole, tuple(range(mine)), tuple(range(at, at + mine)))


def einsum(equation: str, /, *operands: TensorLike) -> Tensor:
    """Return the products of tensors summed as `equation` says, such as `"ij,jk->ik"`.

    Labels repeated in one term take a diagonal, an ellipsis stands for axes that broadcast, and
    without an arrow the result has the labels that appear once. More than two operands are joined
    pair by pair, in an order that NumPy's `einsum_path` finds cheap where sizes are known.

    >>> print(tl.einsum("ij,j->i", [[1, 2], [3, 4]], [10, 100]))
    [210 430]
    """
    if not isinstance(equation, str):
        raise DTypeError(
            f"einsum: the equation comes first, as in 'ij,jk->ik', not {equation!r}"
        )
    terms, result = parsed(equation)
    tensors = together(operands, "einsum")
    _numbers(tensors[0].spec)
    if tensors[0].dtype is dtypes.bfloat16:
        wide = [astype(x, dtypes.float32) for x in tensors]
        return astype(einsum(equation, *wide), dtypes.bfloat16)
    known = all(x.spec.is_static for x in tensors)
    if (
        len(tensors) < 3
        or DOTS in "".join(terms)
        or len(terms) != len(tensors)
        or not known
    ):
        return call(Einsum(_written(terms, result)), *tensors)
    return _pairwise(terms, result, tensors)


def _pairwise(terms: list[str], result: str, tensors: list[Tensor]) -> Tensor:
    terms = list(terms)
    for pair in _path(terms, result, tensors):
        chosen = [(terms.pop(i), tensors.pop(i)) for i in sorted(pair, reverse=True)]
        later = "".join(terms) + result
        joined = dict.fromkeys("".join(term for term, _ in chosen))
        kept = "".join(c for c in joined if c in later) if terms else result
        given, operands = zip(*chosen, strict=True)
        tensors.append(call(Einsum(_written(given, kept)), *operands))
        terms.append(kept)
    return tensors[0]


def _path(
    terms: Sequence[str], result: str, tensors: Sequence[Tensor]
) -> list[tuple[int, ...]]:
    equation = _written(terms, result)
    Einsum(equation).infer(*[x.spec for x in tensors])
    shapes = [np.broadcast_to(np.float32(0), x.shape) for x in tensors]
    return list(np.einsum_path(equation, *shapes, optimize="greedy")[0][1:])


def tensordot(
    x1: TensorLike, x2: TensorLike, /, *, axes: int | Sequence[Sequence[int]] = 2
) -> Tensor:
    """Return the sum of products over pairs of axes: the last and first `axes`, or those listed.

    >>> tl.tensordot(tl.ones((2, 3, 4)), tl.ones((4, 3, 5)), axes=((1, 2), (1, 0))).shape
    (2, 5)
    """
    a, b = promoted(x1, x2)
    mine, others = _contracted(a.ndim, b.ndim, axes)
    letters = iter(LETTERS)
    first = [next(letters) for _ in range(a.ndim)]
    second = [next(letters) for _ in range(b.ndim)]
    for i, j in zip(mine, others, strict=True):
        second[j] = first[i]
    summed = {first[i] for i in mine}
    result = "".join(c for c in first + second if c not in summed)
    return einsum(_written(["".join(first), "".join(second)], result), a, b)


_AXES = "a number of axes, or two lists of them"


def _contracted(
    rank_a: int, rank_b: int, axes: int | Sequence[Sequence[int]]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(axes, int):
        if not 0 <= axes <= min(rank_a, rank_b):
            raise ShapeError(
                f"tensordot: axes={axes} for tensors of ranks {rank_a} and {rank_b}"
            )
        return tuple(range(rank_a - axes, rank_a)), tuple(range(axes))
    if len(several(axes, "tensordot: axes", _AXES)) != 2:
        raise InvalidArgumentError(f"tensordot: axes={axes!r}; give {_AXES}")
    first, second = axes
    if len(first) != len(second):
        raise ShapeError(
            f"tensordot: {len(first)} axes meet {len(second)}; list as many of each"
        )
    return normalise_axes(first, rank_a), normalise_axes(second, rank_b)
