"""tf.contrib where programs/ does not reach: hyperparameters, scopes, what is refused."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    UnimplementedError,
)
from tensorlite.graph_mode.graph import mode

tf: Any = import_module("tensorlite.compat.v1")  # as its programs see it, untyped


@pytest.fixture(autouse=True)
def _graph_mode() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    yield
    mode.eager = before


def hyperparameters() -> Any:
    return tf.contrib.training.HParams(rate=0.1, n=3, sizes=[1, 2], kind="x", on=True)


def test_hyperparameters_are_read_from_text() -> None:
    found = hyperparameters().parse("rate=0.5,n=4,sizes=[3,4,5],kind=abc,on=false")
    assert found.values() == {
        "rate": 0.5,
        "n": 4,
        "sizes": [3, 4, 5],
        "kind": "abc",
        "on": False,
    }
    assert found.parse("sizes[1]=9").sizes == [3, 9, 5]
    assert found.get("other", 7) == 7
    assert "rate" in found
    assert hyperparameters().parse_json(found.to_json()).values() == found.values()


@pytest.mark.parametrize("text", ["n=4.5", "other=1", "n=x", "on=maybe", "n=1,n=2"])
def test_text_that_says_no_hyperparameters_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgumentError):
        hyperparameters().parse(text)


def test_hyperparameters_keep_their_types() -> None:
    found = hyperparameters()
    found.set_hparam("rate", 2)
    assert isinstance(found.rate, float)
    for name, value in (("n", 1.5), ("n", [1]), ("sizes", 3), ("on", "yes")):
        with pytest.raises(InvalidArgumentError):
            found.set_hparam(name, value)
    with pytest.raises(InvalidArgumentError, match="reserved"):
        found.add_hparam("rate", 1)
    found.del_hparam("rate")
    with pytest.raises(AttributeError, match="it has"):
        _ = found.rate


def test_scopes_of_arguments_nest_and_are_left() -> None:
    slim = tf.contrib.slim

    def given(x: int, a: int = 1, b: int = 2) -> tuple[int, int, int]:
        return x, a, b

    told = slim.add_arg_scope(given)

    with slim.arg_scope([told], a=5) as outer, slim.arg_scope([told], b=6):
        assert told(0) == (0, 5, 6)
        assert told(0, b=7) == (0, 5, 7)
    assert told(0) == (0, 1, 2)
    with slim.arg_scope(outer):
        assert told(0) == (0, 5, 2)
    with (
        pytest.raises(InvalidArgumentError, match="add_arg_scope"),
        slim.arg_scope([len]),
    ):
        pass
    with pytest.raises(DTypeError, match="list/tuple"), slim.arg_scope(told):
        pass


def test_older_losses_take_predictions_first() -> None:
    old, new = tf.contrib.losses, tf.losses
    p, y = np.array([[0.2, 0.9]], "f"), np.array([[0.0, 1.0]], "f")
    with tf.Graph().as_default(), tf.Session() as session:
        pairs = [
            (old.log_loss(p, y), new.log_loss(y, p)),
            (old.mean_squared_error(p, y), new.mean_squared_error(y, p)),
            (old.softmax_cross_entropy(p, y), new.softmax_cross_entropy(y, p)),
            (old.sigmoid_cross_entropy(p, y), new.sigmoid_cross_entropy(y, p)),
            (old.cosine_distance(p, y, 1), new.cosine_distance(y, p, 1)),
        ]
        assert len(new.get_losses()) == 10
        assert old.hinge_loss(p, y).shape.as_list() == [1, 2]
        assert len(new.get_losses()) == 10
        for ours, wanted in session.run(pairs):
            assert ours == wanted


def test_weights_decay_before_they_move() -> None:
    optimizer = tf.contrib.opt.MomentumWOptimizer(0.01, 0.1, 0.9)
    w, mean, found = np.array([1.0, 2.0]), np.zeros(2), []
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.get_variable("x", initializer=w.astype("f"))
        train = optimizer.minimize(tf.reduce_sum(tf.square(x)))
        session.run(tf.global_variables_initializer())
        for _ in range(3):
            session.run(train)
            found.append(session.run(x))
    for value in found:
        mean = 0.9 * mean + 2 * w
        w = w * 0.99 - 0.1 * mean
        np.testing.assert_allclose(value, w, rtol=1e-5)


def test_rows_without_gradients_do_not_decay() -> None:
    optimizer = tf.contrib.opt.AdamWOptimizer(0.1, 0.1)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.get_variable("x", initializer=np.ones((3, 2), "f"))
        rows = tf.nn.embedding_lookup(x, [0, 2, 2])
        train = optimizer.minimize(tf.reduce_sum(tf.square(rows)))
        session.run(tf.global_variables_initializer())
        session.run(train)
        found = session.run(x)
    np.testing.assert_allclose(found, [[0.8] * 2, [1.0] * 2, [0.8] * 2], rtol=1e-5)


def test_distributions_of_gamma_have_their_moments() -> None:
    own = tf.distributions
    with tf.Graph().as_default(), tf.Session() as session:
        made = [own.Gamma(3.0, 2.0), own.Beta(2.0, 3.0), own.Exponential(2.0)]
        drawn = session.run([x.sample(20000, seed=3) for x in made])
        means, spreads = session.run(
            [[x.mean() for x in made], [x.stddev() for x in made]]
        )
    for draws, mean, spread in zip(drawn, means, spreads, strict=True):
        assert abs(draws.mean() - mean) < 0.03 * spread + 0.01
        assert abs(draws.std() - spread) < 0.05 * spread


def test_gradients_flow_through_draws() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        loc, scale = tf.constant(1.0), tf.constant(2.0)
        x = tf.distributions.Normal(loc, scale).sample([4], seed=1)
        found, (by_loc, by_scale) = session.run([x, tf.gradients(x, [loc, scale])])
        assert by_loc == 4.0
        np.testing.assert_allclose(by_scale, ((found - 1) / 2).sum(), rtol=1e-5)


def test_distributions_take_shapes_that_are_fed() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        scores = tf.placeholder(tf.float32, [None, 3])
        own = tf.distributions.Categorical(scores)
        fed = {scores: [[50.0, 0, 0], [0, 0, 50.0]]}
        assert session.run(own.sample(seed=1), fed).tolist() == [0, 2]
        assert session.run(own.sample(2), fed).tolist() == [[0, 2], [0, 2]]
        assert session.run(own.log_prob([0, 2]), fed).tolist() == [0.0, 0.0]


def test_distributions_of_vectors_that_hang_together() -> None:
    """Numbers are those of TensorFlow 1.15."""
    own = tf.contrib.distributions
    loc, factor = [1.0, -1.0], np.asarray([[2.0, 0.0], [1.0, 3.0]], np.float32)
    with tf.Graph().as_default(), tf.Session() as session:
        made = own.MultivariateNormalTriL(loc, factor)
        whole = own.MultivariateNormalFullCovariance(loc, factor @ factor.T)
        other = own.MultivariateNormalTriL([0.0, 0.0], 2 * np.eye(2, dtype="f"))
        both = own.MultivariateNormalTriL([loc, [2.0, -2.0]], factor)
        for given, expected in (
            (made.log_prob([[0.0, 1.0], loc]), [-4.1019, -3.6296]),
            (whole.log_prob([[0.0, 1.0], loc]), [-4.1019, -3.6296]),
            (both.log_prob([1.0, 2.0]), [-4.1296, -4.8796]),
            (made.entropy(), 4.6296),
            (made.covariance(), [[4, 2], [2, 10]]),
            (made.stddev(), [2, 3.1623]),
            (own.kl_divergence(made, other), 0.5945),
            (tf.shape(both.sample([5])), [5, 2, 2]),
        ):
            np.testing.assert_allclose(session.run(given), expected, atol=1e-4)


def test_distributions_that_are_others() -> None:
    """Numbers are those of TensorFlow 1.15."""
    own = tf.contrib.distributions
    with tf.Graph().as_default(), tf.Session() as session:
        chances = own.Chi2([2.0, 3.0]).log_prob([1.0, 2.0])
        gamma = own.GammaWithSoftplusConcentrationRate(1.0, 2.0)
        inverse = own.InverseGammaWithSoftplusConcentrationRate(3.0, 2.0)
        student = own.StudentTWithAbsDfSoftplusScale(-4.5, 0.0, 1.0)
        for given, expected in (
            (chances, [-1.1931, -1.5724]),
            (own.Chi2WithAbsDf(-3.5).variance(), 6),
            (own.BetaWithSoftplusConcentration(1.0, 2.0).mean(), 0.3817),
            (own.ExponentialWithSoftplusRate(1.0).mean(), 0.7615),
            (gamma.mean(), 0.6174),
            (inverse.mean(), 1.0382),
            (own.LaplaceWithSoftplusScale(0.0, 1.0).stddev(), 1.8572),
            (student.variance(), 3.4493),
        ):
            np.testing.assert_allclose(session.run(given), expected, atol=1e-4)


def test_what_has_no_divergence_says_so() -> None:
    own = tf.contrib.distributions
    with tf.Graph().as_default(), pytest.raises(NotImplementedError, match="No KL"):
        own.kl_divergence(own.Normal(0.0, 1.0), own.Uniform())


def test_gradients_of_functions_that_run_at_once() -> None:
    mode.eager = True
    eager = tf.contrib.eager
    found = eager.gradients_function(lambda x, y: x * x * y)(3.0, 2.0)
    assert [float(x) for x in found] == [12.0, 9.0]
    w = eager.Variable(2.0)
    value, pairs = eager.implicit_value_and_gradients(lambda x: w * x)(
        tf.constant(5.0)
    )
    assert float(value) == 10.0
    assert float(pairs[0][0]) == 5.0
    assert pairs[0][1] is w


def test_names_that_are_not_there_say_so() -> None:
    with pytest.raises(UnimplementedError, match=r"tf\.contrib\.learn\.SVM"):
        tf.contrib.learn.SVM()
    for namespace in ("layers", "slim", "framework", "opt", "distributions"):
        with pytest.raises(AttributeError, match="no attribute"):
            _ = getattr(tf.contrib, namespace).nothing_of_this_name


def test_layers_outputs_are_found_by_the_names_of_their_layers() -> None:
    slim = tf.contrib.slim
    with tf.Graph().as_default():
        x = tf.zeros([1, 8, 8, 3])
        with slim.arg_scope(
            [slim.conv2d, slim.max_pool2d], outputs_collections="ends"
        ):
            net = slim.repeat(x, 2, slim.conv2d, 4, [3, 3], scope="conv1")
            net = slim.max_pool2d(net, [2, 2], scope="pool1")
        tf.add_to_collection("ends", tf.identity(net, name="own"))
        found = slim.utils.convert_collection_to_dict("ends", clear_collection=True)
        names = ["conv1/conv1_1", "conv1/conv1_2", "pool1", "own"]
        assert list(found) == names
        assert found["pool1"] is net
        assert tf.get_collection("ends") == []
        assert slim.utils.last_dimension(net.get_shape(), min_rank=4) == 4


def test_documents_become_numbers_of_words(tmp_path: Path) -> None:
    """TensorFlow 1.15 gives these rows."""
    texts = ["I'm a man a plan", "a HTMLPage plan b-c", ""]
    made = tf.contrib.learn.preprocessing.VocabularyProcessor(4)
    rows = np.array(list(made.fit_transform(texts)))
    assert rows.tolist() == [[1, 2, 3, 2], [2, 5, 6, 4], [0, 0, 0, 0]]
    assert next(made.reverse(rows)) == "I'm a man a"
    made.save(str(tmp_path / "words"))
    again = tf.contrib.learn.preprocessing.VocabularyProcessor.restore(
        str(tmp_path / "words")
    )
    assert next(again.transform(["plan new a"])).tolist() == [4, 0, 2, 0]
    assert again.vocabulary_.state() == made.vocabulary_.state()
    often = tf.contrib.learn.preprocessing.VocabularyProcessor(3, min_frequency=1)
    assert next(often.fit_transform(texts)).tolist() == [0, 1, 0]
    assert len(often.vocabulary_) == 3


def test_documents_become_bytes_and_back() -> None:
    made = tf.contrib.learn.preprocessing.ByteProcessor(4)
    rows = list(made.transform(["abcdef", b"\xc3\xa9"]))
    assert [row.tolist() for row in rows] == [[97, 98, 99, 100], [195, 169, 0, 0]]
    assert list(made.reverse(rows)) == ["abcd", "\xe9"]


def test_keras_is_found_by_its_older_name() -> None:
    assert tf.contrib.keras.layers.Dense is tf.keras.layers.Dense
    assert "layers" in dir(tf.contrib.keras)
    path = f"{tf.contrib.keras.__name__}.api.keras"
    assert import_module(f"{path}.layers").Dense is tf.keras.layers.Dense
    assert import_module(path).backend is tf.keras.backend
    assert tf.contrib.keras.api.keras.models.Sequential is tf.keras.Sequential
    with pytest.raises(AttributeError, match="Sequentail"):
        _ = tf.contrib.keras.Sequentail


def test_the_best_tags_are_found_at_once_where_graphs_are_built() -> None:
    score = np.array([[1.0, 2.0], [3.0, 1.0]], np.float32)
    transitions = np.array([[0.5, 0.0], [0.0, 2.0]], np.float32)
    with tf.Graph().as_default() as graph:
        tags, best = tf.contrib.crf.viterbi_decode(score, transitions)
    assert (tags, float(best)) == ([1, 0], 5.0)
    assert not graph.get_operations()
