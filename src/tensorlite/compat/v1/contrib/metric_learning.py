"""tf.contrib.losses.metric_learning: losses of embeddings, which ops/nn computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.calling import converted, named
from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared.python import Print
from tensorlite.compat.views import plain
from tensorlite.ops.nn import metric_learning
from tensorlite.ops.sparse.tensor import SparseTensor

__all__ = [
    "contrastive_loss",
    "lifted_struct_loss",
    "npairs_loss",
    "npairs_loss_multilabel",
    "triplet_semihard_loss",
]


def _under(title: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a loss of labels, embeddings and one number, whose node has a name."""

    @named(title)
    def made(given: list[Any], number: Any, name: str | None = None) -> Any:
        labels, *embeddings = given
        held = plain(labels) if isinstance(labels, list) else converted(labels)
        return function(held, *map(converted, embeddings), number)

    return made


_contrastive = _under("contrastive_loss", metric_learning.contrastive_loss)
_triplets = _under("triplet_semihard_loss", metric_learning.triplet_semihard_loss)
_lifted = _under("liftedstruct_loss", metric_learning.lifted_struct_loss)
_npairs = _under("add_1", metric_learning.npairs_loss)
_npairs_of_several = _under(
    "NpairsLossMultiLabel/add", metric_learning.npairs_loss_multilabel
)


def contrastive_loss(
    labels: Any, embeddings_anchor: Any, embeddings_positive: Any, margin: Any = 1.0
) -> Any:
    """Return the mean over pairs of the cost of being apart, or near where the label is 0.

    >>> from tensorlite.compat import v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant([[1.0, 0.0]])
    ...     loss = tf.contrib.losses.metric_learning.contrastive_loss([1], x, x + 1.0)
    ...     round(float(session.run(loss)), 4)
    2.0
    """
    given = [converted(labels), embeddings_anchor, embeddings_positive]
    return _contrastive(given, margin)


def triplet_semihard_loss(labels: Any, embeddings: Any, margin: Any = 1.0) -> Any:
    """Return the mean over pairs of one label of how little they are nearer than a negative."""
    return _triplets([converted(labels), embeddings], margin)


def lifted_struct_loss(labels: Any, embeddings: Any, margin: Any = 1.0) -> Any:
    """Return the mean over pairs of one label of a smooth cost of all that have others."""
    return _lifted([converted(labels), embeddings], margin)


def npairs_loss(
    labels: Any,
    embeddings_anchor: Any,
    embeddings_positive: Any,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Any:
    """Return the cross entropy of similarities of pairs, and a cost of large embeddings."""
    given = [converted(labels), embeddings_anchor, embeddings_positive]
    return _told(_npairs(given, reg_lambda), print_losses)


def npairs_loss_multilabel(
    sparse_labels: Any,
    embeddings_anchor: Any,
    embeddings_positive: Any,
    reg_lambda: float = 0.002,
    print_losses: bool = False,
) -> Any:
    """Return the same of labels that are sparse vectors; TypeError where they are not."""
    if not all(isinstance(one, SparseTensor) for one in sparse_labels):
        raise TypeError(
            f"sparse_labels must be a list of SparseTensors, but got {sparse_labels}"
        )
    given = [list(sparse_labels), embeddings_anchor, embeddings_positive]
    return _told(_npairs_of_several(given, reg_lambda), print_losses)


def _told(loss: Any, is_printed: bool) -> Any:
    return Print(loss, ["npairs loss:", loss]) if is_printed else loss


_PLACE = "tensorlite.compat.v1.contrib.losses.metric_learning"
__dir__ = listing(_PLACE, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(_PLACE, name, __all__)
