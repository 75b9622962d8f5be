"""Arguments of no allowed kind raise the right class, which says what is allowed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1, v2
from tensorlite.core.errors import TensorliteError

X = np.ones((2, 3), np.float32)
N = np.array([[1, 2], [3, 4]], np.int32)
tf: Any = v2
old: Any = v1

CALLS = {
    "sizes": lambda: tf.constant(X, shape=[1, [2, 3]]),
    "sums of nothing": lambda: tf.add_n([]),
    "messages": lambda: tf.make_ndarray(None),
    "devices": lambda: tf.config.get_logical_device_configuration(None),
    "visible devices": lambda: tf.config.set_visible_devices(object()),
    "numbers of devices": lambda: tf.config.set_logical_device_configuration(None, N),
    "descriptions": lambda: tf.keras.losses.get({}),
    "features": lambda: tf.io.parse_single_sequence_example(
        "a", sequence_features=object()
    ),
    "grey images": lambda: tf.image.grayscale_to_rgb("text"),
    "bands": lambda: tf.linalg.banded_triangular_solve(1.0, N),
    "diagonals": lambda: tf.linalg.diag(X, k=[]),
    "labels": lambda: tf.keras.metrics.top_k_categorical_accuracy(X, "text"),
    "candidates": lambda: tf.random.all_candidate_sampler(-1, 1, 2, True),
    "hits": lambda: tf.nn.compute_accidental_hits(-1, N, 2),
    "layouts": lambda: tf.nn.bias_add(X, N, data_format=object()),
    "strides of volumes": lambda: tf.nn.conv3d(X, N, None, N),
    "labels of sequences": lambda: tf.nn.ctc_loss("text", N, X, N),
    "ids": lambda: tf.nn.safe_embedding_lookup_sparse(X, N),
    "weights of ids": lambda: tf.nn.safe_embedding_lookup_sparse(
        X, tf.sparse.from_dense(N), sparse_weights=object()
    ),
    "axes of statistics": lambda: tf.nn.sufficient_statistics(X, (1, 2, 3)),
    "rows": lambda: tf.ragged.stack([]),
    "steps of frames": lambda: tf.signal.frame(X, 1, 0),
    "axes of frames": lambda: tf.signal.frame(X, 1, 1, axis=7),
    "signals": lambda: tf.signal.dct(1.0),
    "spectra": lambda: tf.signal.inverse_mdct([]),
    "windows": lambda: tf.signal.kaiser_bessel_derived_window(-1),
    "bins": lambda: tf.signal.mfccs_from_log_mel_spectrograms([]),
    "no sparse tensors": lambda: tf.sparse.concat(0, []),
    "rows of slices": lambda: tf.sparse.mask(None, N),
    "sparse matrices": lambda: tf.sparse.sparse_dense_matmul(X, X),
    "templates": lambda: tf.strings.format(None, N),
    "pads of n-grams": lambda: tf.strings.ngrams(["a"], 2, pad_values=[]),
    "writers": lambda: tf.summary.flush(writer=object()),
    "options of models": lambda: tf.saved_model.save(
        tf.Module(), "unused", options=object()
    ),
    "places of sparse tensors": lambda: tf.sparse.SparseTensor(1, [2], [3]),
    "counts of sparse tensors": lambda: tf.sparse.SparseTensor([[0], [1]], [2], [3]),
    "axes of sparse tensors": lambda: tf.sparse.SparseTensor([[0]], [2], [3, 4]),
}

IN_GRAPHS = {
    "maps of inputs": lambda: old.import_graph_def(old.GraphDef(), object()),
    "variables to initialize": lambda: old.variables_initializer("text"),
    "variables to ask": lambda: old.is_variable_initialized(None),
    "variables to look at": lambda: old.assert_variables_initialized("text"),
    "counters": lambda: old.count_up_to(None, 3),
    "variables to scatter to": lambda: old.scatter_update(None, N, X),
    "logits": lambda: old.multinomial("text", 3),
    "blocks": lambda: old.required_space_to_batch_paddings([4], 2),
    "merged ids": lambda: old.sparse_merge(None, None, 3),
    "datasets": lambda: old.data.get_output_types(None),
    "datasets of iterators": lambda: old.data.make_one_shot_iterator(None),
    "codes": lambda: old.errors.exception_type_from_error_code(None),
    "errors": lambda: old.errors.error_code_from_exception_type(None),
    "flattened": lambda: old.layers.flatten(None),
    "predictions": lambda: old.metrics.mean_iou(None, N, 2),
    "paddings": lambda: old.nn.avg_pool(np.ones((1, 2, 2, 1)), 1, 1, None),
    "tensors of signatures": lambda: old.saved_model.build_tensor_info(None),
    "signatures": lambda: old.saved_model.is_valid_signature(None),
    "half spectra": lambda: old.signal.irfft2d([1.0]),
    "graphs of steps": lambda: old.train.get_global_step(object()),
    "steps": lambda: old.train.assert_global_step(None),
    "supervisors": lambda: old.train.basic_train_loop(None, lambda *_: None),
    "scaffolds": lambda: old.train.MonitoredTrainingSession(scaffold=object()),
    "sessions": lambda: old.train.global_step(None, None),
    "datasets to begin": lambda: old.data.make_initializable_iterator(None),
    "texts laid flat": lambda: old.layers.flatten("text"),
    "no diagonals": lambda: old.linalg.tridiagonal_solve([], []),
    "no length of a signal": lambda: old.signal.irfft(np.ones(3, np.complex64), []),
    "lengths of planes": lambda: old.signal.rfft2d(X, [2]),
    "copies": lambda: old.tile(X, [10**30, 1]),
    "cells": lambda: old.nn.static_state_saving_rnn(None, [X], None, "a"),
    "savers of states": lambda: old.nn.static_state_saving_rnn(
        old.nn.rnn_cell.BasicRNNCell(2), [X], None, "a"
    ),
    "no rows to batch": lambda: old.train.batch_join([], 2),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_arguments_of_no_allowed_kind_are_refused(call: Any) -> None:
    with (
        old.Graph().as_default(),
        tf.init_scope(),
        pytest.raises(TensorliteError) as at,
    ):
        call()
    assert str(at.value)


@pytest.mark.parametrize("call", IN_GRAPHS.values(), ids=IN_GRAPHS)
def test_those_of_graphs_are_refused(call: Any) -> None:
    with old.Graph().as_default(), pytest.raises(TensorliteError) as at:
        call()
    assert str(at.value)
