"""Ensembles of boosted trees, as TensorFlow 1's estimators export them: read, kept and asked.

They are what a message says, for which no package has a class; training changes them, and is not
done here.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tensorlite.core import dtypes
from tensorlite.core.errors import (
    DataLossError,
    DTypeError,
    FailedPreconditionError,
    InvalidArgumentError,
)
from tensorlite.core.op import Effect, Op
from tensorlite.core.opaque import Resource
from tensorlite.core.spec import TensorSpec
from tensorlite.core.xp import Array, Xp, to_host
from tensorlite.ops.records.wire import fields, signed
from tensorlite.ops.state.making import Making

__all__: list[str] = []

_LEAF, _BUCKETS, _CATEGORY = 1, 2, 3
"""The numbers of the kinds of nodes that are read, in their message."""


@dataclass(frozen=True)
class Tree:
    """A tree, node by node; of leaves only the value counts, of others all but that."""

    kinds: Array
    splits: Array
    """Feature, limit, left node, right node, and dimension of the feature."""
    values: Array


def trees_of(message: bytes) -> tuple[list[Tree], list[float]]:
    """Return the trees of a serialized ensemble, and what each counts."""
    trees, weights = [], []
    for number, value in fields(message):
        if number == 1 and isinstance(value, bytes):
            trees.append(_tree(value))
        elif number == 2:
            weights += _floats(value)
    if len(trees) != len(weights):
        raise DataLossError(
            f"an ensemble has {len(trees)} trees and {len(weights)} weights"
        )
    return trees, weights


def _tree(message: bytes) -> Tree:
    nodes = [_node(x) for n, x in fields(message) if n == 1 and isinstance(x, bytes)]
    width = max([len(leaf) for _, _, leaf in nodes], default=1)
    splits = np.array([split for _, split, _ in nodes], np.int64).reshape(-1, 5)
    if splits.size and not np.all(
        (splits[:, 2:4] >= 0) & (splits[:, 2:4] < len(nodes))
    ):
        raise DataLossError("a tree's node leads to one that is not there")
    values = np.zeros((len(nodes), width), np.float32)
    for i, (_, _, leaf) in enumerate(nodes):
        values[i, : len(leaf)] = leaf
    kinds = np.array([kind for kind, _, _ in nodes], np.int64)
    return Tree(kinds, splits, values)


def _node(message: bytes) -> tuple[int, list[int], list[float]]:
    """Return kind, split and leaf of a node."""
    kind, split, leaf = _LEAF, [0] * 5, [0.0]
    for number, value in fields(message):
        if number == _LEAF and isinstance(value, bytes):
            leaf = _leaf(value)
        elif number in (_BUCKETS, _CATEGORY) and isinstance(value, bytes):
            kind, split = number, _split(value)
        elif number == 4:
            raise InvalidArgumentError(
                "a tree splits by numbers; supported are splits by buckets and categories"
            )
    return kind, split, leaf


def _split(message: bytes) -> list[int]:
    found = [0] * 5
    for number, value in fields(message):
        if 1 <= number <= 5 and isinstance(value, int):
            found[number - 1] = signed(value)
    return found


def _leaf(message: bytes) -> list[float]:
    """Return the value of a leaf: one number, or one for each class."""
    for number, value in fields(message):
        if number == 3:
            return _floats(value)
        if number == 1 and isinstance(value, bytes):
            return [x for n, y in fields(value) if n == 1 for x in _floats(y)]
        if number == 2:
            raise InvalidArgumentError(
                "a tree's leaf is sparse, which is not supported"
            )
    return [0.0]


def _floats(value: int | bytes) -> list[float]:
    """Return numbers that stand together, or the one that stands alone."""
    data = value.to_bytes(4, "little") if isinstance(value, int) else value
    if len(data) % 4:
        raise DataLossError("a list of numbers is cut off")
    return list(struct.unpack(f"<{len(data) // 4}f", data))


class Ensemble(Resource):
    """What the handle of an ensemble stands for."""

    def __init__(self) -> None:
        super().__init__()
        self.stamp: int | None = None
        self.message = b""
        self.trees: list[Tree] = []
        self.weights: list[float] = []

    @property
    def spec(self) -> TensorSpec:
        """The spec of the handle."""
        return TensorSpec((), dtypes.resource)

    def put(self, stamp: int, message: bytes) -> None:
        """Take the place of what was there."""
        self.trees, self.weights = trees_of(message)
        self.stamp, self.message = stamp, message

    def logits(self, features: Sequence[Array], width: int) -> Array:
        """Return what all trees say of some examples, added up."""
        if self.stamp is None:
            raise FailedPreconditionError(
                "the ensemble of trees has no value; restore it, or run what creates it"
            )
        columns = [x[:, None] if x.ndim == 1 else x for x in features]
        found = np.zeros((len(columns[0]), width), np.float32)
        for tree, weight in zip(self.trees, self.weights, strict=True):
            values = tree.values[_leaves(tree, columns)]
            found[:, : values.shape[1]] += np.float32(weight) * values[:, :width]
        return found


def _leaves(tree: Tree, columns: Sequence[Array]) -> Array:
    """Return the leaf that each example comes to."""
    at = np.zeros(len(columns[0]), np.int64)
    for _ in range(len(tree.kinds)):
        inner = np.flatnonzero(tree.kinds[at] != _LEAF)
        if not inner.size:
            return at
        feature, limit, left, right, dimension = tree.splits[at[inner]].T
        given = np.array(
            [
                columns[f][i, d]
                for f, i, d in zip(feature, inner, dimension, strict=True)
            ]
        )
        is_bucket = tree.kinds[at[inner]] == _BUCKETS
        goes_left = np.where(is_bucket, given <= limit, given == limit)
        at[inner] = np.where(goes_left, left, right)
    raise DataLossError("a tree's nodes lead to each other without end")


class BoostedTreesEnsembleResourceHandleOp(Making):
    """Makes an ensemble of trees, which has no value at first."""

    def fresh(self, xp: Xp) -> Ensemble:
        """Return a new ensemble."""
        return Ensemble()


class BoostedTreesCreateEnsemble(Op):
    """Gives an ensemble a value, unless it has one."""

    effect = Effect.WRITE
    differentiable = False
    host = (1, 2)

    def infer(
        self, ensemble: TensorSpec, stamp: TensorSpec, message: TensorSpec
    ) -> tuple[TensorSpec, ...]:
        """Return nothing; DTypeError for what is no text."""
        if message.dtype is not dtypes.string:
            raise DTypeError(f"{self.name}: an ensemble is a text, not {message}")
        return ()

    def kernel(
        self, xp: Xp, ensemble: Ensemble, stamp: Array, message: Array
    ) -> tuple[Array, ...]:
        """Give it the value."""
        if ensemble.stamp is None:
            ensemble.put(int(stamp), message.item())
        return ()


class BoostedTreesDeserializeEnsemble(BoostedTreesCreateEnsemble):
    """Gives an ensemble another value."""

    def kernel(
        self, xp: Xp, ensemble: Ensemble, stamp: Array, message: Array
    ) -> tuple[Array, ...]:
        """Give it the value."""
        ensemble.put(int(stamp), message.item())
        return ()


class BoostedTreesSerializeEnsemble(Op):
    """The number and the message of an ensemble."""

    effect = Effect.DRAW
    differentiable = False

    def infer(self, ensemble: TensorSpec) -> tuple[TensorSpec, TensorSpec]:
        """Return a number and a text."""
        return TensorSpec((), dtypes.int64), TensorSpec((), dtypes.string)

    def kernel(self, xp: Xp, ensemble: Ensemble) -> tuple[Array, Array]:
        """Return them."""
        message = np.empty((), object)
        message[()] = ensemble.message
        return np.asarray(ensemble.stamp or 0, np.int64), message


class IsBoostedTreesEnsembleInitialized(Op):
    """Whether an ensemble has a value."""

    effect = Effect.DRAW
    differentiable = False

    def infer(self, ensemble: TensorSpec) -> TensorSpec:
        """Return a bool."""
        return TensorSpec((), dtypes.bool_)

    def kernel(self, xp: Xp, ensemble: Ensemble) -> Array:
        """Return it."""
        return np.asarray(ensemble.stamp is not None)


class BoostedTreesPredict(Op):
    """What an ensemble says of examples, given the buckets of their features."""

    effect = Effect.DRAW
    differentiable = False
    logits_dimension: int = 1

    def infer(self, ensemble: TensorSpec, *features: TensorSpec) -> TensorSpec:
        """Return a row for each example."""
        if not features:
            raise InvalidArgumentError(f"{self.name}: no features are given")
        count = features[0].shape[0] if features[0].shape else None
        return TensorSpec((count, self.logits_dimension), dtypes.float32)

    def kernel(self, xp: Xp, ensemble: Ensemble, *features: Array) -> Array:
        """Return the logits."""
        columns = [to_host(x) for x in features]
        return ensemble.logits(columns, self.logits_dimension)
