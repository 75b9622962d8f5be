"""Beam search: a decoder that follows several sequences at once, the likeliest so far."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from tensorlite.compat.calling import converted, named
from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import (
    concat,
    fill,
    range as counted,
    reshape,
    stack,
    transpose,
    zeros,
)
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.elementwise import (
    cast,
    equal,
    floordiv,
    floormod,
    log,
    logical_not,
    logical_or,
    minimum,
)
from tensorlite.compat.shared.logging import warn
from tensorlite.compat.shared.masks import (
    sequence_mask,
)
from tensorlite.compat.shared.nn import top_k
from tensorlite.compat.shared.picking import one_hot
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.shared.values import get_static_value
from tensorlite.compat.v1.functions.arrays import (
    expand_dims,
    gather,
    ones_like,
    shape,
    size,
    where,
)
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.gathering import gather_nd
from tensorlite.compat.v1.functions.nn_functions import log_softmax
from tensorlite.compat.v1.functions.numbers import (
    reduce_all,
    reduce_max,
    reduce_mean,
    reduce_sum,
)
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.recurrent.attention import known_or
from tensorlite.compat.v1.recurrent.attention_wrapper import AttentionWrapperState
from tensorlite.compat.v1.recurrent.decoding import (
    Decoder,
    checked_layer,
    mapped,
    output_size_of,
)
from tensorlite.compat.v1.recurrent.decoding_helpers import embedding_of, known_rank
from tensorlite.compat.v1.recurrent.rnn import check_cell
from tensorlite.core import nest
from tensorlite.core.dtypes import as_dtype, bool_, float32, int32, int64
from tensorlite.core.errors import InvalidArgumentError, ShapeError
from tensorlite.ops.nn import beams

BeamSearchDecoderState = namedtuple(  # noqa: PYI024  programs make it so
    "BeamSearchDecoderState",
    ("cell_state", "log_probs", "finished", "lengths", "accumulated_attention_probs"),
)
BeamSearchDecoderOutput = namedtuple(  # noqa: PYI024
    "BeamSearchDecoderOutput", ("scores", "predicted_ids", "parent_ids")
)
FinalBeamSearchDecoderOutput = namedtuple(  # noqa: PYI024
    "FinalBeamSearchDecoderOutput", ("predicted_ids", "beam_search_decoder_output")
)


@named("GatherTree")
def gather_tree(
    step_ids: Any,
    parent_ids: Any,
    max_sequence_lengths: Any,
    end_token: Any,
    name: str | None = None,
) -> Any:
    """Return whole sequences, [time, batch, beam], traced back through the parents of beams.

    step_ids and parent_ids have that shape too; behind a sequence's end, or max_sequence_lengths,
    stands end_token. TensorFlow's operator GatherTree.
    """
    return beams.gather_tree(
        converted(step_ids),
        converted(parent_ids),
        converted(max_sequence_lengths),
        converted(end_token),
    )


def tile_batch(t: Any, multiplier: int, name: str | None = None) -> Any:
    """Return each tensor of t with its rows repeated multiplier times, one after another.

    [batch, ...] becomes [batch * multiplier, ...], as BeamSearchDecoder wants memories and states.
    """
    with framework.name_scope(name, "tile_batch"):
        return nest.map_structure(lambda x: _tiled(x, multiplier), t)


def _tiled(t: Any, multiplier: int) -> Any:
    t = framework.convert_to_tensor(t, name="t")
    rank = t.get_shape().rank
    if not rank:
        raise ShapeError("t must have statically known rank")
    sizes, known = shape(t), t.get_shape().as_list()
    made = tile(expand_dims(t, 1), [1, multiplier, *[1] * (rank - 1)])
    made = reshape(made, concat(([sizes[0] * multiplier], sizes[1:]), 0))
    first = None if known[0] is None else known[0] * multiplier
    made.set_shape([first, *known[1:]])
    return made


def _is_array(x: Any) -> bool:
    return isinstance(x, TensorArray)


def _rank(t: Any) -> int:
    if t.get_shape().rank is None:
        raise ShapeError(
            f"Expected tensor ({t}) to have known rank, but ndims == None."
        )
    return int(t.get_shape().rank)


def _sizes(s: Any) -> list[Any]:
    if isinstance(s, TensorShape):
        return list(s.as_list())
    known = get_static_value(s)
    return [None if known is None else int(known)]


class BeamSearchDecoder(Decoder):
    """Follows the beam_width likeliest sequences of symbols of each row, until all ended.

    The cell, its initial state and memories are tiled beam_width times (tile_batch). Scores are
    over length ** length_penalty_weight (Wu et al. 2016).
    """

    def __init__(
        self,
        cell: Any,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        initial_state: Any,
        beam_width: int,
        output_layer: Any = None,
        length_penalty_weight: Any = 0.0,
        coverage_penalty_weight: Any = 0.0,
        reorder_tensor_arrays: bool = True,
    ) -> None:
        check_cell(cell)
        self._cell, self._output_layer = cell, checked_layer(output_layer)
        self._beam_width, self._reorder = beam_width, reorder_tensor_arrays
        self._penalties = length_penalty_weight, coverage_penalty_weight
        self._embedding_fn = embedding_of(embedding)
        tokens = framework.convert_to_tensor(start_tokens, int32, name="start_tokens")
        known_rank(tokens, (1,), "start_tokens must be a vector")
        self._end_token = framework.convert_to_tensor(
            end_token, int32, name="end_token"
        )
        known_rank(self._end_token, (0,), "end_token must be a scalar")
        self._batch_size = size(tokens)
        known = get_static_value(self._batch_size)
        self._known_batch = None if known is None else int(known)
        self._initial_cell_state = mapped(
            self._split_state, initial_state, cell.state_size
        )
        self._start_tokens = tile(expand_dims(tokens, 1), [1, beam_width])
        self._start_inputs = self._embedding_fn(self._start_tokens)
        first = zeros([self._batch_size], int32)
        self._finished = one_hot(first, beam_width, False, True, dtype=bool_)

    @property
    def batch_size(self) -> Any:
        """How many sequences there are, each with beam_width beams."""
        return self._batch_size

    @property
    def tracks_own_finished(self) -> bool:
        """True: beams change places, so that dynamic_decode must not remember which ended."""
        return True

    @property
    def output_size(self) -> Any:
        """A BeamSearchDecoderOutput of the shapes of a step: [beam_width] each."""
        width = TensorShape([self._beam_width])
        return BeamSearchDecoderOutput(width, width, width)

    @property
    def output_dtype(self) -> Any:
        """A BeamSearchDecoderOutput of the dtypes of scores, predicted ids and parents' ids."""
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        size_ = output_size_of(self._cell, self._output_layer)
        scores = mapped(lambda _: dtype, size_)
        return BeamSearchDecoderOutput(scores, int32, int32)

    def initialize(self, name: str | None = None) -> Any:
        """Return (finished, inputs, state) before a step.

        All but the first beam have -inf as score.
        """
        dtype = nest.flatten(self._initial_cell_state)[0].dtype
        first, width = zeros([self._batch_size], int32), self._beam_width
        on, off = (framework.convert_to_tensor(x, dtype) for x in (0.0, -np.inf))
        looked = attention_probabilities(self._initial_cell_state, self._penalties[1])
        state = BeamSearchDecoderState(
            cell_state=self._initial_cell_state,
            log_probs=one_hot(first, width, on, off, dtype=dtype),
            finished=self._finished,
            lengths=zeros([self._batch_size, width], int64),
            accumulated_attention_probs=() if looked is None else looked,
        )
        return self._finished, self._start_inputs, state

    def step(
        self, time: Any, inputs: Any, state: Any, name: str | None = None
    ) -> Any:
        """Return (outputs, state, next inputs, finished) of a step of all beams.

        The outputs are a BeamSearchDecoderOutput of shapes [batch, beam_width].
        """
        with framework.name_scope(name, "BeamSearchDecoderStep"):
            given = mapped(
                lambda x: self._merge(x, x.get_shape().as_list()[2:]), inputs
            )
            cell_state = mapped(
                self._merge_state, state.cell_state, self._cell.state_size
            )
            outputs, following = self._cell(given, cell_state)
            outputs = mapped(
                lambda x: self._split(x, x.get_shape().as_list()[1:]), outputs
            )
            following = mapped(self._split_state, following, self._cell.state_size)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            found, after = self._searched(outputs, following, state)
            next_inputs = cond(
                reduce_all(after.finished),
                lambda: self._start_inputs,
                lambda: self._embedding_fn(found.predicted_ids),
            )
        return found, after, next_inputs, after.finished

    def finalize(self, outputs: Any, final_state: Any, sequence_lengths: Any) -> Any:
        """Return (outputs, state) with whole sequences: predicted_ids [time, batch, beam_width]."""
        lengths = cast(reduce_max(final_state.lengths, axis=1), int32)
        ids = gather_tree(
            outputs.predicted_ids,
            outputs.parent_ids,
            max_sequence_lengths=lengths,
            end_token=self._end_token,
        )
        if self._reorder:
            cell_state = mapped(
                lambda t: self._sorted(t, outputs.parent_ids, final_state.lengths),
                final_state.cell_state,
            )
            final_state = final_state._replace(cell_state=cell_state)
        return FinalBeamSearchDecoderOutput(ids, outputs), final_state

    def _merge(self, t: Any, sizes: list[Any]) -> Any:
        """Return (batch, beams, ...) as (batch * beams, ...)."""
        first = [self._batch_size * self._beam_width]
        made = reshape(t, concat((first, shape(t)[2:]), 0))
        known = self._known_batch
        made.set_shape([None if known is None else known * self._beam_width, *sizes])
        return made

    def _split(self, t: Any, sizes: list[Any]) -> Any:
        """Return (batch * beams, ...) as (batch, beams, ...)."""
        first = [self._batch_size, self._beam_width]
        made = reshape(t, concat((first, shape(t)[1:]), 0))
        wanted = TensorShape([self._known_batch, self._beam_width, *sizes])
        if not made.get_shape().is_compatible_with(wanted):
            raise ShapeError(
                "Unexpected behavior when reshaping between beam width and batch size.  The "
                f"reshaped tensor has shape: {made.get_shape()}.  We expected it to have shape "
                f"(batch_size, beam_width, depth) == {wanted}.  Perhaps you forgot to create a "
                "zero_state with batch_size=encoder_batch_size * beam_width?"
            )
        made.set_shape(wanted.as_list())
        return made

    def _split_state(self, t: Any, s: Any) -> Any:
        return t if _is_array(t) or not _rank(t) else self._split(t, _sizes(s))

    def _merge_state(self, t: Any, s: Any) -> Any:
        return t if _is_array(t) or _rank(t) < 2 else self._merge(t, _sizes(s))

    def _sorted(self, t: Any, parents: Any, lengths: Any) -> Any:
        """Return the steps in an array along the sequences that the search ended with."""
        if not _is_array(t):
            return t
        sizes = t.element_shape.as_list() if t.element_shape.rank else []
        if not sizes or not self._is_by_beams(sizes):
            warn(
                f"The TensorArray {t} in the cell state is not put in order by the beam search: "
                "its elements must be (batch_size * beam_width, ...) of sizes not known before, "
                "or (batch_size, beam_width, ...). Consider setting reorder_tensor_arrays to False."
            )
            return t
        return _along_beams(t.stack(), parents, lengths)

    def _is_by_beams(self, sizes: list[int | None]) -> bool:
        """Return whether elements may be taken apart by batch and beams, as far as is known."""
        batch, width = self._known_batch, self._beam_width
        if batch is None or sizes[0] is None:
            return True
        apart = len(sizes) > 1 and sizes[1] is not None
        return sizes[0] == batch * width and not (
            apart and sizes[:2] != [batch, width]
        )

    def _searched(self, logits: Any, cell_state: Any, state: Any) -> Any:
        """Return what a step gives, and the state behind it, of the likeliest sequences."""
        width, ended, end = self._beam_width, state.finished, self._end_token
        going, words = logical_not(ended), known_or(logits, -1)
        likely = _masked(log_softmax(logits), end, ended)
        total = expand_dims(state.log_probs, 2) + likely
        zero, one = (framework.constant(x, int64) for x in (0, 1))
        symbols = fill([self._batch_size, width], end)
        longer = one_hot(symbols, words, zero, one, dtype=int64)
        longer = longer * expand_dims(cast(going, int64), 2)
        lengths = longer + expand_dims(state.lengths, 2)
        looked = attention_probabilities(cell_state, self._penalties[1])
        if looked is not None:
            looked = looked * expand_dims(cast(going, float32), 2)
            looked = state.accumulated_attention_probs + looked
        scores = _scores(total, lengths, self._penalties, ended, looked)
        best, places = top_k(reshape(scores, [self._batch_size, -1]), k=width)
        for x in (best, places):
            x.set_shape([self._known_batch, width])
        ids = cast(floormod(places, words), int32)
        parents = cast(floordiv(places, words), int32)
        before = self._picked(parents, ended, width, [-1])
        after = BeamSearchDecoderState(
            cell_state=mapped(lambda t: self._picked_state(parents, t), cell_state),
            log_probs=self._picked(places, total, width * words, [-1]),
            finished=logical_or(before, equal(ids, end)),
            lengths=self._picked(parents, state.lengths, width, [-1])
            + cast(logical_not(before), int64),
            accumulated_attention_probs=()
            if looked is None
            else self._picked_state(parents, looked),
        )
        return BeamSearchDecoderOutput(best, ids, parents), after

    def _picked_state(self, parents: Any, t: Any) -> Any:
        """Return a state of the beams gone on from; what has no row for each stays as it is."""
        width = self._beam_width
        if _is_array(t) or _rank(t) < 2:
            return t
        return self._picked(parents, t, width, [self._batch_size * width, -1])

    def _picked(self, indices: Any, given: Any, among: Any, sizes: list[Any]) -> Any:
        """Return what stands at indices, which count from each of the batch anew."""
        starts = expand_dims(counted(self._batch_size) * among, 1)
        found = gather(reshape(given, sizes), reshape(indices + starts, [-1]))
        axes = 1 + len(sizes)
        found = reshape(found, shape(given)[:axes])
        found.set_shape([self._known_batch, *given.get_shape().as_list()[1:axes]])
        return found


