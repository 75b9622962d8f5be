"""Embeddings of tf.contrib.layers."""

from __future__ import annotations

from typing import Any

from tensorlite.compat.shared import arrays, picking
from tensorlite.compat.v1.contrib.variables import model_variable
from tensorlite.compat.v1.functions import arrays as v1_arrays, embeddings, numbers
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.core.errors import InvalidArgumentError

embedding_lookup = embeddings.embedding_lookup


def embed_sequence(
    ids: Any,
    vocab_size: int | None = None,
    embed_dim: int | None = None,
    unique: bool = False,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Any:
    """Return vectors of ids [batch, time]: [batch, time, embed_dim], rows of a variable.

    The variable is "embeddings", [vocab_size, embed_dim]; both sizes are needed unless reuse is
    set, else InvalidArgumentError is raised. unique looks each id up once.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise InvalidArgumentError(
            "Must specify vocab size and embedding dimension when not reusing. Got "
            f"vocab_size={vocab_size} and embed_dim={embed_dim}"
        )
    with scopes.variable_scope(scope, "EmbedSequence", reuse=reuse):
        known = vocab_size is not None and embed_dim is not None
        embeddings = model_variable(
            "embeddings",
            [vocab_size, embed_dim] if known else None,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        lookup = embedding_lookup_unique if unique else embedding_lookup
        return lookup(embeddings, ids)


def bow_encoder(
    ids: Any,
    vocab_size: int,
    embed_dim: int,
    sparse_lookup: bool = True,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    scope: Any = None,
    reuse: Any = None,
) -> Any:
    """Return the mean of the embeddings of each row of ids."""
    if not vocab_size or not embed_dim:
        raise InvalidArgumentError("Must specify vocab size and embedding dimension")
    with scopes.variable_scope(scope, "bow_encoder", reuse=reuse):
        embeddings = model_variable(
            "embeddings",
            [vocab_size, embed_dim],
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
        )
        return numbers.reduce_mean(embedding_lookup(embeddings, ids), axis=1)


def embedding_lookup_unique(params: Any, ids: Any, name: str | None = None) -> Any:
    """Return embeddings, each of which is looked up once."""
    with framework.name_scope(name, "EmbeddingLookupUnique"):
        ids = framework.convert_to_tensor(ids)
        sizes = v1_arrays.shape(ids)
        flat = arrays.reshape(ids, numbers.reduce_prod(sizes, keepdims=True))
        found, places = picking.unique(flat)
        held = embedding_lookup(params, found)
        rows = v1_arrays.gather(held, places)
        whole = arrays.concat([sizes, v1_arrays.shape(held)[1:]], 0)
        outputs = arrays.reshape(rows, whole)
        if hasattr(outputs, "set_shape"):
            outputs.set_shape(
                [*ids.get_shape().as_list(), *held.get_shape().as_list()[1:]]
            )
        return outputs
