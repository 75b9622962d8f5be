"""What probabilities were made of: losses are computed of logits where these are known.

A loss of a probability that is 0 or 1 in the width of its numbers has no gradient; that of the
logits has.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.v2.keras.beside import Beside
from tensorlite.core.tensor import Tensor
from tensorlite.graph.graph import SymbolicTensor

_known = Beside()


def remembered(probabilities: Tensor, logits: Any) -> Tensor:
    """Return probabilities, whose logits are known from now on."""
    _known.remember(probabilities, logits)
    return probabilities


def of(probabilities: Any, kind: type) -> Any:
    """Return what an operation of a kind made probabilities of; None if that is not known."""
    found = _known.of(probabilities)
    if found is None and isinstance(probabilities, SymbolicTensor):
        node = probabilities.node
        return node.inputs[0] if isinstance(node.op, kind) else None
    return found
