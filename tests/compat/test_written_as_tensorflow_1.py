"""What version 1 writes as TensorFlow 1.15 does has its values, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat import v1

tf: Any = v1
"""The names, of which no types are told where TensorFlow leaves them open."""


DRAW = np.random.default_rng(7)
STACK = DRAW.uniform(-1, 1, (2, 4, 3))
SQUARE = STACK[:, :3]


@pytest.mark.parametrize("factor", [0.001, 0.1, 0.5, 1.0, 3.0, 40.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exponentials_of_matrices_of_any_size(factor: float, dtype: Any) -> None:
    given = (SQUARE * factor).astype(dtype)
    values, vectors = np.linalg.eig(given.astype(np.float64))
    wanted = vectors * np.exp(values)[:, None] @ np.linalg.inv(vectors)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(dtype, [None, 3, 3])
        found = session.run(tf.linalg.expm(x), {x: given})
    scale = abs(wanted).max()
    np.testing.assert_allclose(
        found / scale,
        wanted.real / scale,
        atol=1e-3 if dtype is np.float32 else 1e-12,
    )


@pytest.mark.parametrize("is_open", [False, True])
def test_least_squares_pseudo_inverses_and_ranks(is_open: bool) -> None:
    wide = STACK.swapaxes(1, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        for given in (STACK, wide):
            x = tf.placeholder(tf.float64, [None] * 3 if is_open else given.shape)
            made = [
                tf.matrix_solve_ls(x, x),
                tf.matrix_solve_ls(x, x, 0.5),
                tf.linalg.pinv(x),
                tf.linalg.matrix_rank(x),
            ]
            solved, ridge, inverse, rank = session.run(made, {x: given})
            wanted = np.linalg.pinv(given)
            np.testing.assert_allclose(inverse, wanted, atol=1e-9)
            np.testing.assert_allclose(solved, wanted @ given, atol=1e-9)
            turned = given.swapaxes(1, 2)
            unit = 0.5 * np.eye(given.shape[2])
            expected = np.linalg.solve(turned @ given + unit, turned @ given)
            np.testing.assert_allclose(ridge, expected, atol=1e-9)
            assert rank.tolist() == [3, 3]


def test_tridiagonal_systems_of_all_forms() -> None:
    rows = DRAW.uniform(1, 2, (3, 4))
    rows[1] += 3
    matrix = np.diag(rows[1]) + np.diag(rows[0, :-1], 1) + np.diag(rows[2, 1:], -1)
    right = DRAW.uniform(-1, 1, (4, 2))
    wanted = np.linalg.solve(matrix, right)
    short = [rows[0, :-1], rows[1], rows[2, 1:]]
    with tf.Graph().as_default(), tf.Session() as session:
        solve, given = tf.linalg.tridiagonal_solve, tf.constant(right)
        found = session.run(
            [
                solve(tf.constant(rows), given),
                solve([tf.constant(x) for x in short], given, "sequence"),
                solve(tf.constant(matrix), given, "matrix"),
                tf.transpose(
                    solve(tf.constant(rows), tf.transpose(given), transpose_rhs=True)
                ),
                tf.stack(
                    [solve(tf.constant(rows), given[:, i]) for i in range(2)], 1
                ),
            ]
        )
        product = session.run(tf.linalg.tridiagonal_matmul(tf.constant(rows), given))
    for one in found:
        np.testing.assert_allclose(one, wanted, atol=1e-12)
    np.testing.assert_allclose(product, matrix @ right, atol=1e-12)


def test_no_gradients_flow_through_loops_without_back_prop() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        options = {"back_prop": False}
        doubled = tf.while_loop(
            lambda i, y: i < 3, lambda i, y: (i + 1, y * 2.0), [0, x], **options
        )[1]
        made = [
            doubled,
            tf.map_fn(tf.square, x, **options),
            tf.foldl(tf.multiply, x, **options),
            tf.scan(tf.multiply, x, **options),
        ]
        assert [tf.gradients(y, x) for y in made] == [[None]] * 4
        assert doubled.op.type == "Exit"
        (slope,) = tf.gradients(doubled * x, x)
        np.testing.assert_allclose(session.run(slope, {x: [1.0, 2.0]}), [8.0, 16.0])


def test_no_gradients_flow_through_eager_loops_without_back_prop() -> None:
    x = tl.asarray([1.0, 2.0])
    with tl.GradientTape() as tape:
        tape.watch(x)
        _, y = tl.while_loop(
            lambda i, _: i < 3, lambda i, y: (i + 1, y * 2), (0, x), back_prop=False
        )
        z = y * x
    np.testing.assert_allclose(tape.gradient(z, x), [8.0, 16.0])


def test_pools_by_ratios_are_of_new_windows_in_each_run_unless_told() -> None:
    ratios, image = [1.0, 1.5, 1.5, 1.0], DRAW.uniform(size=(1, 40, 6, 2))
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [None, 40, 6, 2])
        y, rows, columns = tf.nn.fractional_avg_pool(x, ratios)
        (slope,) = tf.gradients(y, x)
        (best,) = tf.gradients(tf.nn.fractional_max_pool(x, ratios)[0], x)
        fixed = tf.nn.fractional_max_pool(
            x, ratios, deterministic=True, seed=5, seed2=7
        )
        runs = [session.run([y, rows, columns, slope], {x: image}) for _ in range(3)]
        assert len({str(run[1]) for run in runs}) > 1
        for pooled, top, left, flow in runs:
            cells = np.add.reduceat(np.add.reduceat(image, top[:-1], 1), left[:-1], 2)
            sizes = np.diff(top)[:, None, None] * np.diff(left)[:, None]
            np.testing.assert_allclose(pooled, cells / sizes)
            shares = np.repeat(
                np.repeat(1 / sizes, np.diff(top), 0), np.diff(left), 1
            )
            np.testing.assert_allclose(flow, np.broadcast_to(shares, image.shape))
        chosen = session.run(best, {x: image})
        assert chosen.sum() == 26 * 4 * 2
        assert set(np.unique(chosen)) == {0.0, 1.0}
        first, second = (session.run(fixed, {x: image}) for _ in range(2))
        for one, other in zip(first, second, strict=True):
            np.testing.assert_array_equal(one, other)


def test_dilation_flows_to_the_first_of_equal_sums() -> None:
    """TensorFlow 1.15's: [1, 1, 1, 0] a row of a flat image, and 6 to the first element."""
    with tf.Graph().as_default(), tf.Session() as session:
        x, hat = tf.ones([1, 3, 4, 1]), tf.zeros([2, 2, 1])
        y = tf.nn.dilation2d(x, hat, [1] * 4, [1] * 4, "VALID")
        flow, to_hat = session.run(tf.gradients(y, [x, hat]))
    np.testing.assert_array_equal(flow[0, ..., 0], [[1, 1, 1, 0]] * 2 + [[0] * 4])
    np.testing.assert_array_equal(to_hat[..., 0], [[6, 0], [0, 0]])


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("pad_end", [False, True])
def test_frames_spectra_and_back(is_open: bool, pad_end: bool) -> None:
    sound = DRAW.uniform(-1, 1, (2, 30)).astype(np.float32)
    count = -(-30 // 4) if pad_end else 1 + (30 - 6) // 4
    padded = np.pad(sound, [[0, 0], [0, 8]])
    frames = np.stack([padded[:, 4 * i : 4 * i + 6] for i in range(count)], 1)
    hann = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(6) / 6)
    added = np.zeros((2, 4 * (count - 1) + 6), np.float32)
    for i in range(count):
        added[:, 4 * i : 4 * i + 6] += frames[:, i]
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, None] if is_open else [2, 30])
        length = tf.placeholder(tf.int32, []) if is_open else 6
        made = tf.signal.frame(x, length, 4, pad_end=pad_end)
        spectra = tf.signal.stft(x, length, 4, pad_end=pad_end)
        back = tf.signal.inverse_stft_window_fn(4)
        again = tf.signal.inverse_stft(spectra, length, 4, window_fn=back)
        both = tf.signal.overlap_and_add(made, 4)
        feed = {x: sound, length: 6} if is_open else {x: sound}
        found = session.run([made, spectra, both, again], feed)
    np.testing.assert_allclose(found[0], frames)
    np.testing.assert_allclose(found[1], np.fft.rfft(frames * hann, 8), atol=1e-5)
    np.testing.assert_allclose(found[2], added, atol=1e-6)
    end = 4 * (count - 1)
    np.testing.assert_allclose(found[3][:, 4:end], padded[:, 4:end], atol=1e-5)


