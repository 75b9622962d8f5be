"""What public programs for TensorFlow 1 have shown to be wrong, each by as little as shows it."""

import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf
from tensorlite.compat.v1.contrib import eager
from tensorlite.compat.v1.contrib.tensorboard.plugins import projector
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import at_once, mode
from tensorlite.graph_mode.streams import global_seed
from tests.threads import LONG


@pytest.fixture(autouse=True)
def _graph() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    with tf.Graph().as_default():
        yield
    mode.eager = before


def test_draws_are_tensorflows_by_the_seed_of_the_graph_alone() -> None:
    """TensorFlow 1.15 draws these numbers: nodes are counted as there, sessions begin anew."""
    tf.set_random_seed(1)
    normal = tf.random_normal([3])
    first = tf.Variable(tf.random_uniform([2], -1, 1))
    truncated = tf.truncated_normal([3], stddev=0.1)
    order = tf.random_shuffle(tf.range(5))
    classes = tf.multinomial(tf.constant([[1.0, 1.0, 1.0]]), 4)
    whole = tf.random_uniform([3], maxval=10, dtype=tf.int32)
    every = [normal, truncated, order, classes, whole]
    found = []
    for _ in range(2):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            found.append([sess.run(first), *sess.run(every), *sess.run(every)])
    expected: list[Any] = [
        [-0.3809202, 0.0728853],
        [-0.6708612, 0.2235714, 0.797273],
        [0.1120993, 0.0045069, 0.0387846],
        [3, 0, 4, 2, 1],
        [[0, 1, 1, 1]],
        [2, 8, 6],
        [-1.4469887, 1.0996525, 0.8936821],
        [-0.165482, 0.123379, 0.1729175],
        [0, 2, 3, 4, 1],
        [[2, 0, 2, 2]],
        [0, 5, 9],
    ]
    for one in found:
        for x, y in zip(one, expected, strict=True):
            np.testing.assert_allclose(x, y, rtol=1e-5)


def test_a_graph_that_draws_is_saved_with_its_draws(tmp_path: Path) -> None:
    """The meta graph that a saver writes has TensorFlow's operators, and draws when imported."""
    tf.Variable(tf.random_normal([3], seed=2), name="v")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(sess, str(tmp_path / "model"))
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(f"{path}.meta")
        kinds = {x.type for x in graph.get_operations()}
        assert "RandomStandardNormal" in kinds
        with tf.Session() as sess:
            drawn = sess.run("random_normal:0")
    assert drawn.shape == (3,)


def test_moving_averages_of_tensors_are_begun_inside_a_branch() -> None:
    """Batch normalisation by hand: TensorFlow 1.15 finds these averages, and the same names."""
    x = tf.placeholder(tf.float32, [None])
    training = tf.placeholder(tf.bool)
    mean = tf.reduce_mean(x, name="mean")
    ema = tf.train.ExponentialMovingAverage(0.5)

    def moved() -> object:
        with tf.control_dependencies([ema.apply([mean])]):
            return tf.identity(mean)

    found = tf.cond(training, moved, lambda: ema.average(mean))
    assert [v.op.name for v in tf.global_variables()] == [
        "mean/ExponentialMovingAverage"
    ]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run(found, {x: [2.0, 4.0], training: True})
        second = sess.run(found, {x: [0.0], training: False})
    assert (first, second) == (3.0, 1.5)


def test_graphs_and_sessions_show_their_graph_definition() -> None:
    """A lecture on lazy loading prints the graph to show that it has grown."""
    x, y = tf.Variable(10, name="x"), tf.Variable(20, name="y")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run([tf.add(x, y) for _ in range(3)])
        graph: Any = sess.graph
        names = [node.name for node in graph.as_graph_def().node]
        assert [n for n in names if n.startswith("Add")] == ["Add", "Add_1", "Add_2"]
        assert sess.graph_def == graph.as_graph_def()


def test_the_projector_is_told_of_embeddings(tmp_path: Path) -> None:
    """Lectures on word vectors name a variable and a file of its labels for TensorBoard."""
    embedding = tf.Variable(tf.zeros([4, 2]), name="embedding")
    config = projector.ProjectorConfig()
    told = config.embeddings.add()
    told.tensor_name = embedding.name
    told.metadata_path = "vocabulary.tsv"
    projector.visualize_embeddings(tf.summary.FileWriter(str(tmp_path)), config)
    assert (tmp_path / "projector_config.pbtxt").read_text() == (
        'embeddings {\n  tensor_name: "embedding:0"\n  metadata_path: "vocabulary.tsv"\n}\n'
    )


