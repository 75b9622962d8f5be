"""Helpers of decoders: which symbol a step's output stands for, and what the next input is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared.arrays import concat, rank, reshape, transpose
from tensorlite.compat.shared.cutting import tile
from tensorlite.compat.shared.elementwise import (
    cast,
    equal,
)
from tensorlite.compat.shared.padding import pad
from tensorlite.compat.shared.tensor_arrays import TensorArray
from tensorlite.compat.v1.functions.arrays import shape, size, zeros_like
from tensorlite.compat.v1.functions.control_flow import cond
from tensorlite.compat.v1.functions.embeddings import embedding_lookup
from tensorlite.compat.v1.functions.numbers import argmax, reduce_all, reduce_prod
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.random import multinomial
from tensorlite.compat.v1.recurrent.rnn import time_first
from tensorlite.core import nest
from tensorlite.core.dtypes import int32, int64
from tensorlite.core.errors import DTypeError, InvalidArgumentError, ShapeError
from tensorlite.core.operand import Operand


def categorical(logits: Any, seed: int | None) -> Any:
    """Return a class for each row of logits."""
    classes, batch = shape(logits)[-1], shape(logits)[:-1]

    def draws(count: Any) -> Any:
        rows = logits
        if logits.get_shape().rank != 2:
            rows = reshape(logits, [-1, classes])
        wide = int64 if logits.dtype.size > 4 else int32
        drawn = multinomial(rows, count, seed=seed, output_dtype=wide)
        drawn = reshape(transpose(drawn), concat([[count], batch], 0))
        return cast(drawn, int32)

    return sampled(draws, ())


def sampled(draws: Callable[[Any], Any], sizes: Any) -> Any:
    """Return as many draws as a shape has elements, in that shape."""
    with framework.name_scope("call_sampler"):
        given = framework.convert_to_tensor(sizes, int32, name="sample_shape")
        before = cast(equal(rank(given), 0), int32)
        dims = pad(shape(given), [[before, 0]], constant_values=1)
        known = given.get_shape().as_list() or [1]
        given = reshape(given, dims)
        given.set_shape(known)
        made = draws(reduce_prod(given))
        return reshape(made, concat([given, shape(made)[1:]], 0))


def embedding_of(embedding: Any) -> Callable[[Any], Any]:
    """Return a function of symbols, given as one or as a table."""
    if callable(embedding) and not isinstance(embedding, Operand):
        function: Callable[[Any], Any] = embedding
        return function
    return lambda ids: embedding_lookup(embedding, ids)


def known_rank(x: Any, ranks: tuple[int, ...], message: str) -> Any:
    """Return a tensor; ShapeError unless it is of such a rank."""
    if x.get_shape().rank not in ranks:
        raise ShapeError(f"{message}, saw shape: {x.get_shape()}")
    return x


def unstacked(x: Any) -> TensorArray:
    """Return the steps of sequences, whose first axis is time, as an array of tensors."""
    sizes = x.get_shape().as_list()[1:]
    return TensorArray(x.dtype, shape(x)[0], element_shape=sizes).unstack(x)


class Helper:
    """What a BasicDecoder asks for symbols and inputs."""

    @property
    def batch_size(self) -> Any:
        """How many sequences there are; subclasses say it."""
        raise NotImplementedError("batch_size has not been implemented")

    @property
    def sample_ids_shape(self) -> Any:
        """Shape of a step's sample ids, without the batch; subclasses say it."""
        raise NotImplementedError("sample_ids_shape has not been implemented")

    @property
    def sample_ids_dtype(self) -> Any:
        """Dtype of a step's sample ids; subclasses say it."""
        raise NotImplementedError("sample_ids_dtype has not been implemented")

    def initialize(self, name: str | None = None) -> Any:
        """Return (finished, first inputs); subclasses say how."""
        raise NotImplementedError

    def sample(
        self, time: Any, outputs: Any, state: Any, name: str | None = None
    ) -> Any:
        """Return the symbols that a step's outputs stand for; subclasses say how."""
        raise NotImplementedError

    def next_inputs(
        self,
        time: Any,
        outputs: Any,
        state: Any,
        sample_ids: Any,
        name: str | None = None,
    ) -> Any:
        """Return (finished, next inputs, next state); subclasses say how."""
        raise NotImplementedError