def test_weights_of_mel_bands_are_those_that_run_at_once() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(
            tf.signal.linear_to_mel_weight_matrix(5, 33, 8000.0, 80.0)
        )
    wanted = tl.signal.linear_to_mel_weight_matrix(5, 33, 8000.0, 80.0)
    np.testing.assert_allclose(found, np.asarray(wanted), atol=1e-5)


def test_savers_save_tables_that_change(tmp_path: Path) -> None:
    """Names and contents are those of TensorFlow 1.15's checkpoints."""

    def table() -> Any:
        return tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)

    with tf.Graph().as_default(), tf.Session() as session:
        first, w = table(), tf.Variable(2.0, name="w")
        words = tf.constant(["a", "b"])
        session.run(
            [w.initializer, first.insert(words, tf.constant([1, 2], tf.int64))]
        )
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    assert tf.train.list_variables(path) == [
        ("MutableHashTable-keys", [2]),
        ("MutableHashTable-values", [2]),
        ("w", []),
    ]
    with tf.Graph().as_default() as graph, tf.Session() as session:
        again, w = table(), tf.Variable(0.0, name="w")
        assert [x.name for x in graph.get_collection("saveable_objects")] == [
            again.name
        ]
        tf.train.Saver().restore(session, path)
        found = session.run([again.lookup(tf.constant(["b", "c"])), again.size(), w])
    assert [found[0].tolist(), *found[1:]] == [[2, -1], 2, 2.0]


