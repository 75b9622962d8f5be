"""Connectionist temporal classification: the loss, and two ways to read labels off the logits.

The arithmetic is in ctc_kernels.py. It runs in host memory: the recurrences are short and serial.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.check import one_of
from tensorlite.core.dispatch import calls, floating, to_tensor
from tensorlite.core.errors import (
    DTypeError,
    GradientError,
    InvalidArgumentError,
    ShapeError,
)
from tensorlite.core.op import Call, Gradient, Grads, Op
from tensorlite.core.spec import (
    TensorSpec,
    check_rank,
)
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.arrays.arrange import expand_dims, permute_dims
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.math.compare import where
from tensorlite.ops.nn import ctc_kernels as kernels
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = [
    "ctc_beam_search_decoder",
    "ctc_greedy_decoder",
    "ctc_loss",
    "dense_ctc_loss",
]


def _check(op: Op, inputs: TensorSpec) -> None:
    if not inputs.dtype.is_floating:
        raise DTypeError(
            f"{op.name} takes floating logits, not {inputs}; use tl.astype"
        )
    if inputs.rank not in (None, 3):
        raise ShapeError(
            f"{op.name} takes logits (time, batch, classes), not {inputs}"
        )


class _Loss(Op, abstract=True):
    """What losses share: they give the gradient for the logits as well."""

    def parts(self, inputs: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return a loss for each example, and the logits' spec."""
        _check(self, inputs)
        batch = None if inputs.shape is None else inputs.shape[1]
        return inputs.with_shape((batch,)), inputs.without_value()

    def grad(self, call: Call, dloss: Gradient, dgradient: Gradient) -> Grads:
        """Return the gradient that the kernel made, times that of the loss."""
        if dgradient is not None:
            raise GradientError(
                "CTCLoss has a first derivative only; take no gradient of its gradient"
            )
        assert isinstance(dloss, Tensor)
        flow = expand_dims(expand_dims(dloss, 0), 2)
        return call.outputs[1] * flow, None, None, None