def test_iterators_of_contrib_eager_run_through_a_dataset() -> None:
    """`tfe.Iterator` is a run through a dataset, whose elements `next` gives too."""
    mode.eager = True
    with at_once():
        steps: Any = eager.Iterator(tf.data.Dataset.range(3))
        assert int(steps.next()) == 0
        assert [int(x) for x in steps] == [1, 2]
        assert steps.output_types == tf.int64


def test_scopes_of_default_names_are_numbered_apart_from_variables() -> None:
    """TensorFlow 1.15's names, where names of nodes and of variables are taken unalike."""
    with tf.name_scope("dense"):
        tf.ones([1])
    x: Any = tf.layers.dense(tf.ones([2, 3]), 2)
    names = [x.name, tf.layers.dense(x, 2).name, tf.nn.dropout(x, 0.5).name]
    names += [tf.layers.dropout(x, training=True).name for _ in range(2)]
    assert names == [
        "dense_1/BiasAdd:0",
        "dense_2/BiasAdd:0",
        "dropout/mul_1:0",
        "dropout_1/dropout/mul_1:0",
        "dropout_2/dropout/mul_1:0",
    ]
    variables = [v.name for v in tf.global_variables()]
    assert variables[::2] == ["dense/kernel:0", "dense_1/kernel:0"]


