"""What TensorFlow's own unit tests expect; values are those of TensorFlow 2.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2 as tf

v1: Any = tf.compat.v1


def test_lists_with_tensors_are_cast_to_the_dtype_asked_for() -> None:
    doubles = tf.constant([0.5, 1.0], tf.float64)
    made = tf.convert_to_tensor([doubles, [1.0, 2.0]], dtype=tf.float32)
    assert made.dtype == tf.float32
    assert made.numpy().tolist() == [[0.5, 1.0], [1.0, 2.0]]
    with tf.Graph().as_default():
        given = v1.convert_to_tensor([tf.constant([1.0], tf.float64)], tf.float32)
        assert given.dtype == tf.float32


def test_texts_are_as_wide_as_asked_for() -> None:
    assert tf.as_string("hello", width=8).numpy() == b"   hello"
    assert tf.as_string("hello", width=3).numpy() == b"hello"


def test_boxes_in_grey_images_are_white() -> None:
    image = np.zeros((1, 2, 2, 1), np.float32)
    box = [0.0, 0.0, 1.0, 1.0]
    drawn = tf.image.draw_bounding_boxes(image, [[box, box]], None)
    assert drawn.numpy().ravel().tolist() == [1.0] * 4
    given = np.array([[0.5, 0.0, 0.0, 1.0]], np.float32)
    drawn = tf.image.draw_bounding_boxes(image, [[box]], given)
    assert drawn.numpy().ravel().tolist() == [0.5] * 4


def test_the_gradient_of_complex_sigmoids_gradient() -> None:
    y = tf.constant([0.5 + 1j, 1.5 - 0.5j], tf.complex64)
    dy = tf.constant([1.0 + 2j, 0.3 - 1j], tf.complex64)
    with tf.GradientTape() as tape:
        tape.watch([y, dy])
        made = tf.raw_ops.SigmoidGrad(y=y, dy=dy)
    by_y, by_dy = tape.gradient(made, [y, dy])
    assert np.allclose(by_y.numpy(), [4 + 2j, 0.4 - 2.3j])
    assert np.allclose(by_dy.numpy(), [1.25, -0.5 - 1j])


@pytest.mark.parametrize("holds", [False, True])
def test_what_stands_outside_runs_though_only_a_branch_waits_for_it(
    holds: bool,
) -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.Variable(1.0, use_resource=True)
        session.run(variable.initializer)
        more = variable.assign_add(1.0)

        def branch() -> Any:
            with tf.control_dependencies([more]):
                return tf.constant(1.0)

        asked = v1.placeholder_with_default(holds, None)
        chosen = tf.cond(asked, branch, lambda: tf.constant(2.0))
        assert session.run(chosen) == (1.0 if holds else 2.0)
        assert session.run(variable) == 2.0


def test_writes_one_behind_the_other_all_run() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        variable = v1.Variable(1.0, use_resource=True)
        session.run(variable.initializer)
        assert session.run(variable.assign_add(1.0).assign_add(1.0)) == 3.0
        assert session.run(variable.assign(7.0).assign_sub(2.0)) == 5.0


def test_scopes_initializers_begin_variables_eagerly_too() -> None:
    with v1.variable_scope("bar", initializer=v1.constant_initializer(0.25)):
        assert v1.get_variable("v", [2]).numpy().tolist() == [0.25, 0.25]
    with v1.variable_scope("baz", dtype=tf.float64):
        v1.get_variable_scope().set_initializer(v1.ones_initializer())
        made = v1.get_variable("v", [1])
        assert made.dtype == tf.float64
        assert made.numpy().tolist() == [1.0]


@pytest.mark.parametrize(
    ("labels", "blank", "loss"),
    [
        ([[1, 0, 2], [3, 3, 0]], 0, [5.2998843, 9.6986475]),
        ([[1, 0, 2], [3, 3, 0]], 3, [5.4260302, 6.4597850]),
        ([[1, 0, 1], [2, 0, 2]], 2, [6.4365144, 4.6437740]),
        ([[0, 0, 1], [0, 2, 0]], 0, [5.0184889, 5.7657666]),
    ],
)
def test_the_blank_among_labels(labels: Any, blank: int, loss: Any) -> None:
    made = tf.nn.ctc_loss(labels, _scores(), [3, 3], [6, 5], blank_index=blank)
    assert np.allclose(made.numpy(), loss, rtol=1e-5)


def _scores() -> Any:
    values = np.random.RandomState(1).randn(6, 2, 4)
    return values.astype(np.float32)


def test_labels_end_where_version_1_has_the_blank() -> None:
    places = [[i, j] for i in range(2) for j in range(3)]
    sparse = tf.SparseTensor(
        places, tf.constant([1, 2, 3, 0, 0, 0], tf.int32), [2, 3]
    )
    made = v1.nn.ctc_loss(sparse, _scores(), [6, 5])
    assert np.allclose(made.numpy(), [5.4690766, 12.0968227], rtol=1e-5)
    behind = tf.SparseTensor(places, tf.constant([1, 3, 2, 0, 0, 0]), [2, 3])
    with pytest.raises(ValueError, match="Saw a non-null label"):
        v1.nn.ctc_loss(behind, _scores(), [6, 5])
    with pytest.raises(ValueError, match="must be nonnegative"):
        tf.nn.ctc_loss(sparse, _scores(), None, [6, 5], blank_index=0)


def test_labels_without_runs_and_each_once() -> None:
    rows = [[1, 1, 2, 2, 1], [3, 3, 3, 4, 0]]
    collapsed, lengths = tf.nn.collapse_repeated(rows, [5, 4])
    assert collapsed.numpy().tolist() == [[1, 2, 1], [3, 4, 0]]
    assert lengths.numpy().tolist() == [3, 2]
    once, places = tf.nn.ctc_unique_labels(rows)
    assert once.dtype == tf.int64
    assert once.numpy().tolist() == [[1, 2, 0, 0, 0], [3, 4, 0, 0, 0]]
    assert places.numpy().tolist() == [[0, 0, 1, 1, 0], [0, 0, 0, 1, 2]]


def test_the_greatest_and_least_scores() -> None:
    x = np.arange(12, dtype=np.float32)[::-1].reshape(2, 6)
    most = tf.math.approx_max_k(x, 2)
    assert most.values.numpy().tolist() == [[11, 10], [5, 4]]
    assert most.indices.numpy().tolist() == [[0, 1], [0, 1]]
    assert most.indices.dtype == tf.int32
    least = tf.nn.approx_min_k(x, 1, reduction_dimension=0)
    assert least.values.numpy().tolist() == [[5, 4, 3, 2, 1, 0]]
    assert least.indices.numpy().tolist() == [[1] * 6]


def test_where_an_index_lies_in_a_shuffled_range() -> None:
    shuffle = tf.random.experimental.index_shuffle
    assert shuffle(tf.range(11), [5, 9], 10).numpy().tolist() == [
        *(8, 0, 10, 3, 1, 5, 4, 7, 2, 9, 6),
    ]
    wide = [
        int(shuffle(tf.constant(i, tf.int64), [-5, 2**31 - 1], 10**10))
        for i in (0, 4)
    ]
    assert wide == [5980611714, 8312613606]
    ends = shuffle(tf.range(5), [1, 2], [9, 9, 9, 9, 8])
    assert ends.numpy().tolist() == [5, 0, 1, 4, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="index must be >= 0"):
        shuffle(-1, [1, 2], 9)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="max_index must be >= index"
    ):
        shuffle(11, [1, 2], 9)


def test_crosses_of_ragged_rows() -> None:
    rows = tf.ragged.constant([["a"], ["b", "c"]])
    others = tf.ragged.constant([["d"], ["e"]])
    third = tf.ragged.constant([["f"], ["g"]])
    assert tf.ragged.cross([rows, others, third]).to_list() == [
        [b"a_X_d_X_f"],
        [b"b_X_e_X_g", b"c_X_e_X_g"],
    ]
    dense = [["f"], ["g"]]
    hashed = tf.ragged.cross_hashed([rows, others, dense], num_buckets=100)
    assert hashed.to_list() == [[78], [66, 74]]
    numbers = tf.ragged.constant([[1], [2, 3]], row_splits_dtype=tf.int32)
    made = tf.ragged.cross_hashed([numbers, others.with_row_splits_dtype(tf.int32)])
    assert made.row_splits.dtype == tf.int32
    assert made.to_list() == [
        [8731989417520980377],
        [6870019135446212689, 8498098340703857781],
    ]
    with tf.Graph().as_default(), v1.Session() as session:
        made = tf.ragged.cross([tf.ragged.constant([["a"], []]), [["d"], ["e"]]])
        assert session.run(made).to_list() == [[b"a_X_d"], []]
    deep = tf.ragged.constant([[["a"]]])
    with pytest.raises(ValueError, match="only supports inputs with rank=2"):
        tf.ragged.cross([deep])


def test_sums_of_bfloat16_have_the_digits_of_float32() -> None:
    x = tf.cast(((np.arange(1000) * 37) % 101 - 40.0) / 7, tf.bfloat16)
    rows = tf.reshape(x, [10, 100])
    assert float(tf.reduce_sum(x)) == 1432
    assert float(tf.reduce_mean(x)) == 1.4296875
    assert tf.reduce_sum(rows, 0).numpy().astype(float).tolist()[:3] == [
        *(7.96875, 3.109375, 12.6875),
    ]
    assert abs(float(tf.nn.l2_loss(rows)) - 9704) <= 64
    assert float(tf.math.reduce_euclidean_norm(rows)) == 139
    assert float(tf.reduce_prod(tf.cast(1 + x[:40] / 100, tf.bfloat16))) == 1.6796875
    assert abs(float(tf.add_n([x[0]] * 200)) + 1143.75) <= 4


R = tf.raw_ops.DataFormatVecPermute


@pytest.mark.parametrize(
    ("formats", "size", "wanted"),
    [
        (("NDHWC", "NCDHW"), 5, [0, 4, 1, 2, 3]),
        (("NCDHW", "NDHWC"), 5, [0, 2, 3, 4, 1]),
        (("NDHWC", "DHWNC"), 5, [1, 2, 3, 0, 4]),
        (("NDHWC", "WHDCN"), 5, [3, 2, 1, 4, 0]),
        (("NDHWC", "WHDCN"), 3, [2, 1, 0]),
        (("NDHWC", "NCDHW"), 3, [0, 1, 2]),
        (("NHWC", "HWNC"), 4, [1, 2, 0, 3]),
        (("NHWC", "WHCN"), 2, [1, 0]),
    ],
)
def test_numbers_for_axes_of_volumes_change_places(
    formats: Any, size: int, wanted: Any
) -> None:
    src, dst = formats
    made = R(x=np.arange(size), src_format=src, dst_format=dst)
    assert made.numpy().tolist() == wanted
    with pytest.raises(ValueError, match="input must be of size"):
        R(x=np.arange(6), src_format=src, dst_format=dst)


def test_moments_of_nothing_are_0() -> None:
    x = np.array([[1, 2], [3, 5], [7, 9]], np.float32)
    weights = np.array([[0, 1], [0, 2], [0, 1]], np.float32)
    mean, variance = tf.nn.weighted_moments(x, [0], weights)
    assert mean.numpy().tolist() == [0.0, 5.25]
    assert variance.numpy().tolist() == [0.0, 6.1875]