def test_elements_are_gathered_of_stacks_of_stacks() -> None:
    given, places = DRAW.uniform(size=(2, 3, 4, 2)), DRAW.integers(0, 4, (2, 3, 5))
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float64, [None, 3, None, 2])
        y = tf.batch_gather(x, tf.constant(places))
        z = tf.gather(x, tf.constant(places[:, 0] % 2), batch_dims=1, axis=3)
        flows = tf.gradients([y * y, z * z], x)
        found = session.run([y, z, *flows], {x: given})
    rows, columns, _ = np.ogrid[:2, :3, :1]
    wanted = given[rows, columns, places]
    others = np.stack([given[i][..., places[i, 0] % 2] for i in range(2)])
    flow = np.zeros_like(given)
    np.add.at(flow, (rows, columns, places), 2 * wanted)
    for i, j in np.ndindex(2, 5):
        at = places[i, 0, j] % 2
        flow[i, ..., at] += 2 * given[i, ..., at]
    for one, other in zip(found, (wanted, others, flow), strict=True):
        np.testing.assert_allclose(one, other)


def test_steps_behind_an_end_keep_the_state() -> None:
    """They are those of dynamic_rnn, which loops, and so are gradients."""
    given = DRAW.uniform(-1, 1, (3, 4, 2)).astype(np.float32)
    for lengths in ([4, 2, 1], [3, 3, 2], [0, 0, 0]):
        with tf.Graph().as_default(), tf.Session() as session:
            x, ends = (
                tf.placeholder(tf.float32, [3, 4, 2]),
                tf.placeholder(tf.int32, [3]),
            )
            cell = tf.nn.rnn_cell.LSTMCell(2)
            steps = tf.unstack(x, axis=1)
            static = tf.nn.static_rnn(cell, steps, None, tf.float32, ends)
            options = {"sequence_length": ends, "dtype": tf.float32}
            looped = tf.nn.dynamic_rnn(cell, x, **options)
            both = [[tf.stack(static[0], 1), *static[1]], [looped[0], *looped[1]]]
            weights = cell.trainable_weights
            slopes = [
                tf.gradients(sum(map(tf.reduce_sum, made)), [x, *weights])
                for made in both
            ]
            session.run(tf.global_variables_initializer())
            pairs = session.run([both, slopes], {x: given, ends: lengths})
        for first, second in pairs:
            for one, other in zip(first, second, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)


