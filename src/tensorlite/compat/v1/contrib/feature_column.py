"""tf.contrib.feature_column: columns of steps, and the layer that is given them."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.tables.feature_columns import (
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
)
from tensorlite.compat.v1.feature_column import ScopedMaking
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.views import in_graph, plain
from tensorlite.train.feature_columns import models
from tensorlite.train.feature_columns.base import Features

__all__ = [
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_input_layer",
    "sequence_numeric_column",
]


def sequence_input_layer(
    features: Any,
    feature_columns: Any,
    weight_collections: Any = None,
    trainable: bool = True,
) -> Any:
    """Return the steps of each row side by side, and how many there are of each row."""
    making = ScopedMaking(weight_collections, trainable)

    def joined() -> Any:
        given = Features(plain(dict(features)), making)
        return models.joined_steps(list(feature_columns), given, making.turn)

    with scopes.variable_scope(None, "sequence_input_layer"):
        return in_graph(joined, "concat")


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
