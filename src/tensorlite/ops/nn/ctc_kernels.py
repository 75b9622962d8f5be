"""Connectionist temporal classification on arrays (Graves et al. 2006): sums over all alignments.

The operators are in ctc.py. Arrays here are NumPy's, and the time axis is walked in Python: a step
treats all examples and all labels at once.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from tensorlite.core.errors import InvalidArgumentError

Rows = np.ndarray[Any, Any]
NEVER = -np.inf


def labels_of(indices: Rows, values: Rows, count: int, collapse: bool) -> list[Rows]:
    """Return the labels of each example, out of the parts of a sparse matrix."""
    order = np.lexsort((indices[:, 1], indices[:, 0]))
    rows, found = indices[order, 0], values[order]
    edges = np.searchsorted(rows, np.arange(count + 1))
    parts = [found[a:b] for a, b in itertools.pairwise(edges)]
    if collapse:
        parts = [
            one[np.insert(one[1:] != one[:-1], 0, True)] if one.size else one
            for one in parts
        ]
    return parts


def ended(labels: Rows, classes: int, name: str) -> Rows:
    """Return an example's labels up to the first that is none of the classes but the last."""
    none = labels >= classes - 1
    if not none.any():
        return labels
    end = int(none.argmax())
    if not none[end:].all():
        raise InvalidArgumentError(
            f"{name}: labels {labels.tolist()}: Saw a non-null label (index >= num_classes - 1) "
            f"following a null label; the last of {classes} classes is the blank"
        )
    return labels[:end]


def log_softmax(x: Rows) -> Rows:
    """Return the logarithms of the probabilities along the last axis."""
    shifted = x - x.max(axis=-1, keepdims=True)
    found: Rows = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))
    return found


def _interleaved(labels: list[Rows], blank: int) -> Rows:
    """Return labels with blanks around each, one example a row, blanks behind."""
    longest = max((one.size for one in labels), default=0)
    table = np.full((len(labels), 2 * longest + 1), blank, np.int64)
    for row, one in zip(table, labels, strict=True):
        row[1 : 2 * one.size : 2] = one
    return table


def _moves(table: Rows, merge: bool) -> tuple[Rows, Rows]:
    """Return where a path may stay, and where it may come from two places before."""
    between = np.broadcast_to(np.arange(table.shape[1]) % 2 == 0, table.shape)
    stay = np.ones(table.shape, np.bool_) if merge else between
    skip = np.zeros(table.shape, np.bool_)
    differ = (
        table[:, 2:] != table[:, :-2]
        if merge
        else np.ones_like(table[:, 2:], np.bool_)
    )
    skip[:, 2:] = ~between[:, 2:] & differ
    return stay, skip


def _shifted(x: Rows, by: int) -> Rows:
    """Return rows moved to the right, with what never happens moved in."""
    out = np.full(x.shape, NEVER)
    if by < x.shape[1]:
        out[:, by:] = x[:, : x.shape[1] - by]
    return out


def _forward(emitted: Rows, stay: Rows, skip: Rows) -> Rows:
    """Return the logarithms of the probabilities of all beginnings, (time, example, place)."""
    alpha = np.full(emitted.shape, NEVER)
    alpha[0, :, :2] = emitted[0, :, :2]
    for t in range(1, emitted.shape[0]):
        last = alpha[t - 1]
        moved = np.logaddexp(np.where(stay, last, NEVER), _shifted(last, 1))
        moved = np.logaddexp(moved, np.where(skip, _shifted(last, 2), NEVER))
        alpha[t] = moved + emitted[t]
    return alpha


def _backward(
    emitted: Rows, stay: Rows, skip: Rows, ends: Rows, lengths: Rows
) -> Rows:
    """Return the same of all ends, what is emitted at the time itself left out."""
    beta = np.full(emitted.shape, NEVER)
    following = np.full(emitted.shape[1:], NEVER)
    for t in range(emitted.shape[0] - 1, -1, -1):
        moved = np.logaddexp(
            np.where(stay, following, NEVER), _shifted(following[:, ::-1], 1)[:, ::-1]
        )
        jumped = np.where(skip, following, NEVER)[:, ::-1]
        moved = np.logaddexp(moved, _shifted(jumped, 2)[:, ::-1])
        beta[t] = np.where((lengths == t + 1)[:, None], ends, moved)
        following = beta[t] + emitted[t]
    return beta