class _OfSymbols(Helper):
    """A helper whose symbols are whole numbers, one for each of the batch."""

    _batch_size: Any = None

    @property
    def batch_size(self) -> Any:
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        return TensorShape([])

    @property
    def sample_ids_dtype(self) -> Any:
        return int32


class CustomHelper(Helper):
    """Asks functions for the first inputs, for symbols, and for the next inputs."""

    def __init__(
        self,
        initialize_fn: Callable[..., Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn, self._sample_fn = initialize_fn, sample_fn
        self._next_inputs_fn = next_inputs_fn
        self._batch_size: Any = None
        self._shape = TensorShape(sample_ids_shape or [])
        self._dtype = sample_ids_dtype or int32

    @property
    def batch_size(self) -> Any:
        """How many sequences there are.

        Before initialize was called, InvalidArgumentError is raised.
        """
        if self._batch_size is None:
            raise InvalidArgumentError(
                "batch_size accessed before initialize was called"
            )
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """Shape of a step's sample ids, without the batch."""
        return self._shape

    @property
    def sample_ids_dtype(self) -> Any:
        """Dtype of a step's sample ids."""
        return self._dtype

    def initialize(self, name: str | None = None) -> Any:
        """Return (finished, first inputs), as initialize_fn says."""
        with framework.name_scope(name, f"{type(self).__name__}Initialize"):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = size(finished)
        return finished, inputs

    def sample(
        self, time: Any, outputs: Any, state: Any, name: str | None = None
    ) -> Any:
        """Return the symbols that sample_fn takes a step's outputs for."""
        with framework.name_scope(name, f"{type(self).__name__}Sample"):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self,
        time: Any,
        outputs: Any,
        state: Any,
        sample_ids: Any,
        name: str | None = None,
    ) -> Any:
        """Return (finished, next inputs, next state), as next_inputs_fn says."""
        with framework.name_scope(name, f"{type(self).__name__}NextInputs"):
            return self._next_inputs_fn(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids
            )


class TrainingHelper(_OfSymbols):
    """Gives inputs that are known: sequences [batch, time, ...], until their lengths."""

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        time_major: bool = False,
        name: str | None = None,
    ) -> None:
        with framework.name_scope(name, "TrainingHelper"):
            self._inputs = nest.map_structure(framework.convert_to_tensor, inputs)
            given = self._inputs
            if not time_major:
                given = nest.map_structure(time_first, given)
            self._leaves, self._structure = nest.flatten(given), given
            self._arrays = [unstacked(x) for x in self._leaves]
            self._sequence_length = known_rank(
                framework.convert_to_tensor(sequence_length, name="sequence_length"),
                (1,),
                "Expected sequence_length to be a vector",
            )
            self._zero_inputs = nest.map_structure(
                lambda x: zeros_like(x[0, :]), given
            )
            self._batch_size = size(sequence_length)

    @property
    def inputs(self) -> Any:
        """The sequences that are read."""
        return self._inputs

    @property
    def sequence_length(self) -> Any:
        """How long each sequence is."""
        return self._sequence_length

    def _read(self, finished: Any, time: Any) -> Any:
        """Return the inputs of a step, or zeros where all sequences have ended."""
        return cond(
            reduce_all(finished),
            lambda: self._zero_inputs,
            lambda: nest.pack_like(
                self._structure, [array.read(time) for array in self._arrays]
            ),
        )

    def initialize(self, name: str | None = None) -> Any:
        """Return (finished, first inputs): what stands at time 0."""
        with framework.name_scope(name, "TrainingHelperInitialize"):
            finished = equal(0, self._sequence_length)
            return finished, self._read(finished, 0)

    def sample(
        self,
        time: Any,
        outputs: Any,
        state: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return the likeliest symbols, int32; they do not change the next inputs."""
        with framework.name_scope(name, "TrainingHelperSample"):
            return cast(argmax(outputs, axis=-1), int32)

    def next_inputs(
        self,
        time: Any,
        outputs: Any,
        state: Any,
        sample_ids: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> Any:
        """Return (finished, next inputs, state): what stands at the next time."""
        with framework.name_scope(name, "TrainingHelperNextInputs"):
            following = time + 1
            finished = following >= self._sequence_length
            return finished, self._read(finished, following), state


class GreedyEmbeddingHelper(_OfSymbols):
    """Gives the vector of the likeliest symbol as next input, until end_token."""

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        self._embedding_fn = embedding_of(embedding)
        self._start_tokens = known_rank(
            framework.convert_to_tensor(start_tokens, int32, name="start_tokens"),
            (1,),
            "start_tokens must be a vector",
        )
        self._end_token = known_rank(
            framework.convert_to_tensor(end_token, int32, name="end_token"),
            (0,),
            "end_token must be a scalar",
        )
        self._batch_size = size(start_tokens)
        self._start_inputs = self._embedding_fn(self._start_tokens)

    def initialize(self, name: str | None = None) -> Any:
        """Return (finished, first inputs): vectors of the start tokens."""
        return tile([False], [self._batch_size]), self._start_inputs

    def sample(
        self, time: Any, outputs: Any, state: Any, name: str | None = None
    ) -> Any:
        """Return the likeliest symbols, int32."""
        return argmax(_one(outputs), axis=-1, output_type=int32)

    def next_inputs(
        self,
        time: Any,
        outputs: Any,
        state: Any,
        sample_ids: Any,
        name: str | None = None,
    ) -> Any:
        """Return (finished, next inputs, state): vectors of the symbols, until end_token."""
        finished = equal(sample_ids, self._end_token)
        following = cond(
            reduce_all(finished),
            lambda: self._start_inputs,
            lambda: self._embedding_fn(sample_ids),
        )
        return finished, following, state


def _one(outputs: Any) -> Any:
    if nest.is_nested(outputs):
        raise DTypeError(
            f"Expected outputs to be a single Tensor, got: {type(outputs)}"
        )
    return outputs


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Gives the vector of a symbol drawn by the outputs as next input, until end_token.

    Logits are over softmax_temperature.
    """

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._softmax_temperature, self._seed = softmax_temperature, seed

    def sample(
        self, time: Any, outputs: Any, state: Any, name: str | None = None
    ) -> Any:
        """Return symbols drawn by the outputs, logits over softmax_temperature."""
        logits = _one(outputs)
        if self._softmax_temperature is not None:
            logits = logits / self._softmax_temperature
        return categorical(logits, self._seed)


class InferenceHelper(Helper):
    """Gives what sample_fn makes of the outputs as next input, until end_fn says so."""

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        self._sample_fn, self._end_fn = sample_fn, end_fn
        self._next_inputs_fn = next_inputs_fn
        self._shape, self._dtype = TensorShape(sample_shape), sample_dtype
        self._start_inputs = framework.convert_to_tensor(
            start_inputs, name="start_inputs"
        )
        self._batch_size = shape(self._start_inputs)[0]

    @property
    def batch_size(self) -> Any:
        """How many sequences there are."""
        return self._batch_size

    @property
    def sample_ids_shape(self) -> Any:
        """Shape of a step's sample ids, without the batch."""
        return self._shape

    @property
    def sample_ids_dtype(self) -> Any:
        """Dtype of a step's sample ids."""
        return self._dtype

    def initialize(self, name: str | None = None) -> Any:
        """Return (finished, first inputs): start_inputs."""
        return tile([False], [self._batch_size]), self._start_inputs

    def sample(
        self, time: Any, outputs: Any, state: Any, name: str | None = None
    ) -> Any:
        """Return what sample_fn gives of a step's outputs."""
        return self._sample_fn(outputs)

    def next_inputs(
        self,
        time: Any,
        outputs: Any,
        state: Any,
        sample_ids: Any,
        name: str | None = None,
    ) -> Any:
        """Return (finished, next inputs, state), as end_fn and next_inputs_fn say."""
        following = (
            sample_ids
            if self._next_inputs_fn is None
            else self._next_inputs_fn(sample_ids)
        )
        return self._end_fn(sample_ids), following, state
