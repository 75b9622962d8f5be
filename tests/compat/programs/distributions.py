"""Distributions of tf.contrib.distributions: shapes, values, draws by seeds, divergences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

METHODS = ("mean", "mode", "stddev", "variance", "entropy")
LEFT_OUT = {
    "dirichlet": ("mode",),
    "exponential": ("mode",),
    "hot": ("mean", "stddev", "variance"),
}
"""What is not a number in TensorFlow, or is there not at all."""
OF_VALUE = ("prob", "log_prob", "cdf", "survival_function")


def program(tf: Any) -> dict[str, Any]:
    """Return what is known of each."""
    made = {**numbers(tf), **others(tf)}
    return {key: described(tf, key, *given) for key, given in made.items()}


def numbers(tf: Any) -> dict[str, Any]:
    """Return distributions of numbers, values, and distributions to compare them with."""
    own, some = tf.contrib.distributions, np.array([[0.3], [0.7]], "f")
    return {
        "normal": (
            lambda: own.Normal([0.0, 1.0], [[1.0], [2.0]]),
            some,
            lambda: own.Normal(1.0, 3.0),
        ),
        "laplace": (lambda: own.Laplace([0.0, 1.0], 2.0), some, None),
        "uniform": (lambda: own.Uniform([0.0, 0.5], 2.0), some, None),
        "gamma": (
            lambda: own.Gamma([2.0, 1.5], [1.0, 3.0]),
            some,
            lambda: own.Gamma(3.0, 2.0),
        ),
        "exponential": (lambda: own.Exponential([1.0, 3.0]), some, None),
        "beta": (
            lambda: own.Beta([2.0, 1.2], [1.5, 3.0]),
            some[:, 0],
            lambda: own.Beta(3.0, 2.0),
        ),
    }


def others(tf: Any) -> dict[str, Any]:
    """Return distributions of vectors and classes likewise."""
    own, hot = tf.contrib.distributions, np.array([0, 0, 1])
    spread = np.array([0.2, 0.3, 0.5], "f")
    scores = [[0.3, -1.0, 2.0], [0.0, 0.0, 1.0]]
    return {
        "dirichlet": (
            lambda: own.Dirichlet([[2.0, 3.0, 4.0], [1.0, 0.5, 0.2]]),
            spread,
            lambda: own.Dirichlet([1.0, 2.0, 3.0]),
        ),
        "diagonal": (
            lambda: own.MultivariateNormalDiag([0.0, 1.0], [1.0, 2.0]),
            np.array([0.2, 0.3], "f"),
            lambda: own.MultivariateNormalDiag([1.0, 1.0], [1.0, 2.0]),
        ),
        "spheres": (
            lambda: own.MultivariateNormalDiag(
                tf.zeros([3, 2]), scale_identity_multiplier=tf.ones([3]) * 2
            ),
            np.zeros((3, 2), "f"),
            None,
        ),
        "coin": (
            lambda: own.Bernoulli([[0.3, -1.0]]),
            np.array([0, 1]),
            lambda: own.Bernoulli(probs=0.3),
        ),
        "classes": (
            lambda: own.Categorical(scores),
            np.array([0, 2]),
            lambda: own.Categorical(probs=[0.2, 0.3, 0.5]),
        ),
        "hot": (
            lambda: own.OneHotCategorical(scores),
            hot,
            lambda: own.OneHotCategorical(probs=[0.2, 0.3, 0.5]),
        ),
    }


def described(tf: Any, key: str, make: Any, value: Any, other: Any) -> dict[str, Any]:
    """Return all that one distribution has to say."""
    with tf.Graph().as_default(), tf.Session() as session:
        own = make()
        found: dict[str, Any] = {
            "shapes": [own.batch_shape.as_list(), own.event_shape.as_list()],
            "names": [own.name, own.dtype.name],
        }
        nodes: dict[str, Any] = {}
        for method in METHODS:
            if method not in LEFT_OUT.get(key, ()):
                nodes[method] = made(getattr(own, method))
        for method in OF_VALUE:
            if key not in {"diagonal", "spheres"} or "prob" in method:
                nodes[method] = made(getattr(own, method), value)
        if other is not None:
            divergence = tf.contrib.distributions.kl_divergence
            nodes["kl"] = divergence(own, other())
            nodes["cross"] = own.cross_entropy(other())
        shapes: list[Any] = [(), 3, [2, 2]]
        draws = [own.sample(x, seed=7) for x in shapes]
        missing = {name: x for name, x in nodes.items() if isinstance(x, str)}
        there = {name: x for name, x in nodes.items() if name not in missing}
        values, drawn = session.run([there, draws])
        if key in {"gamma", "beta", "dirichlet"}:
            drawn = [list(np.shape(x)) for x in drawn]
        return {**found, **values, **missing, "draws": drawn}


def made(method: Callable[..., Any], *args: Any) -> Any:
    """Return a node, or that it is not there."""
    try:
        return method(*args)
    except NotImplementedError:
        return "NotImplementedError"