def loss_and_gradient(
    logits: Rows, labels: list[Rows], lengths: Rows, merge: bool, taken: Rows
) -> tuple[Rows, Rows]:
    """Return the loss of each example and its gradient for the logits (time, example, class).

    The last class is the blank. Examples that are not `taken` have loss and gradient 0; those that
    no path leads through have an infinite loss, and as gradient the probabilities.
    """
    time, count, classes = logits.shape
    log_p = log_softmax(logits.astype(np.float64))
    blank = classes - 1
    table = _interleaved(labels, blank)
    stay, skip = _moves(table, merge)
    emitted = np.take_along_axis(
        log_p, np.broadcast_to(table, (time, *table.shape)), axis=2
    )
    sizes = np.asarray([2 * one.size + 1 for one in labels])
    inside = np.arange(table.shape[1]) < sizes[:, None]
    emitted = np.where(inside, emitted, NEVER)
    ends = np.where(
        inside & (np.arange(table.shape[1]) >= sizes[:, None] - 2), 0.0, NEVER
    )
    alpha = _forward(emitted, stay, skip)
    beta = _backward(emitted, stay, skip, ends, lengths)
    total = (
        np.logaddexp.reduce(alpha[0] + beta[0], axis=1) if time else np.zeros(count)
    )
    possible = np.isfinite(total)
    share = np.exp(alpha + beta - np.where(possible, total, 0.0)[:, None])
    posterior = np.zeros(logits.shape)
    places = np.arange(count)[:, None]
    for t in range(time):
        np.add.at(posterior[t], (places, table), share[t])
    live = (np.arange(time)[:, None] < lengths) & taken
    gradient = np.where(live[..., None], np.exp(log_p) - posterior, 0.0)
    return np.where(taken, -total, 0.0), gradient


_ALMOST_NEVER = float(np.float32(np.log(1e-307)))
"""The logarithm of 0 that TensorFlow begins and ends with where labels are in a matrix."""


def dense_loss_and_gradient(
    logits: Rows, labels: Rows, sizes: Rows, lengths: Rows, blank: int
) -> tuple[Rows, Rows]:
    """Return the same of labels in a matrix (example, label), of which `sizes` count.

    A path is at a label, where place 0 is the start, or at the blank behind one. It begins and ends
    in other places almost never, so that what no path leads through has a loss of about 707.
    """
    time, count, _ = logits.shape
    log_p = log_softmax(logits.astype(np.float64))
    classes = np.where(labels == blank, max(blank - 1, 0), labels)
    emitted = np.full((time, 2, count, labels.shape[1] + 1), NEVER)
    emitted[:, 0, :, 1:] = np.take_along_axis(
        log_p, np.broadcast_to(classes, (time, *classes.shape)), axis=2
    )
    emitted[:, 1] = log_p[:, :, blank, None]
    skip = np.ones(emitted.shape[2:], np.bool_)
    skip[:, 2:] = classes[:, 1:] != classes[:, :-1]
    live = np.arange(time)[:, None] < lengths
    alpha = _beginnings(emitted, skip)
    beta, log_total = _endings(emitted, skip, sizes, live)
    share = _normal(alpha + beta)[0]
    share = np.where(live[:, None, :, None], np.exp(share), 0.0)
    posterior = np.zeros(logits.shape)
    posterior[:, :, blank] = share[:, 1].sum(axis=2)
    places = np.arange(count)[:, None]
    counted = share[:, 0, :, 1:] * (classes != blank)
    for t in range(time):
        np.add.at(posterior[t], (places, classes), counted[t])
    gradient = np.where(live[..., None], np.exp(log_p) - posterior, 0.0)
    return -log_total, gradient


def _normal(x: Rows) -> tuple[Rows, Rows]:
    """Return logarithms (.., kind, example, place) with the sum 1, and the sums they had."""
    total = np.logaddexp.reduce(np.logaddexp.reduce(x, axis=-1), axis=-2)
    return x - total[..., None, :, None], total


def _beginnings(emitted: Rows, skip: Rows) -> Rows:
    """Return the shares of all beginnings of a time, (time, kind, example, place)."""
    alpha = np.empty(emitted.shape)
    last = np.full(emitted.shape[1:], _ALMOST_NEVER)
    last[0, :, 0] = 0.0
    for t, here in enumerate(emitted):
        at_label, at_blank = last
        moved = np.logaddexp(at_label, _shifted(at_blank, 1))
        moved = np.logaddexp(moved, np.where(skip, _shifted(at_label, 1), NEVER))
        blanks = np.logaddexp(at_blank, at_label)
        last = alpha[t] = _normal(np.stack([moved, blanks]) + here)[0]
    return alpha