def test_placeholders_of_devices_that_are_not_there_are_fed_with_soft_placement() -> (
    None
):
    """Notebooks put a whole model on a GPU, and allow soft placement."""
    with tf.device("/gpu:7"):
        x = tf.placeholder(tf.float32, [2])
        y = x * 2
    with (
        tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as sess,
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        assert sess.run(y, {x: [1, 2]}).tolist() == [2, 4]


def test_a_saver_makes_the_last_folder_of_its_path_alone(tmp_path: Path) -> None:
    """As TensorFlow 1.15 does."""
    tf.Variable(1.0)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert tf.train.Saver().save(sess, str(tmp_path / "nets" / "model"))
        with pytest.raises(InvalidArgumentError, match="Parent directory"):
            tf.train.Saver().save(sess, str(tmp_path / "a" / "b" / "model"))


def test_a_supervisor_saves_as_soon_as_there_is_a_session(tmp_path: Path) -> None:
    """As TensorFlow's does, and not only after the first ten minutes."""
    saved = Event()

    class Saver(tf.train.Saver):
        def save(self, *args: object, **kwargs: object) -> None:
            saved.set()

    tf.Variable(1.0, name="w")
    tf.train.get_or_create_global_step()
    supervisor = tf.train.Supervisor(logdir=str(tmp_path), saver=Saver())
    with supervisor.managed_session():
        assert saved.wait(LONG)


def test_a_save_that_began_earlier_is_not_the_latest(tmp_path: Path) -> None:
    """A supervisor's thread saves step 0 while the program saves the last step."""
    tf.Variable(1.0, name="w")
    begun, go_on = Event(), Event()

    def step() -> np.int64:
        if begun.is_set():
            return np.int64(5)
        begun.set()
        assert go_on.wait(LONG)
        return np.int64(0)

    counted, saver = tf.py_func(step, [], tf.int64), tf.train.Saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        saving = partial(saver.save, sess, str(tmp_path / "model"), counted)
        earlier, later = Thread(target=saving), Thread(target=saving)
        earlier.start()
        assert begun.wait(LONG)
        later.start()
        later.join(0.3)
        go_on.set()
        earlier.join()
        later.join()
    assert str(tf.train.latest_checkpoint(str(tmp_path))).endswith("-5")


CANDIDATES = (
    (
        [15, 0, 6, 1, 5, 12],
        [0.41306, 0.24133],
        [0.13133, 0.83608, 0.26945, 0.63229, 0.30491, 0.15844],
    ),
    ([13, 7, 12, 1, 8, 9], [0.3, 0.3], [0.3] * 6),
    ([1, 11, 12, 1, 4, 5], [0.375, 0.375], [0.375] * 6),
    (
        [17, 16, 6, 13, 12, 15],
        [0.15057, 0.25323],
        [0.46521, 0.44568, 0.22909, 0.38529, 0.36446, 0.42587],
    ),
)
"""As TensorFlow 1.15 draws them: the classes, and what is expected of labels and of them."""


def test_candidates_are_tensorflows() -> None:
    tf.set_random_seed(4)
    labels = tf.constant([[3], [7]], tf.int64)
    counts = [*range(1, 21)]
    samplers = [
        tf.nn.log_uniform_candidate_sampler(labels, 1, 6, True, 20, seed=9),
        tf.nn.uniform_candidate_sampler(labels, 1, 6, True, 20, seed=9),
        tf.nn.uniform_candidate_sampler(labels, 1, 6, False, 16, seed=9),
        tf.nn.fixed_unigram_candidate_sampler(
            labels, 1, 6, True, 20, unigrams=counts, distortion=0.75, seed=3
        ),
    ]
    with tf.Session() as session:
        found = [session.run(each) for each in samplers]
    for each, expected in zip(found, CANDIDATES, strict=True):
        assert each.sampled_candidates.tolist() == expected[0]
        np.testing.assert_allclose(
            each.true_expected_count.ravel(), expected[1], atol=1e-5
        )
        np.testing.assert_allclose(
            each.sampled_expected_count, expected[2], atol=1e-5
        )


@pytest.fixture
def _no_seed_after() -> Iterator[None]:
    yield
    global_seed.seed = None


@pytest.mark.usefixtures("_no_seed_after")
def test_eager_seeds_are_tensorflows() -> None:
    with at_once():
        tf.set_random_seed(3)
        order = [int(x) for x in tf.data.Dataset.range(10).shuffle(10, seed=5)]
        drawn = [tf.random_normal([2], seed=1).numpy() for _ in range(2)]
    assert order == [0, 2, 7, 9, 1, 6, 4, 3, 8, 5]
    expected = [[-0.02353588, -0.7080437], [-0.786447, -0.63908803]]
    np.testing.assert_allclose(drawn, expected, rtol=1e-5)


def test_the_global_step_of_eager_programs() -> None:
    with at_once():
        step = tf.train.get_or_create_global_step()
        assert step is tf.train.get_or_create_global_step()
        step.assign_add(2)
        assert int(tf.train.get_global_step()) == 2


def test_sparse_gradients_have_summaries() -> None:
    rows = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([1]), tf.constant([3, 2]))
    summary = tf.summary.histogram("rows", rows)
    with tf.Session() as session:
        assert b"rows" in session.run(summary)


def test_savers_are_no_ones_default_but_their_makers() -> None:
    tf.Variable(1.0, name="w")
    mine = [tf.train.Saver() for _ in range(2)]
    assert tf.get_collection(tf.GraphKeys.SAVERS) == []
    definitions: list[Any] = [saver.as_saver_def() for saver in mine]
    names = [each.filename_tensor_name for each in definitions]
    assert names == ["save/Const:0", "save_1/Const:0"]
    supervisor = tf.train.Supervisor(logdir=None)
    assert tf.get_collection(tf.GraphKeys.SAVERS) == [supervisor.saver]
    assert supervisor.saver not in mine


def test_device_functions_are_told_the_node_def() -> None:
    """Programs for several GPUs look up there which operations are variables."""
    asked = {}

    def beside(op: Any) -> str:
        asked[op.node_def.name] = op.node_def.op, list(op.node_def.input)
        return "/job:ps" if op.node_def.op == "VarHandleOp" else "/job:worker"

    with tf.device(beside):
        x = tf.placeholder(tf.float32, [2, 2], name="x")
        v = tf.get_variable("v", [2, 2], use_resource=True)
        y = tf.matmul(x, v, name="y")
    assert asked["v"] == ("VarHandleOp", [])
    assert ("MatMul", ["x", "y/ReadVariableOp"]) in asked.values()
    assert [x.device, v.device, y.device] == ["/job:worker", "/job:ps", "/job:worker"]


