"""Losses over many classes that look at a sample of them: sampled softmax and noise contrast."""

from __future__ import annotations

from collections.abc import Sequence
from math import log as log_of

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import whole
from tensorlite.core.dispatch import floating, to_tensor
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.arrays.arrange import expand_dims, size
from tensorlite.ops.arrays.create import zeros_like
from tensorlite.ops.arrays.gather import sizes
from tensorlite.ops.arrays.identity import stop_gradient
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.shape import astype, reshape, shape_of
from tensorlite.ops.linear.matmul import matmul
from tensorlite.ops.math.arithmetic import sum
from tensorlite.ops.math.compare import equal, where
from tensorlite.ops.math.elementwise import log
from tensorlite.ops.nn.embedding import Strategy, embedding_lookup
from tensorlite.ops.nn.losses import sigmoid_cross_entropy, softmax_cross_entropy
from tensorlite.ops.random import philox
from tensorlite.ops.random.generators import Source, global_generator

__all__ = ["log_uniform_candidates", "nce_loss", "sampled_softmax_loss"]

Candidates = tuple[Tensor, Tensor, Tensor]
_HIDDEN = -1e30


class LogUniformCandidates(Op):
    """Classes drawn by Zipf's law, and how often true and drawn ones are expected among them."""

    differentiable = False
    host = (1, 2)
    num_sampled: int
    range_max: int
    unique: bool = True

    def infer(
        self, labels: TensorSpec, key: TensorSpec, counter: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the classes, and expectations shaped as the labels and as the classes."""
        if not labels.dtype.is_integer:
            raise DTypeError(f"{self.name} takes integer labels, not {labels}")
        self.check()
        vector = (self.num_sampled,)
        return (
            TensorSpec(vector, dtypes.int64),
            TensorSpec(labels.shape, dtypes.float32),
            TensorSpec(vector, dtypes.float32),
        )

    def check(self) -> None:
        """Raise InvalidArgumentError when there are not as many classes as are to be drawn."""
        whole(self.num_sampled, f"{self.name}: num_sampled")
        whole(self.range_max, f"{self.name}: num_classes")
        if self.num_sampled < 1 or (
            self.unique and self.num_sampled > self.range_max
        ):
            raise InvalidArgumentError(
                f"{self.name}: {self.num_sampled} classes of {self.range_max} cannot be drawn; "
                "draw at least one, and no more than there are unless unique=False"
            )

    def kernel(
        self, xp: Xp, labels: Array, key: Array, counter: Array
    ) -> tuple[Array, Array, Array]:
        """Return classes and expectations; the few classes are drawn in host memory."""
        self.check()
        drawn, tries = self.draw(to_host(key), counter)
        expected = [self.expected(np, drawn, tries), self.expected(xp, labels, tries)]
        return xp.asarray(drawn), expected[1], xp.asarray(expected[0])

    def draw(self, key: Array, counter: Array) -> tuple[Array, int]:
        """Return the classes, and how many were drawn until they were all there."""
        count = self.num_sampled
        if not self.unique:
            return self.classes(philox.bits(np, key, counter, 2 * count)), count
        total = 2 * count
        while True:
            drawn = self.classes(philox.bits(np, key, counter, 2 * total))
            _, first = np.unique(drawn, return_index=True)
            if first.size >= count:
                places = np.sort(first)[:count]
                return drawn[places], int(places[-1]) + 1
            total *= 2

    def classes(self, words: Array) -> Array:
        """Return the class for each two words: class c with weight log(1 + 1/(c+1))."""
        shares = philox.uniforms(words.reshape(-1, 2)).ravel()
        places = np.exp(shares * np.log1p(self.range_max)).astype(np.int64) - 1
        return places % self.range_max

    def expected(self, xp: Xp, classes: Array, tries: int) -> Array:
        """Return how often classes are expected among those drawn in so many tries."""
        p = self.probabilities(xp, classes)
        if tries == self.num_sampled:
            return (p * tries).astype(xp.float32)
        return (-xp.expm1(tries * xp.log1p(-p))).astype(xp.float32)

    def probabilities(self, xp: Xp, classes: Array) -> Array:
        """Return the probability of each of some classes."""
        wide = classes.astype(xp.float64)
        return xp.log1p(1 / (wide + 1)) / log_of(self.range_max + 1)


def log_uniform_candidates(
    labels: TensorLike,
    num_sampled: int,
    range_max: int,
    unique: bool = True,
    generator: Source | None = None,
) -> Candidates:
    """Return drawn classes, and how often each label and each drawn class is expected there.

    Class c of `range_max` has probability log(1 + 1 / (c + 1)) / log(range_max + 1), as in data
    whose classes are numbered by falling frequency (TensorFlow's LogUniformCandidateSampler).

    >>> source = tl.random.Seed((1, 2))
    >>> drawn, _, _ = tl.nn.log_uniform_candidates([[0]], 4, 4, generator=source)
    >>> print(tl.sort(drawn))
    [0 1 2 3]
    """
    op = LogUniformCandidates(num_sampled, range_max, unique)
    return candidates(op, labels, generator)


def candidates(
    op: LogUniformCandidates, labels: TensorLike, generator: Source | None
) -> Candidates:
    """Return what an operator draws from a generator, which goes on as far as TensorFlow's do."""
    op.check()
    source = global_generator() if generator is None else generator
    drawn, true_expected, drawn_expected = source.drawn_by(
        op, 2 * op.num_sampled, labels
    )
    return drawn, true_expected, drawn_expected


def sampled_softmax_loss(
    weights: TensorLike | Sequence[TensorLike],
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    candidates: Candidates | None = None,
    remove_accidental_hits: bool = True,
    partition_strategy: Strategy = "mod",
    generator: Source | None = None,
) -> Tensor:
    """Return the softmax's cross entropy with a sample of the classes (Jean et al. 2015).

    `weights` are (classes, depth), or shards of that; `labels` (batch, true classes) integers;
    `inputs` (batch, depth). Only the rows of labels and sample are read, and get gradients. As in
    TensorFlow, this is for training; take the whole softmax to evaluate.

    >>> loss = tl.nn.sampled_softmax_loss(
    ...     tl.zeros((8, 2)), tl.zeros(8), [[3]], tl.ones((1, 2)), num_sampled=4, num_classes=8)
    >>> loss.shape
    (1,)
    """
    drawn = candidates or log_uniform_candidates(
        labels, num_sampled, num_classes, generator=generator
    )
    logits, wanted = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        drawn,
        remove_accidental_hits,
        partition_strategy,
    )
    return softmax_cross_entropy(stop_gradient(wanted), logits)


def nce_loss(
    weights: TensorLike | Sequence[TensorLike],
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    candidates: Candidates | None = None,
    remove_accidental_hits: bool = False,
    partition_strategy: Strategy = "mod",
    generator: Source | None = None,
) -> Tensor:
    """Return the loss of noise-contrastive estimation (Gutmann and Hyvarinen 2010).

    The true classes are told from a sample by one sigmoid each; operands as those of
    sampled_softmax_loss.

    >>> loss = tl.nn.nce_loss(
    ...     tl.zeros((8, 2)), tl.zeros(8), [[3]], tl.ones((1, 2)), num_sampled=4, num_classes=8)
    >>> loss.shape
    (1,)
    """
    drawn = candidates or log_uniform_candidates(
        labels, num_sampled, num_classes, generator=generator
    )
    logits, wanted = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        drawn,
        remove_accidental_hits,
        partition_strategy,
    )
    return sum(sigmoid_cross_entropy(wanted, logits), axis=1)