def _endings(emitted: Rows, skip: Rows, sizes: Rows, live: Rows) -> tuple[Rows, Rows]:
    """Return the same of all ends, and the logarithm of the probability of all paths."""
    beta = np.empty(emitted.shape)
    ends = np.arange(emitted.shape[3]) == sizes[:, None]
    final = np.broadcast_to(np.where(ends, 0.0, _ALMOST_NEVER), emitted.shape[1:])
    following, log_total = final, np.zeros(emitted.shape[2])
    for t in range(emitted.shape[0] - 1, -1, -1):
        beta[t] = following
        at_label, at_blank = following + emitted[t]
        later = _shifted(at_label[:, ::-1], 1)[:, ::-1]
        jumped = np.where(skip, at_label, NEVER)
        jumped = _shifted(jumped[:, ::-1], 1)[:, ::-1]
        moved = np.logaddexp(np.logaddexp(at_label, at_blank), jumped)
        blanks = np.logaddexp(at_blank, later)
        going, total = _normal(np.stack([moved, blanks]))
        log_total = log_total + np.where(live[t], total, 0.0)
        following = np.where(live[t][:, None], going, final)
    return beta, following[0, :, 0] + log_total


def best_path(
    logits: Rows, lengths: Rows, merge: bool, blank: int
) -> tuple[list[Rows], Rows]:
    """Return the labels of the likeliest class of each step, and minus the sums of its logits."""
    best = logits.argmax(axis=2)
    live = np.arange(logits.shape[0])[:, None] < lengths
    score = -np.where(live, logits.max(axis=2), 0.0).sum(axis=0)
    kept = live & (best != blank)
    if merge and best.shape[0]:
        kept[1:] &= best[1:] != best[:-1]
    return [best[kept[:, i], i] for i in range(best.shape[1])], score[:, None]


def beam_search(
    log_p: Rows, width: int, top: int
) -> list[tuple[tuple[int, ...], float]]:
    """Return the likeliest labellings of one example with their logarithms, best first.

    `log_p` is (time, class), its last class the blank.
    """
    blank = log_p.shape[1] - 1
    beams: dict[tuple[int, ...], tuple[float, float]] = {(): (0.0, NEVER)}
    for row in log_p:
        prefixes = list(beams)
        ends = np.asarray(list(beams.values()))
        total = np.logaddexp(ends[:, 0], ends[:, 1])
        longer = total[:, None] + row[:blank]
        last = np.asarray([prefix[-1] if prefix else -1 for prefix in prefixes])
        again = np.flatnonzero(last >= 0)
        longer[again, last[again]] = ends[again, 0] + row[last[again]]
        same = ends[:, 1] + np.where(last >= 0, row[last], NEVER)
        found = _merged(prefixes, total + row[blank], same, longer)
        beams = _kept(prefixes, found, longer, width)
    ranked = sorted(beams, key=lambda one: -float(np.logaddexp(*beams[one])))[:top]
    return [(one, float(np.logaddexp(*beams[one]))) for one in ranked]


def _merged(
    prefixes: list[tuple[int, ...]], blanks: Rows, same: Rows, longer: Rows
) -> tuple[Rows, Rows]:
    """Return the ends of prefixes, with what comes from a shorter one among them moved there."""
    place = {prefix: i for i, prefix in enumerate(prefixes)}
    for i, prefix in enumerate(prefixes):
        parent = place.get(prefix[:-1]) if prefix else None
        if parent is not None:
            same[i] = np.logaddexp(same[i], longer[parent, prefix[-1]])
            longer[parent, prefix[-1]] = NEVER
    return blanks, same


def _kept(
    prefixes: list[tuple[int, ...]], ends: tuple[Rows, Rows], longer: Rows, width: int
) -> dict[tuple[int, ...], tuple[float, float]]:
    """Return the likeliest of prefixes and their continuations."""
    blanks, same = ends
    scores = np.concatenate([np.logaddexp(blanks, same), longer.ravel()])
    chosen = np.argsort(-scores, kind="stable")[:width]
    count, classes = longer.shape
    beams: dict[tuple[int, ...], tuple[float, float]] = {}
    for number in chosen.tolist():
        if scores[number] == NEVER:
            continue
        if number < count:
            beams[prefixes[number]] = float(blanks[number]), float(same[number])
        else:
            row, label = divmod(number - count, classes)
            beams[(*prefixes[row], label)] = NEVER, float(longer[row, label])
    return beams


def as_sparse(rows: list[Any]) -> tuple[Rows, Rows, Rows]:
    """Return lists of labels as the parts of a sparse matrix."""
    lengths = [len(row) for row in rows]
    indices = [(i, j) for i, length in enumerate(lengths) for j in range(length)]
    values = [label for row in rows for label in row]
    shape = (len(rows), max(lengths, default=0))
    return (
        np.asarray(indices, np.int64).reshape(-1, 2),
        np.asarray(values, np.int64),
        np.asarray(shape, np.int64),
    )


def check_lengths(lengths: Rows, time: int, op: str) -> None:
    """Raise InvalidArgumentError when an example is longer than the logits."""
    if lengths.size and (lengths.max() > time or lengths.min() < 0):
        raise InvalidArgumentError(
            f"{op}: sequence_length={lengths.tolist()}; allowed are 0 to {time}, the logits' steps"
        )
