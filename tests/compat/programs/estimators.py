"""Estimators whose models are there: what they learn, how they are judged, what they answer."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

ROWS = {
    "a": np.array([[1.0], [2.0], [-1.0], [0.5], [3.0], [-2.0]], np.float32),
    "k": np.array(["x", "y", "x", "z", "y", "q"]),
    "w": np.array([1.0, 2.0, 1.0, 0.5, 1.0, 3.0], np.float32),
}
TWO = np.array([0, 1, 0, 1, 1, 0])
THREE = np.array([0, 1, 2, 1, 2, 0])
NUMBERS = np.array([0.5, 1.0, -1.0, 2.0, 0.0, 1.0], np.float32)
WORDS = np.array(["n", "p", "n", "p", "p", "n"])
MANY = np.array([[1, 0], [0, 0], [1, 1], [0, 1], [1, 0], [0, 0]])
SLOTS = ("Ftrl", "Adagrad", "Adam", "beta")


def program(tf: Any) -> dict[str, Any]:
    """Return what each of them comes to."""
    return {name: shown(tf, *given) for name, given in made(tf).items()}


def made(tf: Any) -> dict[str, Any]:
    """Return estimators, labels, and whether their weights are counted before they learn."""
    column, of = tf.feature_column, tf.estimator
    a = column.numeric_column("a")
    k = column.categorical_column_with_vocabulary_list("k", ["x", "y", "z"])
    wide, deep = [a, k], [a, column.indicator_column(k)]
    both = {
        "linear_feature_columns": wide,
        "dnn_feature_columns": deep,
        "dnn_hidden_units": [4],
    }
    sgd, adam = "SGD", tf.train.AdamOptimizer(0.1)
    normed = of.DNNClassifier([4], deep, None, 3, optimizer=sgd, batch_norm=True)
    labels = of.MultiLabelHead(
        2, thresholds=[0.4], classes_for_class_based_metrics=[1]
    )
    return {
        "baseline": (of.BaselineClassifier(n_classes=3), THREE, False),
        "baseline_numbers": (of.BaselineRegressor(), NUMBERS, False),
        "linear": (of.LinearClassifier(wide), TWO, False),
        "linear_three": (of.LinearClassifier(wide, n_classes=3), THREE, False),
        "linear_numbers": (of.LinearRegressor(wide), NUMBERS, False),
        "linear_words": (
            of.LinearClassifier([a], None, 2, "w", ["n", "p"]),
            WORDS,
            False,
        ),
        "dnn": (of.DNNClassifier([4, 3], deep), TWO, True),
        "dnn_three": (normed, THREE, True),
        "dnn_numbers": (of.DNNRegressor([4], deep, optimizer=adam), NUMBERS, True),
        "combined": (of.DNNLinearCombinedClassifier(**both), TWO, True),
        "combined_numbers": (of.DNNLinearCombinedRegressor(**both), NUMBERS, True),
        "labels": (headed(tf, labels, wide), MANY, False),
        "counts": (
            headed(tf, of.PoissonRegressionHead(), wide),
            np.abs(NUMBERS) + 0.5,
            False,
        ),
        "chances": (
            headed(tf, of.LogisticRegressionHead(), wide),
            np.abs(NUMBERS) / 2,
            False,
        ),
    }


def headed(tf: Any, head: Any, columns: Any) -> Any:
    """Return an estimator of a linear model with a head."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        width = head.logits_dimension
        logits = tf.feature_column.linear_model(features, columns, units=width)
        optimizer = tf.train.GradientDescentOptimizer(0.1)

        def train_op_fn(loss: Any) -> Any:
            return optimizer.minimize(loss, tf.train.get_global_step())

        return head.create_estimator_spec(
            features, mode, logits, labels, train_op_fn=train_op_fn
        )

    return tf.estimator.Estimator(model_fn)


def input_fn(tf: Any, labels: Any, times: int) -> Callable[[], Any]:
    """Return what gives the rows in batches of three."""

    def rows() -> Any:
        whole = tf.data.Dataset.from_tensor_slices((dict(ROWS), labels))
        return whole.repeat(times).batch(3)

    return rows


def counting(tf: Any) -> Any:
    """Return a hook that gives weights values which are counted."""

    class Counted(tf.train.SessionRunHook):  # type: ignore[misc]
        def begin(self) -> None:
            self.fed = [
                (v, tf.placeholder(v.dtype.base_dtype, v.shape))
                for v in tf.trainable_variables()
            ]
            self.given = [v.assign(x) for v, x in self.fed]

        def after_create_session(self, session: Any, coord: Any) -> None:
            for (v, x), assign in zip(self.fed, self.given):  # noqa: B905  Python 3.7
                sizes = v.shape.as_list()
                values = np.sin(np.arange(np.prod(sizes))) * 0.3
                session.run(assign, {x: values.reshape(sizes)})

    return Counted()


def shown(tf: Any, estimator: Any, labels: Any, counted: bool) -> dict[str, Any]:
    """Return how an estimator is judged, what it answers, and what its variables are called."""
    hooks = [counting(tf)] if counted else None
    with tempfile.TemporaryDirectory() as folder:
        own = type(estimator).__mro__[-2](estimator.model_fn, folder)
        own.train(input_fn(tf, labels, 3), hooks)
        judged = own.evaluate(input_fn(tf, labels, 1))
        answers = list(own.predict(input_fn(tf, labels, 1)))[:2]
        names = own.get_variable_names()
    return {
        "judged": {key: float(x) for key, x in judged.items()},
        "answers": [{key: told(x) for key, x in one.items()} for one in answers],
        "names": sorted(x for x in names if not any(slot in x for slot in SLOTS)),
    }


def told(x: Any) -> Any:
    """Return an array as lists, with words as text."""
    return [one.decode() for one in x] if x.dtype == object else x.tolist()
