"""Decoders with helpers, attention and beam search: variables' names, outputs and gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LENGTHS = [3, 0, 2]
WORDS = 5


def evenly(shape: Any, dtype: Any = None, partition_info: Any = None) -> Any:
    """Return numbers from -1 to 1, not in order."""
    count = int(np.prod(shape))
    return np.sin(3.0 * np.arange(1, count + 1)).reshape(shape).astype("f")


def program(tf: Any) -> dict[str, Any]:
    """Return what each model makes."""
    found = {}
    for make in (*HELPERS, *ATTENDING, *SEARCHING):
        with tf.Graph().as_default():
            tf.set_random_seed(3)
            with tf.variable_scope("model", initializer=evenly):
                made = make(tf, tf.contrib.seq2seq)
            found[make.__name__] = _run(tf, made)
    return found


def _run(tf: Any, made: Any) -> list[Any]:
    names = [[v.name, v.get_shape().as_list()] for v in tf.trainable_variables()]
    floating = [x for x in _leaves(made) if x.dtype == tf.float32]
    kept = [x for x in floating if "rnn_output" in made or x is floating[0]]
    gradients = tf.gradients(kept, tf.trainable_variables())
    dense = [tf.convert_to_tensor(x) for x in gradients if x is not None]
    shapes = [x.get_shape().as_list() for x in _leaves(made)]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return [names, shapes, session.run([made, dense])]


def _leaves(made: Any) -> list[Any]:
    if isinstance(made, dict):
        return [x for key in sorted(made) for x in _leaves(made[key])]
    if isinstance(made, (list, tuple)):
        return [x for member in made for x in _leaves(member)]
    return [made]


def _inputs(tf: Any) -> Any:
    return tf.constant(np.cos(np.arange(36)).reshape(3, 3, 4), tf.float32)


def _table(tf: Any) -> Any:
    return tf.get_variable("table", [WORDS, 4])


def _decoded(tf: Any, s: Any, helper: Any, cell: Any = None, **options: Any) -> Any:
    cell = cell or tf.nn.rnn_cell.BasicLSTMCell(4)
    state = options.pop("state", None) or cell.zero_state(3, tf.float32)
    layer = tf.layers.Dense(WORDS, name="words", kernel_initializer=evenly)
    decoder = s.BasicDecoder(cell, helper, state, layer)
    outputs, _, lengths = s.dynamic_decode(decoder, **options)
    return {"rnn_output": outputs.rnn_output, "ids": outputs.sample_id, "n": lengths}


def training(tf: Any, s: Any) -> Any:
    """Read what is given."""
    return _decoded(tf, s, s.TrainingHelper(_inputs(tf), LENGTHS))


def masked(tf: Any, s: Any) -> Any:
    """Give zeros behind the ends, time first."""
    time_first = tf.transpose(_inputs(tf), [1, 0, 2])
    helper = s.TrainingHelper(time_first, tf.constant(LENGTHS), time_major=True)
    return _decoded(tf, s, helper, impute_finished=True, output_time_major=True)


def greedy(tf: Any, s: Any) -> Any:
    """Go on from the likeliest word."""
    helper = s.GreedyEmbeddingHelper(_table(tf), [1, 2, 3], 4)
    return _decoded(tf, s, helper, maximum_iterations=5)


def sampling(tf: Any, s: Any) -> Any:
    """Go on from words drawn."""
    helper = s.SampleEmbeddingHelper(
        _table(tf), tf.fill([3], 1), 4, softmax_temperature=0.05, seed=7
    )
    return _decoded(tf, s, helper, maximum_iterations=4)


def scheduled(tf: Any, s: Any) -> Any:
    """Go on from words drawn, or from what is given."""
    table = _table(tf)
    helper = s.ScheduledEmbeddingTrainingHelper(
        _inputs(tf), [3, 1, 2], table, 0.5, seed=5, scheduling_seed=6
    )
    return _decoded(tf, s, helper)


def scheduled_outputs(tf: Any, s: Any) -> Any:
    """Go on from outputs, or from what is given."""
    helper = s.ScheduledOutputTrainingHelper(
        _inputs(tf),
        [3, 1, 2],
        1.0,
        seed=5,
        next_inputs_fn=lambda x: x[:, :4],
        auxiliary_inputs=tf.ones([3, 3, 1]),
    )
    helper_of_all = s.ScheduledOutputTrainingHelper(
        tf.zeros([3, 3, WORDS]), [3, 1, 2], 0.0
    )
    with tf.variable_scope("all"):
        second = _decoded(tf, s, helper_of_all)["rnn_output"]
    return {"rnn_output": [_decoded(tf, s, helper)["rnn_output"], second]}


def custom(tf: Any, s: Any) -> Any:
    """Do what functions say."""
    helper = s.CustomHelper(
        lambda: (tf.zeros([3], tf.bool), tf.ones([3, 2])),
        lambda time, outputs, state: tf.cast(tf.argmax(outputs, 1), tf.int32) + time,
        lambda time, outputs, state, sample_ids: (
            sample_ids > 4,
            outputs[:, :2],
            state,
        ),
    )
    return _decoded(tf, s, helper, maximum_iterations=3)


def inference(tf: Any, s: Any) -> Any:
    """Go on from the outputs themselves."""
    helper = s.InferenceHelper(
        sample_fn=lambda outputs: outputs * 0.5,
        sample_shape=[WORDS],
        sample_dtype=tf.float32,
        start_inputs=tf.ones([3, WORDS]),
        end_fn=lambda x: x[:, 0] > 10.0,
    )
    return _decoded(tf, s, helper, maximum_iterations=3)


def _attending(kind: str, lengths: Any = None, **options: Any) -> Callable[..., Any]:
    wrapped = {
        key: options.pop(key)
        for key in ("attention_layer_size", "output_attention", "alignment_history")
        if key in options
    }

    def made(tf: Any, s: Any) -> Any:
        memory = tf.constant(np.sin(np.arange(60)).reshape(3, 5, 4), tf.float32)
        mechanism = getattr(s, kind)(4, memory, lengths, **options)
        cell = s.AttentionWrapper(
            tf.nn.rnn_cell.GRUCell(4), mechanism, initial_cell_state=None, **wrapped
        )
        helper = s.TrainingHelper(_inputs(tf), [3, 1, 2])
        return _decoded(tf, s, helper, cell)

    made.__name__ = "_".join([kind, *sorted(options), *sorted(wrapped)])
    return made


def two_mechanisms(tf: Any, s: Any) -> Any:
    """Look at two memories, and keep where."""
    memory = tf.constant(np.sin(np.arange(60)).reshape(3, 5, 4), tf.float32)
    mechanisms = [s.LuongAttention(3, memory), s.BahdanauAttention(2, memory)]
    first = tf.ones([3, 3])
    cell = s.AttentionWrapper(
        tf.nn.rnn_cell.BasicRNNCell(3),
        [s.LuongAttention(3, memory), mechanisms[1]],
        attention_layer_size=[2, 3],
        alignment_history=True,
        initial_cell_state=first,
    )
    decoder = s.BasicDecoder(
        cell, s.TrainingHelper(_inputs(tf), [3, 3, 2]), cell.zero_state(3, tf.float32)
    )
    outputs, last, _ = s.dynamic_decode(decoder)
    history = [x.stack() for x in last.alignment_history]
    other = last.clone(cell_state=tf.zeros([3, 3]))
    return {"rnn_output": outputs.rnn_output, "h": history, "z": other.cell_state}


def forms_of_monotonic(tf: Any, s: Any) -> Any:
    """Return what each form of monotonic attention makes of the same."""
    p = tf.sigmoid(tf.constant(np.sin(np.arange(8)).reshape(2, 4), tf.float32))
    before = tf.one_hot([0, 1], 4)
    forms = [s.monotonic_attention(p, before, x) for x in ("recursive", "parallel")]
    hard = s.monotonic_attention(tf.round(p), before, "hard")
    return {"rnn_output": [*forms, hard, s.hardmax(p), s.safe_cumprod(p, axis=1)]}


def _searching(**options: Any) -> Callable[..., Any]:
    attending = options.pop("attending", False)

    def made(tf: Any, s: Any) -> Any:
        cell: Any = tf.nn.rnn_cell.BasicLSTMCell(4)
        state = cell.zero_state(6, tf.float32)
        if attending:
            memory = tf.constant(np.sin(np.arange(40)).reshape(2, 5, 4), tf.float32)
            memory = tf.placeholder_with_default(memory, [2, None, 4])
            mechanism = s.BahdanauAttention(
                3, s.tile_batch(memory, 3), s.tile_batch(tf.constant([5, 4]), 3)
            )
            cell = s.AttentionWrapper(cell, mechanism, 4, alignment_history=True)
            state = cell.zero_state(6, tf.float32)
        layer = tf.layers.Dense(WORDS, use_bias=False, kernel_initializer=evenly)
        decoder = s.BeamSearchDecoder(
            cell, _table(tf), [1, 2], 4, state, 3, layer, **options
        )
        found, last, lengths = s.dynamic_decode(decoder, maximum_iterations=6)
        kept = {"ids": found.predicted_ids, "n": lengths, "log": last.log_probs}
        kept["steps"] = list(found.beam_search_decoder_output)
        if attending:
            kept["history"] = last.cell_state.alignment_history
        return kept

    made.__name__ = "_".join(["search", *sorted(options), *["with"] * attending])
    return made


def trees(tf: Any, s: Any) -> Any:
    """Return sequences read back from beams."""
    steps = np.array([[[1, 2, 3]], [[4, 9, 6]], [[7, 8, 9]], [[1, 1, 1]]], np.int32)
    parents = np.array([[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[0, 0, 0]]], np.int32)
    return [
        *[s.gather_tree(steps, parents, [n], 9) for n in (0, 1, 3, 4, 7)],
        s.tile_batch(tf.ones([2, 1]), 2),
    ]


HELPERS = (
    training,
    masked,
    greedy,
    sampling,
    scheduled,
    scheduled_outputs,
    custom,
    inference,
)
ATTENDING = (
    _attending("LuongAttention"),
    _attending("LuongAttention", [5, 2, 3], scale=True, attention_layer_size=3),
    _attending("BahdanauAttention", [5, 2, 3], attention_layer_size=3),
    _attending("BahdanauAttention", normalize=True, output_attention=False),
    _attending("LuongMonotonicAttention", scale=True, score_bias_init=0.5),
    _attending("BahdanauMonotonicAttention", [5, 2, 3], normalize=True),
    _attending("BahdanauMonotonicAttention", mode="hard"),
    two_mechanisms,
    forms_of_monotonic,
)
SEARCHING = (
    _searching(),
    _searching(length_penalty_weight=0.7),
    _searching(coverage_penalty_weight=0.2, attending=True),
    trees,
)