def _along_beams(t: Any, parents: Any, lengths: Any) -> Any:
    """Return stacked steps (time, batch * beams, ...) put in order by the parents of beams."""
    steps, batch, width = (known_or(parents, i) for i in range(3))
    own = tile(reshape(counted(width), [1, 1, -1]), [steps, batch, 1])
    longest = cast(reduce_max(lengths, axis=1), int32)
    ids = gather_tree(own, parents, longest, width + 1)
    within = transpose(sequence_mask(lengths, maxlen=steps), [2, 0, 1])
    ids = where(within, ids, own)
    times = tile(reshape(counted(steps), [-1, 1, 1]), [1, batch, width])
    rows = tile(reshape(counted(batch), [1, -1, 1]), [steps, 1, width])
    split = reshape(t, stack([steps, batch, width, -1]))
    return reshape(gather_nd(split, stack([times, rows, ids], -1)), shape(t))


def attention_probabilities(cell_state: Any, weight: Any) -> Any:
    """Return where the cells of a state looked, or None where coverage has no weight."""
    if isinstance(weight, (int, float)) and weight == 0.0:
        return None
    states = (
        [cell_state] if isinstance(cell_state, AttentionWrapperState) else cell_state
    )
    looking = [x for x in states if isinstance(x, AttentionWrapperState)]
    if not looking:
        raise InvalidArgumentError(
            "coverage_penalty_weight must be 0.0 if no cell is attentional."
        )
    return _mean([_mean(x.alignments) for x in looking])