def test_embeddings_have_the_nodes_that_seeds_count() -> None:
    """Draws made behind an embedding begin where TensorFlow 1.15's do."""
    tf.set_random_seed(1)
    table = tf.Variable(tf.random_uniform([10, 2], -1.0, 1.0))
    rows = tf.nn.embedding_lookup(table, tf.placeholder(tf.int32, [4]))
    assert [rows.name, rows.op.inputs[0].name] == [
        "embedding_lookup/Identity:0",
        "embedding_lookup:0",
    ]
    tf.random_uniform([1])
    drawn = [x for x in rows.graph.get_operations() if x.type == "RandomUniform"]
    assert [x.get_attr("seed2") for x in drawn] == [3, 17]


def test_images_of_unknown_rank_are_changed() -> None:
    """Programs turn grey, stretch and filter what files hold before they know how large it is."""
    picture = np.arange(8 * 6 * 3, dtype=np.uint8).reshape(8, 6, 3)
    held = tf.placeholder(tf.string, [])
    decoded = tf.image.decode_image(held)
    assert decoded.shape.ndims is None
    x = tf.cast(decoded, tf.float32) / 256.0
    grey = tf.image.rgb_to_grayscale(x)
    once = tf.expand_dims(grey, 0)
    filtered = tf.nn.conv2d(once, tf.ones([3, 3, 1, 1]), [1, 3, 3, 1], "SAME")
    small = tf.image.resize_bilinear(once, [4, 3])
    even = tf.image.per_image_standardization(x)
    turned = tf.image.rot90(x)
    assert [small.shape.as_list(), turned.shape.ndims] == [[None, 4, 3, None], 3]
    with tf.Session() as sess:
        file = sess.run(tf.image.encode_png(picture))
        found = sess.run([grey, filtered, small, even, turned], {held: file})
    scaled = picture / 256
    np.testing.assert_allclose(
        found[0][..., 0], scaled @ [0.2989, 0.587, 0.114], 1e-5
    )
    assert [found[1].shape, found[2].shape] == [(1, 3, 2, 1), (1, 4, 3, 1)]
    np.testing.assert_allclose(found[3].mean(), 0, atol=1e-6)
    np.testing.assert_array_equal(found[4], np.rot90(scaled).astype(np.float32))


def test_optimizers_of_keras_give_operations_in_graphs() -> None:
    """Losses are TensorFlow 1.15's."""
    keras: Any = tf.keras
    wanted = {
        "SGD": (0.01, [2.41, 0.8579, 0.8335]),
        "Adam": (0.1, [212.525, 178.1971, 147.0595]),
    }
    for kind, (rate, losses) in wanted.items():
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
            y = tf.constant([[10.0], [20.0]])
            layer = keras.layers.Dense(
                1, kernel_initializer="zeros", input_shape=(3,)
            )
            model = keras.Sequential([layer])
            loss = tf.reduce_mean(tf.square(model(x) - y))
            weights = model.trainable_variables
            optimizer = getattr(keras.optimizers, kind)(rate)
            step = optimizer.apply_gradients(
                zip(tf.gradients(loss, weights), weights, strict=True)
            )
            session.run(tf.global_variables_initializer())
            found = []
            for _ in losses:
                session.run(step)
                found.append(session.run(loss))
            np.testing.assert_allclose(found, losses, rtol=1e-4)


def test_a_number_has_no_gradient_and_is_no_error() -> None:
    x = tf.constant(3.0)
    found = tf.gradients(2.0 * x, [x, 2.0])
    with tf.Session() as sess:
        assert (sess.run(found[0]), found[1]) == (2.0, None)


def test_masks_of_lengths_that_are_no_integers() -> None:
    mask = tf.sequence_mask(tf.constant([1.0, 2.5, 0.0]))
    with tf.Session() as sess:
        assert sess.run(mask).astype(int).tolist() == [
            [1, 0, 0],
            [1, 1, 1],
            [0, 0, 0],
        ]


