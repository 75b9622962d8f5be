"""Arguments of a wrong kind: the library's own errors, with what was given and is allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf2
from tensorlite.core.errors import TensorliteError
from tensorlite.graph_mode.graph import mode

X = [[1.0, 2.0], [3.0, 4.0]]
IMAGE = [[[[1.0], [2.0]], [[3.0], [4.0]]]]


class Odd:
    """Something that no function takes."""

    def __repr__(self) -> str:
        return "<Odd>"


ODD: Any = Odd()
TEXT: Any = "2"

CALLS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "reshape to no shape": (lambda tf: tf.reshape(X, ODD), r"shape=<Odd>.*integers"),
    "reshape to a fraction": (lambda tf: tf.reshape(X, 2.5), r"shape=2\.5.*integers"),
    "sizes beyond integers": (lambda tf: tf.fill([10**30], 1.0), "do not fit"),
    "axis that is a text": (
        lambda tf: tf.stack([X, X], axis="0"),
        "axis='0'.*integers",
    ),
    "axis that is a fraction": (lambda tf: tf.stack([X, X], axis=0.5), "axis=0.5"),
    "axis that is None": (lambda tf: tf.unstack(X, axis=None), "axis=None.*integers"),
    "axes in lists of lists": (
        lambda tf: tf.reduce_sum(X, [0, [1, 2]]),
        "axis=.*integers",
    ),
    "axes to squeeze": (
        lambda tf: tf.squeeze(X, [0, [1, 2]]),
        "squeeze: axis=.*integers",
    ),
    "an axis to put in": (
        lambda tf: tf.expand_dims(X, [0, [1]]),
        "expand_dims: axis=",
    ),
    "an order of axes": (lambda tf: tf.transpose(X, ODD), "axes=<Odd>.*each axis"),
    "tensors that are none": (lambda tf: tf.stack(ODD), "values=<Odd>.*tensors"),
    "parts as bytes": (lambda tf: tf.split(X, b"x"), "num_or_sizes=b'x'.*integers"),
    "a vector where matrices are": (
        lambda tf: tf.matmul([1.0, 2.0], X),
        r"rank 2 but is rank 1.*tf\.linalg\.matvec",
    ),
    "gather along a text": (lambda tf: tf.gather(X, 0, axis="a"), "gather: axis='a'"),
    "softmax along a text": (
        lambda tf: tf.nn.softmax(X, axis="a"),
        "axis='a'.*integers",
    ),
    "an equation": (lambda tf: tf.einsum(ODD, X), "equation=<Odd>.*'ij,jk->ik'"),
    "axes of products": (lambda tf: tf.tensordot(X, X, ODD), "axes=<Odd>.*two lists"),
    "three lists of axes": (
        lambda tf: tf.tensordot(X, X, [[0], [1], [1]]),
        "two lists",
    ),
    "a mode of padding": (
        lambda tf: tf.pad(X, [[0, 0], [1, 1]], ODD),
        "mode: <Odd>.*REFLECT",
    ),
    "strides of a window": (
        lambda tf: tf.nn.conv2d(IMAGE, [[[[1.0]]]], strides="1", padding="SAME"),
        "'1'; allowed are integers",
    ),
    "a padding": (
        lambda tf: tf.nn.conv2d(IMAGE, [[[[1.0]]]], strides=1, padding=ODD),
        "padding=<Odd>.*'SAME'",
    ),
    "a seed": (lambda tf: tf.random.uniform([2], seed="1"), "seed='1'.*integers"),
    "a branch": (
        lambda tf: tf.cond(tf.constant(True), ODD, ODD),
        "true_fn must be callable",
    ),
    "pairs of cases": (lambda tf: tf.case(ODD), "pred_fn_pairs=<Odd>.*condition"),
    "cases that are no pairs": (
        lambda tf: tf.case([(1, 2, 3)]),
        "pairs of a condition",
    ),
    "a condition": (lambda tf: tf.while_loop(ODD, lambda i: i, [0]), "cond.*=<Odd>"),
    "variables of loops": (
        lambda tf: tf.while_loop(lambda i: i < 1, lambda i: i, ODD),
        "loop_vars=<Odd>.*list",
    ),
    "gradients to clip": (
        lambda tf: tf.clip_by_global_norm(ODD, 1.0),
        "t_list=<Odd>.*list",
    ),
    "sizes below 0": (lambda tf: tf.zeros(-7), r"\[-7\].*non-negative"),
    "counts to tile by": (
        lambda tf: tf.tile(X, [1, [2, 3]]),
        r"a number for each axis",
    ),
    "paddings": (lambda tf: tf.pad(X, "tpyo"), r"tpyo"),
    "a shape to scatter into": (
        lambda tf: tf.scatter_nd([[0]], [1.0], [1, [2]]),
        r"scatter_nd: shape=.*integers",
    ),
    "an exponent": (
        lambda tf: tf.nn.local_response_normalization(IMAGE, beta=ODD),
        r"beta=<Odd>; give a number",
    ),
    "no images": (lambda tf: tf.nn.local_response_normalization(X), r"4 axes"),
    "sizes of images": (
        lambda tf: tf.image.resize(IMAGE, ODD),
        r"size=<Odd>.*height",
    ),
    "texts to join": (lambda tf: tf.strings.join(ODD), r"inputs=<Odd>.*tensors"),
    "what Python is given": (
        lambda tf: tf.py_function(lambda x: x, ODD, tf.float32),
        r"inp=<Odd>.*tensors",
    ),
    "a way to draw": (
        lambda tf: tf.custom_gradient(ODD),
        r"f=<Odd> cannot be called",
    ),
    "a function for rows": (lambda tf: tf.map_fn(ODD, X), r"<Odd> cannot be called"),
    "a function for elements": (
        lambda tf: tf.data.Dataset.range(4).map(ODD),
        r"<Odd> cannot be called",
    ),
    "a generator": (
        lambda tf: tf.data.Dataset.from_generator(ODD, tf.int32),
        r"generator`=<Odd> cannot be called",
    ),
    "shapes of elements": (
        lambda tf: tf.data.Dataset.from_generator(lambda: iter([1]), tf.int32, ODD),
        r"shape=<Odd>.*integers",
    ),
    "features": (lambda tf: tf.io.parse_example([b""], ODD), r"features=<Odd>.*dict"),
    "columns": (
        lambda tf: tf.io.decode_csv(["1"], ODD),
        r"record_defaults=<Odd>.*column",
    ),
    "shapes to assert": (
        lambda tf: tf.debugging.assert_shapes(ODD),
        r"shapes=<Odd>.*pairs of a tensor",
    ),
    "classes to draw": (
        lambda tf: tf.nn.nce_loss([[1.0]], [1.0], [[0]], [[1.0]], "1", 1),
        r"num_sampled='1'.*integers",
    ),
}


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mode, "eager", True)


@pytest.fixture(params=["graph", "eager"])
def tf(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Yield TensorFlow 1 while a graph is built, and TensorFlow 2."""
    before = mode.eager
    mode.eager = request.param == "eager"
    if mode.eager:
        yield tf2
    else:
        with tf1.Graph().as_default():
            yield tf1
    mode.eager = before


