"""Helpers of decoders that now and then go on from what was made, not from what is given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shared.arrays import concat, fill
from tensorlite.compat.shared.elementwise import cast, less, logical_not, logical_or
from tensorlite.compat.shared.picking import scatter_nd
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.v1.functions.arrays import shape, where
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.gathering import gather_nd
from tensorlite.compat.v1.functions.numbers import reduce_all, reduce_any
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.random import random_uniform
from tensorlite.compat.v1.recurrent.decoding_helpers import (
    TrainingHelper,
    categorical,
    embedding_of,
    known_rank,
    sampled,
    unstacked,
)
from tensorlite.compat.v1.recurrent.rnn import time_first
from tensorlite.core.dtypes import bool_, int32


def bernoulli(probs: Any, count: Any, dtype: Any, seed: int | None) -> Any:
    """Return draws of some probability, or of one each."""
    probs = framework.convert_to_tensor(probs, name="probs")
    sizes = shape(probs)

    def draws(number: Any) -> Any:
        whole = concat([[number], sizes], 0)
        drawn = random_uniform(whole, seed=seed, dtype=probs.dtype)
        return cast(less(drawn, probs), dtype)

    return sampled(draws, count)


def _probability(sampling_probability: Any) -> Any:
    return known_rank(
        framework.convert_to_tensor(
            sampling_probability, name="sampling_probability"
        ),
        (0, 1),
        "sampling_probability must be either a scalar or a vector",
    )


def _places(chosen: Any) -> Any:
    return cast(where(chosen), int32)


def _mixed(
    chosen: Any, others: Any, made: Callable[[Any], tuple[Any, Any]], given: Any
) -> Any:
    """Return rows made for the places chosen, and those given for the others.

    made(places) is what rows are made of, and a function of that.
    """
    here, there = _places(chosen), _places(others)
    found, last = made(here)
    rest = gather_nd(given, there)
    updates, sizes = last(found), shape(given)
    first = scatter_nd(indices=here, updates=updates, shape=sizes)
    return first + scatter_nd(indices=there, updates=rest, shape=sizes)


class ScheduledEmbeddingTrainingHelper(TrainingHelper):
    """Gives known inputs, or vectors of drawn symbols now and then (Bengio et al. 2015)."""

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        embedding: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        scheduling_seed: int | None = None,
        name: str | None = None,
    ) -> None:
        with framework.name_scope(name, "ScheduledEmbeddingSamplingWrapper"):
            self._embedding_fn = embedding_of(embedding)
            self._sampling_probability = _probability(sampling_probability)
            self._seed, self._scheduling_seed = seed, scheduling_seed
            super().__init__(inputs, sequence_length, time_major, name)

    def sample(
        self,
        time: Any,
        outputs: Any,
        state: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return drawn symbols with sampling_probability, elsewhere -1."""
        with framework.name_scope(name, "ScheduledEmbeddingTrainingHelperSample"):
            chosen = bernoulli(
                self._sampling_probability,
                self.batch_size,
                bool_,
                self._scheduling_seed,
            )
            drawn = categorical(outputs, self._seed)
            return where(chosen, drawn, fill([self.batch_size], -1))

    def next_inputs(
        self,
        time: Any,
        outputs: Any,
        state: Any,
        sample_ids: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return (finished, next inputs, state).

        The inputs are the vectors of drawn symbols where there are any, else those given.
        """
        with framework.name_scope(name, "ScheduledEmbeddingTrainingHelperNextInputs"):
            finished, given, state = super().next_inputs(
                time, outputs, state, name=name
            )
            following = cond(
                reduce_all(finished),
                lambda: given,
                lambda: _mixed(
                    sample_ids > -1,
                    sample_ids <= -1,
                    lambda here: (gather_nd(sample_ids, here), self._embedding_fn),
                    given,
                ),
            )
            return finished, following, state


class ScheduledOutputTrainingHelper(TrainingHelper):
    """Gives known inputs, or the last outputs now and then (Bengio et al. 2015)."""

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        sampling_probability: Any,
        time_major: bool = False,
        seed: int | None = None,
        next_inputs_fn: Any = None,
        auxiliary_inputs: Any = None,
        name: str | None = None,
    ) -> None:
        with framework.name_scope(name, "ScheduledOutputTrainingHelper"):
            self._sampling_probability = _probability(sampling_probability)
            self._seed, self._next_inputs_fn = seed, next_inputs_fn
            self._auxiliary: TensorArray | None = None
            if auxiliary_inputs is not None:
                inputs = framework.convert_to_tensor(inputs, name="inputs")
                more = framework.convert_to_tensor(auxiliary_inputs)
                inputs = concat((inputs, more), -1)
                self._auxiliary = unstacked(more if time_major else time_first(more))
            super().__init__(inputs, sequence_length, time_major, name)

    def sample(
        self,
        time: Any,
        outputs: Any,
        state: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return 1 with sampling_probability, else 0: whether outputs become inputs."""
        with framework.name_scope(name, "ScheduledOutputTrainingHelperSample"):
            return bernoulli(
                self._sampling_probability, self.batch_size, int32, self._seed
            )

    def next_inputs(
        self,
        time: Any,
        outputs: Any,
        state: Any,
        sample_ids: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return (finished, next inputs, state).

        The inputs are the last outputs where that was drawn, else those given.
        """
        with framework.name_scope(name, "ScheduledOutputTrainingHelperNextInputs"):
            finished, given, state = super().next_inputs(
                time, outputs, state, name=name
            )
            chosen = cast(sample_ids, bool_)
            nothing = logical_or(
                reduce_all(finished), logical_not(reduce_any(chosen))
            )
            following = cond(
                nothing,
                lambda: given,
                lambda: self._sampled(chosen, outputs, given, time),
            )
            return finished, following, state

    def _sampled(self, chosen: Any, outputs: Any, given: Any, time: Any) -> Any:
        if self._next_inputs_fn is None:
            return where(chosen, self._with_more(outputs, time), given)

        def made(here: Any) -> Any:
            return gather_nd(outputs, here), lambda x: self._with_more(
                self._next_inputs_fn(x), time, here
            )

        return _mixed(chosen, logical_not(chosen), made, given)

    def _with_more(self, outputs: Any, time: Any, here: Any = None) -> Any:
        if self._auxiliary is None:
            return outputs
        more = self._auxiliary.read(time + 1)
        more = more if here is None else gather_nd(more, here)
        return concat((outputs, more), -1)