def test_a_variable_is_fetched_behind_what_the_run_writes_to_it() -> None:
    weight, step = tf.Variable(3.0), tf.Variable(0)
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    train = optimizer.minimize(tf.square(weight), global_step=step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        _, counted, found = sess.run([train, step, {"weight": weight}])
        assert (counted, found["weight"]) == (1, 0.0)
        call = sess.make_callable([step, train])
        assert (call()[0], sess.run(step)) == (2, 2)


def test_a_variable_that_is_fed_is_fetched_as_it_was_fed() -> None:
    weight = tf.Variable(3.0)
    with tf.Session() as sess:
        sess.run(weight.initializer)
        assert sess.run([weight, weight * 2.0], {weight: 7.0}) == [7.0, 14.0]


def test_elements_are_retained_by_a_mask_whose_axes_are_known_to_the_run_only() -> (
    None
):
    sp = tf.sparse_placeholder(tf.float32)
    mask = tf.placeholder(tf.bool)
    kept = tf.sparse_retain(sp, mask) * 2.0
    fed = tf.SparseTensorValue([[0, 1], [2, 0]], [3.0, 5.0], [3, 2])
    with tf.Session() as sess:
        found = sess.run(kept, {sp: fed, mask: [False, True]})
    assert (found.indices.tolist(), found.values.tolist()) == ([[2, 0]], [10.0])


def test_what_a_placeholder_of_unknown_rank_keeps_has_the_shape_it_had() -> None:
    """Most programs feed dropout's keep_prob, and say nothing of its shape."""
    x = tf.placeholder(tf.float32, [None, 25, 3])
    part = tf.placeholder(tf.float32)
    for dropped in (tf.nn.dropout(x, part), tf.nn.dropout(x, rate=part)):
        assert int(tf.transpose(dropped, [1, 0, 2]).get_shape()[0]) == 25
    assert tf.layers.dense(tf.nn.dropout(x, part), 2).shape.as_list() == [None, 25, 2]


def test_variables_tell_what_they_are_as_tensorflow_prints_them() -> None:
    """TensorFlow 1.15's texts of a variable that is a reference, and of a resource."""
    v = tf.get_variable("v", [2, 3])
    told = "<tf.Variable 'v:0' shape=(2, 3) dtype=float32_ref>"
    assert (str(v), str([v])) == (told, f"[{told}]")
    w = tf.get_variable("w", [2, 3], use_resource=True)
    assert str(w) == "<tf.Variable 'w:0' shape=(2, 3) dtype=float32>"


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_graphs_that_draw_classes_for_labels_of_any_number_are_written(
    dtype: Any, tmp_path: Path
) -> None:
    """The placeholder does not say how many labels a row has; losses take one by default."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        labels = tf.placeholder(dtype, [None, None])
        table, shift = tf.Variable(tf.ones((20, 3))), tf.Variable(tf.zeros(20))
        losses = tf.nn.sampled_softmax_loss(
            table, shift, labels, tf.ones((2, 3)), 4, 20
        )
        session.run(tf.global_variables_initializer())
        assert session.run(losses, {labels: [[1], [2]]}).shape == (2,)
        tf.train.Saver().save(session, str(tmp_path / "model"))
        nodes = {x.op: x for x in graph.as_graph_def().node}
    assert nodes["LogUniformCandidateSampler"].attr["num_true"].i == 1


def test_sizes_of_unknown_rank_leave_the_other_sizes_known() -> None:
    """A placeholder of no shape, stacked with numbers, is a number."""
    with tf.Graph().as_default():
        length, rows = tf.placeholder(tf.int32), tf.placeholder(tf.int32, [])
        steps = tf.reshape(tf.zeros([6, 4]), [rows, length, 4])
        assert steps.shape.as_list() == [None, None, 4]
        cell = tf.nn.rnn_cell.BasicLSTMCell(3)
        made, _ = tf.nn.dynamic_rnn(cell, steps, dtype=tf.float32)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(made, {length: 3, rows: 2}).shape == (2, 3, 3)


@pytest.mark.parametrize("name", ["SimpleRNNCell", "GRUCell", "LSTMCell"])
def test_cells_of_keras_begin_with_as_many_rows_as_come(name: str) -> None:
    x = tf.placeholder(tf.float32, [None, 5, 3])
    keras: Any = tf.keras
    cell = getattr(keras.layers, name)(4)
    made, _ = tf.nn.dynamic_rnn(cell, x, [5, 2], dtype=tf.float32)
    assert made.shape.as_list() == [None, 5, 4]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values = session.run(made, {x: np.ones((2, 5, 3))})
    assert values[0].all()
    assert not values[1, 2:].any()