class CTCLoss(_Loss):
    """The loss of labels in no given alignment, and its gradient for the logits."""

    host = (1, 2, 3)
    preprocess_collapse_repeated: bool = False
    ctc_merge_repeated: bool = True
    ignore_longer_outputs_than_inputs: bool = False

    def infer(
        self,
        inputs: TensorSpec,
        labels_indices: TensorSpec,
        labels_values: TensorSpec,
        sequence_length: TensorSpec,
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return a loss for each example, and the logits' spec."""
        return self.parts(inputs)

    def kernel(
        self,
        xp: Xp,
        inputs: Array,
        labels_indices: Array,
        labels_values: Array,
        sequence_length: Array,
    ) -> tuple[Array, Array]:
        """Return losses and gradient."""
        logits = to_host(inputs)
        time, count, classes = logits.shape
        kernels.check_lengths(sequence_length, time, self.name)
        if labels_values.size and labels_values.min() < 0:
            raise InvalidArgumentError(
                f"{self.name}: the least label is {labels_values.min()}: All labels must be "
                "nonnegative integers"
            )
        given = kernels.labels_of(
            labels_indices, labels_values, count, self.preprocess_collapse_repeated
        )
        taken = self._taken(given, sequence_length)
        labels = [kernels.ended(one, classes, self.name) for one in given]
        loss, gradient = kernels.loss_and_gradient(
            logits, labels, sequence_length, self.ctc_merge_repeated, taken
        )
        dtype = inputs.dtype
        return xp.asarray(loss.astype(dtype)), xp.asarray(gradient.astype(dtype))

    def _taken(self, labels: list[Any], lengths: Array) -> Array:
        """Return which examples have a step for each label; others are ignored or refused.

        The blanks between labels that are alike are not counted, as in TensorFlow: an example
        that has no step for these has an infinite loss.
        """
        least = np.asarray([one.size for one in labels])
        fits = least <= lengths
        if not self.ignore_longer_outputs_than_inputs and not fits.all():
            worst = int(np.flatnonzero(~fits)[0])
            raise InvalidArgumentError(
                f"{self.name}: Not enough time for target transition sequence: the labels of "
                f"example {worst} take {least[worst]} steps, it has {int(lengths[worst])}; set "
                "ignore_longer_outputs_than_inputs to leave it out"
            )
        return fits & (lengths > 0)


class DenseCTCLoss(_Loss):
    """The loss of labels in a matrix, among which the blank may be as any other class."""

    host = (1, 2, 3)
    blank_index: int = 0

    def infer(
        self,
        inputs: TensorSpec,
        labels: TensorSpec,
        label_length: TensorSpec,
        logit_length: TensorSpec,
    ) -> tuple[TensorSpec, TensorSpec]:
        """Return a loss for each example, and the logits' spec."""
        check_rank("ctc_loss: labels", labels, 2)
        return self.parts(inputs)

    def kernel(
        self,
        xp: Xp,
        inputs: Array,
        labels: Array,
        label_length: Array,
        logit_length: Array,
    ) -> tuple[Array, Array]:
        """Return losses and gradient."""
        logits = to_host(inputs)
        time, _, classes = logits.shape
        kernels.check_lengths(logit_length, time, self.name)
        there = np.arange(labels.shape[1]) < label_length[:, None]
        wrong = there & ((labels < 0) | (labels >= classes))
        if wrong.any():
            raise InvalidArgumentError(
                f"{self.name}: a label is {labels[wrong][0]}; there are {classes} classes"
            )
        loss, gradient = kernels.dense_loss_and_gradient(
            logits,
            np.where(there, labels, 0),
            label_length,
            logit_length,
            _within(self.blank_index, classes),
        )
        dtype = inputs.dtype
        return xp.asarray(loss.astype(dtype)), xp.asarray(gradient.astype(dtype))


def _within(blank: int, classes: int) -> int:
    if not -classes <= blank < classes:
        raise InvalidArgumentError(
            f"blank_index={blank}; there are {classes} classes"
        )
    return blank % classes


class _Decoder(Op, abstract=True):
    """What decoders share."""

    differentiable = False
    host = (1,)

    def parts(self, inputs: TensorSpec, paths: int) -> tuple[TensorSpec, ...]:
        """Return the specs of the parts of sparse matrices, and of the scores."""
        _check(self, inputs)
        batch = None if inputs.shape is None else inputs.shape[1]
        indices = [TensorSpec((None, 2), dtypes.int64)] * paths
        values = [TensorSpec((None,), dtypes.int64)] * paths
        shapes = [TensorSpec((2,), dtypes.int64)] * paths
        return (*indices, *values, *shapes, inputs.with_shape((batch, paths)))


class CTCGreedyDecoder(_Decoder):
    """The labels of the likeliest class of each step."""

    merge_repeated: bool = False
    blank_index: int = -1

    def infer(
        self, inputs: TensorSpec, sequence_length: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the parts of a sparse matrix, and a score for each example."""
        return self.parts(inputs, 1)

    def kernel(
        self, xp: Xp, inputs: Array, sequence_length: Array
    ) -> tuple[Array, ...]:
        """Return the labels and minus the sums of their logits."""
        logits = to_host(inputs)
        kernels.check_lengths(sequence_length, logits.shape[0], self.name)
        blank = self.blank_index % logits.shape[2]
        rows, score = kernels.best_path(
            logits, sequence_length, self.merge_repeated, blank
        )
        found = (*kernels.as_sparse(rows), score.astype(logits.dtype))
        return tuple(xp.asarray(part) for part in found)


class CTCBeamSearchDecoder(_Decoder):
    """The likeliest labellings, by a search that goes on with the best beginnings."""

    beam_width: int
    top_paths: int
    merge_repeated: bool = True

    def infer(
        self, inputs: TensorSpec, sequence_length: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return the parts of sparse matrices, and the scores of each example."""
        if not 1 <= self.top_paths <= self.beam_width:
            raise InvalidArgumentError(
                f"{self.name}: top_paths={self.top_paths}; allowed: 1 to beam_width, "
                f"which is {self.beam_width}"
            )
        return self.parts(inputs, self.top_paths)

    def kernel(
        self, xp: Xp, inputs: Array, sequence_length: Array
    ) -> tuple[Array, ...]:
        """Return the labellings and the logarithms of their probabilities."""
        logits = to_host(inputs).astype(np.float64)
        kernels.check_lengths(sequence_length, logits.shape[0], self.name)
        log_p = kernels.log_softmax(logits)
        found = [
            kernels.beam_search(log_p[:length, i], self.beam_width, self.top_paths)
            for i, length in enumerate(sequence_length.tolist())
        ]
        paths = []
        for number in range(self.top_paths):
            rows = [self._shown(one[number][0]) for one in found]
            paths.append(kernels.as_sparse(rows))
        scores = np.asarray([[score for _, score in one] for one in found])
        parts = [path[i] for i in range(3) for path in paths]
        return tuple(
            xp.asarray(part) for part in (*parts, scores.astype(inputs.dtype))
        )

    def _shown(self, labels: tuple[int, ...]) -> list[int]:
        if not self.merge_repeated:
            return list(labels)
        return [one for i, one in enumerate(labels) if i == 0 or one != labels[i - 1]]


def ctc_loss(
    labels: SparseTensor,
    logits: TensorLike,
    sequence_length: TensorLike,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    blank_index: int = -1,
) -> Tensor:
    """Return minus the log-probability of labels, summed over all their alignments.

    `labels` is a sparse matrix (batch, labels), `logits` (time, batch, classes), or with
    `time_major=False` (batch, time, classes). Raises InvalidArgumentError for labels that take
    longer than their example, unless those are to be ignored, which have loss 0.

    >>> labels = tl.sparse.SparseTensor([[0, 0]], [0], (1, 1))
    >>> print(tl.nn.ctc_loss(labels, tl.zeros((2, 1, 2)), [2]))
    [0.287682]
    """
    one_of(
        labels, SparseTensor, "ctc_loss: labels", "a sparse tensor (batch, labels)"
    )
    x, values = _turned(logits, labels.values, time_major, blank_index)
    op = CTCLoss(
        preprocess_collapse_repeated,
        ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
    )
    return calls(op, x, labels.indices, values, sequence_length)[0]


def _turned(
    logits: TensorLike, labels: Tensor, time_major: bool, blank: int
) -> tuple[Tensor, Tensor]:
    """Return logits with time first and the blank last, and labels that fit them."""
    x = floating(to_tensor(logits))
    x = x if time_major else permute_dims(x, (1, 0, 2))
    classes = x.shape[2]
    if blank == -1:
        return x, labels
    place = blank if classes is None else _within(blank, classes)
    # A label that is the blank counts as the class before it, as in TensorFlow.
    known = where(labels >= place, labels - 1, labels)
    if place == (classes or 0) - 1:
        return x, known
    parts = [x[..., :place], x[..., place + 1 :], x[..., place : place + 1]]
    return concat(parts, axis=2), known


def dense_ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike,
    logit_length: TensorLike,
    time_major: bool = True,
    blank_index: int = 0,
) -> Tensor:
    """Return the same for labels in a matrix (batch, labels), of which `label_length` count.

    Labels that take longer than their example have a loss of about 707, minus TensorFlow's
    logarithm of 0. A label that is the blank counts as the class before it, as in TensorFlow; where
    the blank is 0 it is emitted as the blank, but has no part in the gradient.

    >>> print(tl.nn.dense_ctc_loss([[1, 0]], tl.zeros((2, 1, 2)), [1], [2]))
    [0.287682]
    """
    x = floating(to_tensor(logits))
    x = x if time_major else permute_dims(x, (1, 0, 2))
    if x.shape[2] is not None:
        _within(blank_index, x.shape[2])
    return calls(DenseCTCLoss(blank_index), x, labels, label_length, logit_length)[0]


def ctc_greedy_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    merge_repeated: bool = True,
    blank_index: int = -1,
) -> tuple[list[SparseTensor], Tensor]:
    """Return the labels of the likeliest class of each step, and minus the sums of their logits.

    `inputs` are logits (time, batch, classes).

    >>> logits = [[[9.0, 0.0]], [[9.0, 0.0]], [[0.0, 9.0]]]
    >>> labels, score = tl.nn.ctc_greedy_decoder(logits, [3])
    >>> print(labels[0].values, score[0])
    [0] [-27.]
    """
    op = CTCGreedyDecoder(merge_repeated, blank_index)
    *parts, score = calls(op, floating(to_tensor(inputs)), sequence_length)
    return [SparseTensor(*parts)], score


def ctc_beam_search_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = False,
) -> tuple[list[SparseTensor], Tensor]:
    """Return the likeliest labellings, best first, and the logarithms of their probabilities.

    `inputs` are logits (time, batch, classes), the last class the blank.

    >>> logits = [[[9.0, 0.0]], [[0.0, 9.0]]]
    >>> labels, _ = tl.nn.ctc_beam_search_decoder(logits, [2], beam_width=4)
    >>> print(labels[0].values)
    [0]
    """
    op = CTCBeamSearchDecoder(beam_width, top_paths, merge_repeated)
    *parts, scores = calls(op, floating(to_tensor(inputs)), sequence_length)
    paths = [
        SparseTensor(parts[i], parts[top_paths + i], parts[2 * top_paths + i])
        for i in range(top_paths)
    ]
    return paths, scores