def _sampled_logits(
    weights: TensorLike | Sequence[TensorLike],
    biases: TensorLike,
    labels: TensorLike,
    inputs: TensorLike,
    candidates: Candidates,
    remove_hits: bool,
    strategy: Strategy,
) -> tuple[Tensor, Tensor]:
    """Return logits of true and of drawn classes, less the log of their frequency, and labels."""
    classes, x = astype(to_tensor(labels), dtypes.int64), floating(to_tensor(inputs))
    if classes.spec.rank != 2 or x.spec.rank != 2:
        raise ShapeError(
            f"labels must be (batch, true classes) and inputs (batch, depth), not {classes.spec} "
            f"and {x.spec}"
        )
    drawn, true_expected, drawn_expected = (
        stop_gradient(part) for part in candidates
    )
    count = size(classes)
    ids = concat([reshape(classes, (-1,)), drawn])
    rows = embedding_lookup(weights, ids, strategy)
    offsets = embedding_lookup(biases, ids, strategy)
    true_rows = reshape(rows[:count], [*sizes(classes), -1])
    true = sum(expand_dims(x, 1) * true_rows, axis=-1) + reshape(
        offsets[:count], shape_of(classes)
    )
    others = matmul(x, rows[count:], transpose_b=True) + offsets[count:]
    if remove_hits:
        others = where(_hits(classes, drawn), _HIDDEN, others)
    true = true - astype(log(true_expected), x.dtype)
    others = others - astype(log(drawn_expected), x.dtype)
    share = astype(sizes(classes)[1], x.dtype)
    wanted = concat([zeros_like(true) + 1.0 / share, zeros_like(others)], axis=1)
    return concat([true, others], axis=1), wanted


def _hits(labels: Tensor, drawn: Tensor) -> Tensor:
    """Return which drawn classes are true ones of each example."""
    same = equal(expand_dims(labels, 2), expand_dims(drawn, (0, 1)))
    return sum(astype(same, dtypes.int32), axis=1) > 0
