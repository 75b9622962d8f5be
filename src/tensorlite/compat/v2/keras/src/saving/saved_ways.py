"""The ways to variables in checkpoints of objects that Keras 3 writes, beside those of Keras 2.

Layers, models and optimizers say both, so that checkpoints of both are restored here, and there
what is saved here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_HIDDEN = ("kernel", "embeddings")
"""Weights that Keras 3 holds in an attribute with an underscore before the name."""


def of_layer(found: dict[str, Any]) -> dict[str, Any]:
    """Return what else weights of a layer are called."""
    return {f"_{key}": found[key] for key in _HIDDEN if key in found}


def of_model(layers: Sequence[Any], is_chain: bool) -> dict[str, Any]:
    """Return the layers of a model, which the first that is given nothing comes before."""
    first = 1 if is_chain else 0
    every = {"_operations": {str(i): x for i, x in enumerate(layers, first)}}
    return {"_functional": every} if is_chain else every


def of_optimizer(
    iterations: Any, rate: Any, variables: Sequence[Any]
) -> dict[str, Any]:
    """Return what an optimizer holds, and all of it in its order."""
    held = {"_iterations": iterations, "_learning_rate": rate}
    listed = {str(i): x for i, x in enumerate(variables)}
    return {
        **{key: x for key, x in held.items() if x is not None},
        "_variables": listed,
    }