def test_students_numbers_and_entropies_are_tensorflows() -> None:
    """Values are TensorFlow 1.15's."""
    with tf.Graph().as_default(), tf.Session() as session:
        made = tf.distributions.StudentT([3.0, 4.0], 0.0, 1.0)
        drawn, entropy = session.run([made.sample(3, seed=7), made.entropy()])
    wanted = [
        [-0.0376757, -1.4825909],
        [1.2115370, 1.3046334],
        [-0.5462748, -0.1256423],
    ]
    np.testing.assert_allclose(drawn, wanted, rtol=1e-5)
    np.testing.assert_allclose(entropy, [1.7734773, 1.6817608], rtol=1e-5)


def test_likeness_of_images_is_that_which_runs_at_once() -> None:
    shape = (2, 181, 179, 2)
    first = DRAW.uniform(0, 255, shape).round()
    second = np.clip(first + DRAW.normal(0, 20, shape), 0, 255).round()
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = (tf.placeholder(tf.float32, [None, None, None, 2]) for _ in range(2))
        made = [
            tf.image.psnr(x, y, 255.0),
            tf.image.ssim(x, y, 255.0),
            tf.image.ssim_multiscale(x, y, 255.0),
            tf.image.ssim(tf.cast(x, tf.uint8), tf.cast(y, tf.uint8), 255),
        ]
        found = session.run(made, {x: first, y: second})
    given = [tl.asarray(image, dtype=tl.float32) for image in (first, second)]
    functions: list[Any] = [tl.image.psnr, tl.image.ssim, tl.image.ssim_multiscale]
    wanted = [function(*given, 255.0) for function in functions]
    for one, other in zip(found, [*wanted, wanted[1]], strict=True):
        np.testing.assert_allclose(one, np.asarray(other), rtol=2e-4)


def test_parts_of_resources_are_read_alone() -> None:
    first = np.arange(6.0).reshape(3, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", initializer=first, use_resource=True)
        rows, parts = tf.gather_nd(w, [[2], [0]]), tf.gather_nd(w, [[2, 1], [0, 0]])
        assert [x.op.inputs[0].op.type for x in (rows, parts)] == [
            "ResourceGatherNd"
        ] * 2
        (flow,) = tf.gradients(rows, w)
        assert isinstance(flow, tf.IndexedSlices)
        (slope,) = tf.gradients(parts * parts, w)
        (second,) = tf.gradients(slope * slope, w)
        step = tf.train.GradientDescentOptimizer(1.0).minimize(rows)
        session.run(w.initializer)
        found = session.run([rows, parts, tf.convert_to_tensor(flow), slope, second])
        session.run(step)
        after = session.run(w)
    np.testing.assert_array_equal(found[0], first[[2, 0]])
    np.testing.assert_array_equal(found[1], [5.0, 0.0])
    np.testing.assert_array_equal(found[2], [[1, 1], [0, 0], [1, 1]])
    np.testing.assert_array_equal(found[3], [[0, 0], [0, 0], [0, 10]])
    np.testing.assert_array_equal(found[4], [[0, 0], [0, 0], [0, 40]])
    np.testing.assert_array_equal(after, first - found[2])


def test_glimpses_are_one_operator_which_is_written_and_read() -> None:
    images = np.arange(36, dtype=np.float32).reshape(1, 6, 6, 1)
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 6, 6, 1], name="x")
        made = tf.image.extract_glimpse(x, [2, 3], [[0.0, 0.0]], name="made")
        assert tf.gradients(made, x) == [None]
        assert made.shape.as_list() == [1, 2, 3, 1]
        edge = tf.raw_ops.ExtractGlimpse(
            input=x,
            size=[4, 4],
            offsets=[[-0.9, 0.9]],
            uniform_noise=False,
            noise="zero",
            name="edge",
        )
        found = session.run([made, edge], {x: images})
        proto = graph.as_graph_def()
    node = {one.name: one for one in proto.node}["made"]
    assert (node.op, node.attr["noise"].s) == ("ExtractGlimpse", b"uniform")
    with tf.Graph().as_default(), tf.Session() as session:
        names = ["import/made:0", "import/edge:0"]
        tf.import_graph_def(proto)
        again = session.run(names, {"import/x:0": images})
    np.testing.assert_array_equal(found[0][0, :, :, 0], [[13, 14, 15], [19, 20, 21]])
    corner = [[0, 0, 0, 0], [3, 4, 5, 0], [9, 10, 11, 0], [15, 16, 17, 0]]
    np.testing.assert_array_equal(found[1][0, :, :, 0], corner)
    for one, two in zip(found, again, strict=True):
        np.testing.assert_array_equal(one, two)


