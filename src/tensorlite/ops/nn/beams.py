"""Beams: the sequences that a search ended with, read back from each step's choices.

The search itself, which is made of other operators, is in compat/v1/recurrent/beam_search.py.
"""

from __future__ import annotations

import numpy as np

from tensorlite.core.dispatch import call
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.core.op import Op
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.core.xp import Array, Xp

__all__ = ["gather_tree"]


class GatherTree(Op):
    """The whole sequences of beams: each step's symbol and the beam that it went on from."""

    differentiable = False
    host = (0, 1, 2, 3)

    def infer(
        self,
        step_ids: TensorSpec,
        parent_ids: TensorSpec,
        lengths: TensorSpec,
        end_token: TensorSpec,
    ) -> TensorSpec:
        """Return the spec of the symbols; ShapeError unless they are steps, batch, beams."""
        ranks = [
            None if x.shape is None else len(x.shape)
            for x in (step_ids, parent_ids, lengths, end_token)
        ]
        if any(
            n not in (None, wanted)
            for n, wanted in zip(ranks, (3, 3, 1, 0), strict=True)
        ):
            raise ShapeError(
                "gather_tree takes symbols and parents of shape (steps, batch, beams), a length "
                f"for each of the batch and one end token, not tensors of ranks {ranks}"
            )
        return step_ids.without_value()

    def kernel(
        self,
        xp: Xp,
        step_ids: Array,
        parent_ids: Array,
        lengths: Array,
        end_token: Array,
    ) -> Array:
        """Walk back from each sequence's last step, then end behind the first end token."""
        steps, batch, beams = step_ids.shape
        if parent_ids.shape != step_ids.shape or lengths.shape != (batch,):
            raise ShapeError(
                f"gather_tree: symbols are {step_ids.shape}, parents {parent_ids.shape} and "
                f"lengths {lengths.shape}; the first two must be equal, and a length be given for "
                "each of the batch"
            )
        found = np.full_like(step_ids, end_token)
        rows, beam = np.arange(batch)[:, None], np.tile(np.arange(beams), (batch, 1))
        for step in range(steps - 1, -1, -1):
            within = (step < lengths)[:, None]
            np.copyto(found[step], step_ids[step, rows, beam], where=within)
            beam = np.where(within, parent_ids[step, rows, beam], beam)
            if step and not ((beam >= 0) & (beam < beams)).all():
                raise InvalidArgumentError(
                    f"gather_tree: step {step} goes on from a beam that is not there; parents "
                    f"must lie in 0 .. {beams - 1}"
                )
        ended = np.cumsum(found == end_token, axis=0) > 0
        found[ended] = end_token
        return xp.asarray(found)


def gather_tree(
    step_ids: TensorLike,
    parent_ids: TensorLike,
    max_sequence_lengths: TensorLike,
    end_token: TensorLike,
    /,
) -> Tensor:
    """Return the sequences of beams (steps, batch, beams) of their symbols and parents.

    Behind a sequence's length, and behind the first end token, stands the end token.

    >>> symbols, parents = [[[1, 2]], [[3, 4]]], [[[0, 0]], [[1, 0]]]
    >>> print(gather_tree(symbols, parents, [2], 9).numpy().tolist())
    [[[2, 1]], [[3, 4]]]
    """
    return call(GatherTree(), step_ids, parent_ids, max_sequence_lengths, end_token)