@pytest.mark.parametrize("case", CALLS)
def test_an_argument_of_a_wrong_kind(case: str, tf: Any) -> None:
    call, said = CALLS[case]
    with pytest.raises(TensorliteError, match=rf"(?s){said}"):
        call(tf)


def test_a_name_that_is_no_text() -> None:
    with tf1.Graph().as_default() as graph:
        with pytest.raises(TensorliteError, match=r"name=<Odd>.*text"):
            tf1.placeholder(tf1.float32, [2], ODD)
        with pytest.raises(TensorliteError, match=r"name=<Odd>.*text"):
            tf1.name_scope(ODD).__enter__()
        assert graph.get_operations() == []


VERSION_1: dict[str, tuple[Callable[[Any], Any], str]] = {
    "units": (lambda x: tf1.layers.dense(x, ODD), r"units=<Odd>.*integer"),
    "inputs": (lambda x: tf1.layers.dense(ODD, 1), r"should be defined"),
    "filters": (lambda x: tf1.layers.conv2d(IMAGE, ODD, 1), r"filters=<Odd>"),
    "a window": (lambda x: tf1.layers.conv2d(IMAGE, 1, "2"), r"kernel_size"),
    "a loss": (
        lambda x: descent().minimize(ODD, var_list=[x]),
        r"loss=<Odd>.*tensor",
    ),
    "variables": (
        lambda x: descent().minimize(x * x, var_list=ODD),
        r"var_list=<Odd>",
    ),
    "a step": (
        lambda x: descent().minimize(x * x, ODD, var_list=[x]),
        r"global_step=<Odd>.*variable",
    ),
    "gradients": (
        lambda x: descent().apply_gradients(ODD),
        r"=<Odd>.*gradient and its",
    ),
    "a gradient alone": (
        lambda x: descent().apply_gradients([x]),
        r"pairs of a gradient",
    ),
    "what to save": (lambda x: tf1.train.Saver(ODD), r"var_list=<Odd>.*variables"),
    "a shape": (lambda x: tf1.placeholder(tf1.float32, [ODD]), r"<Odd> is no size"),
    "a size": (lambda x: tf1.placeholder(tf1.float32, [10**30]), r"fit int64"),
    "a configuration": (
        lambda x: tf1.Session(config=ODD),
        r"config=<Odd>.*ConfigProto",
    ),
    "a tag": (lambda x: tf1.summary.scalar(ODD, x), r"name=<Odd>.*text"),
    "a variable's name": (lambda x: tf1.get_variable(ODD, [1]), r"name=<Odd>.*text"),
    "rounds": (
        lambda x: tf1.train.limit_epochs(x, TEXT),
        r"num_epochs='2'.*integers",
    ),
    "labels": (
        lambda x: tf1.nn.ctc_loss(ODD, [[[1.0, 2.0]]], [1]),
        r"labels=<Odd>.*sparse",
    ),
    "thresholds": (
        lambda x: tf1.metrics.auc([True], [0.5], num_thresholds=TEXT),
        r"num_thresholds='2'.*integers",
    ),
}


