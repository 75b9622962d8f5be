"""More distributions of tf.contrib.distributions: what is known of each, and shapes of draws."""

from __future__ import annotations

from typing import Any

import numpy as np

METHODS = ("mean", "mode", "stddev", "variance", "entropy")
OF_VALUE = ("log_prob", "prob", "cdf")


def program(tf: Any) -> dict[str, Any]:
    """Return what is known of each."""
    own = tf.contrib.distributions
    real = np.array([[0.3], [1.7]], "f")
    counts = np.array([[0.0], [2.0]], "f")
    made = {
        "cauchy": (lambda: own.Cauchy([0.0, 1.0], 2.0), real, ()),
        "logistic": (lambda: own.Logistic([0.0, 1.0], [1.0, 3.0]), real, ()),
        "half": (lambda: own.HalfNormal([1.0, 2.5]), real, ()),
        "inverse": (lambda: own.InverseGamma([3.0, 2.5], [1.0, 3.0]), real, ()),
        "student": (
            lambda: own.StudentT([3.0, 5.0], [0.0, 1.0], 2.0),
            real,
            ("cdf",),
        ),
        "poisson": (lambda: own.Poisson([1.5, 4.0]), counts, ("entropy",)),
        "logs": (lambda: own.Poisson(log_rate=0.3), counts, ("entropy",)),
        "geometric": (lambda: own.Geometric(probs=[0.2, 0.6]), counts, ()),
        "binomial": (
            lambda: own.Binomial(4.0, probs=[0.2, 0.7]),
            counts,
            ("entropy", "cdf", "sample"),
        ),
    }
    return {key: described(tf, *given) for key, given in made.items()}


def described(
    tf: Any, make: Any, value: Any, left_out: tuple[str, ...]
) -> dict[str, Any]:
    """Return all that one distribution has to say."""
    with tf.Graph().as_default(), tf.Session() as session:
        own = make()
        nodes = {x: getattr(own, x)() for x in METHODS if x not in left_out}
        more = {x: getattr(own, x)(value) for x in OF_VALUE if x not in left_out}
        found = session.run({**nodes, **more})
        told: dict[str, Any] = {
            key: np.where(np.isnan(x), -1.0, x) for key, x in found.items()
        }
        if "sample" not in left_out:
            told["drawn"] = list(session.run(own.sample([5, 3], seed=1)).shape)
        told["shapes"] = [own.batch_shape.as_list(), own.event_shape.as_list()]
        told["kind"] = [own.name, str(own.reparameterization_type)]
        return told