def test_counts_are_the_operator_that_tensorflow_1_has() -> None:
    numbers = np.asarray([1, 3, 3, 5])
    with tf.Graph().as_default() as graph:
        counts = tf.math.bincount(numbers, minlength=7)
        tf.raw_ops.Bincount(
            arr=tf.constant(numbers, tf.int32),
            size=4,
            weights=[0.5, 1.0, 2.0, 4.0],
            name="sums",
        )
        first = graph.as_graph_def()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(first, name="")
        again = graph.as_graph_def()
        found = session.run([counts.name, "sums:0"])
    kinds = [[node.op for node in proto.node] for proto in (first, again)]
    assert kinds[0] == kinds[1]
    assert kinds[0].count("Bincount") == 2
    np.testing.assert_array_equal(found[0], [0, 1, 0, 2, 0, 1, 0])
    np.testing.assert_array_equal(found[1], [0, 0.5, 0, 3])


def test_first_values_in_branches_are_guarded_where_they_are_written() -> None:
    first = np.arange(6.0, dtype=np.float32).reshape(3, 2)
    with tf.Graph().as_default():
        w = tf.Variable(first, name="w")
        moved = tf.train.ExponentialMovingAverage(0.9).apply([w])
        tf.Variable(tf.cond(w[0, 1] > 0.0, lambda: w * 2.0, lambda: w), name="u")
        tf.group(tf.global_variables_initializer(), name="all")
        written = tf.train.export_meta_graph()
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(written)
        session.run("all")
        session.run(graph.get_operation_by_name(moved.name))
        names = ["w:0", "u:0", "w/ExponentialMovingAverage:0"]
        found = session.run(names)
    np.testing.assert_array_equal(found, [first, first * 2, first])


@pytest.mark.parametrize(
    ("step", "rates"),
    [
        (tf.train.piecewise_constant, [0.5, 0.5, 0.25, 0.25, 0.125]),
        (tf.train.polynomial_decay, [1.0, 0.75, 0.5, 0.25, 0.0]),
    ],
)
def test_rates_of_graphs_are_chosen_by_branches(
    step: Any, rates: list[float]
) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        at = tf.placeholder(tf.int64, [])
        if step is tf.train.piecewise_constant:
            rate = step(at, [2, 5], [0.5, 0.25, 0.125])
        else:
            rate = step(1.0, at, 4, 0.0, cycle=True)
        places = [0, 2, 3, 5, 6] if rates[0] < 1 else [0, 1, 2, 3, 4]
        found = [session.run(rate, {at: place}) for place in places]
    np.testing.assert_array_equal(found, rates)