def descent() -> Any:
    return tf1.train.GradientDescentOptimizer(0.1)


@pytest.mark.parametrize("case", VERSION_1)
def test_an_argument_of_version_1(case: str) -> None:
    call, said = VERSION_1[case]
    with tf1.Graph().as_default():
        x = tf1.Variable([[1.0]], name="x")
        with pytest.raises(TensorliteError, match=rf"(?s){said}"):
            call(x)


@pytest.mark.usefixtures("eager")
def test_folders_that_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    checkpoint = tf2.train.Checkpoint(w=tf2.Variable(1.0))
    for use in (
        checkpoint.save,
        checkpoint.write,
        tf2.summary.create_file_writer,
        lambda folder: tf2.saved_model.save(tf2.Module(), folder),
        lambda folder: tf2.train.CheckpointManager(checkpoint, folder, 3),
    ):
        with pytest.raises(
            TensorliteError, match=r"=<Odd>; give a text or a pathlib"
        ):
            use(ODD)
    assert list(tmp_path.iterdir()) == []
    assert int(checkpoint.save_counter) == 0


@pytest.mark.usefixtures("eager")
def test_threads_for_elements() -> None:
    made = tf2.data.Dataset.range(4).map(lambda x: x, num_parallel_calls=TEXT)
    with pytest.raises(TensorliteError, match=r"num_parallel_calls='2'.*integers"):
        next(iter(made))


@pytest.mark.usefixtures("eager")
def test_so_many_checkpoints() -> None:
    with pytest.raises(TensorliteError, match=r"max_to_keep=-1; allowed are 1"):
        tf2.train.CheckpointManager(tf2.train.Checkpoint(), "anywhere", -1)


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("seed", [ODD, "1", 0.5])
def test_seeds_of_version_2(seed: Any) -> None:
    with pytest.raises(TensorliteError, match=r"seed=.*integers"):
        tf2.random.Generator.from_seed(seed)


@pytest.mark.parametrize(
    ("begin", "size"), [(4, -1), (-1, -1), (-1, 1), (4, 0), (2, 2), (1, -2)]
)
@pytest.mark.parametrize("is_known", [True, False])
def test_slices_must_lie_in_the_tensor(begin: int, size: int, is_known: bool) -> None:
    """As in TensorFlow; what is known while the graph is built may be refused there."""
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.constant([1, 2, 3])
        given: Any = [[begin], [size]]
        if not is_known:
            given = [tf1.placeholder_with_default(v, [None]) for v in given]
        with pytest.raises(tf1.errors.InvalidArgumentError, match="do not lie"):
            session.run(tf1.slice(x, *given))
        assert session.run(tf1.slice(x, [3], [-1])).tolist() == []