def _mean(given: Any) -> Any:
    if not isinstance(given, (list, tuple)):
        return given
    if len(given) == 1:
        return given[0]
    return reduce_mean(concat([expand_dims(x, -1) for x in given], -1), -1)


def _masked(likely: Any, end: Any, ended: Any) -> Any:
    """Return the logarithms of what follows: only the end follows sequences that have ended."""
    words, dtype = shape(likely)[2], likely.dtype
    least = np.finfo(as_dtype(dtype).numpy).min
    on, off = (framework.convert_to_tensor(x, dtype) for x in (0.0, least))
    row = one_hot(end, words, on, off, dtype=dtype)
    rows = tile(reshape(row, [1, 1, -1]), concat([shape(ended), [1]], 0))
    return where(tile(expand_dims(ended, 2), [1, 1, words]), rows, likely)


def _scores(
    total: Any, lengths: Any, penalties: tuple[Any, Any], ended: Any, looked: Any
) -> Any:
    """Return the logarithms as they are compared: by length, and by how much was looked at."""
    length, coverage = (framework.convert_to_tensor(x) for x in penalties)
    if get_static_value(length) != 0:
        longer = (5.0 + cast(lengths, float32)) ** length
        total = total / cast(longer / (5.0 + 1.0) ** length, total.dtype)
    known_rank(coverage, (0,), "coverage_penalty_weight should be a scalar")
    if get_static_value(coverage) == 0.0:
        return total
    seen = where(equal(looked, 0.0), ones_like(looked), looked)
    penalty = reduce_sum(log(minimum(seen, 1.0)), 2) * cast(ended, float32)
    return total + expand_dims(penalty * coverage, 2)
