"""tf.distributions: those of tf.contrib.distributions that TensorFlow 1 has at its top."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.contrib.distribution_kinds.classes_counted import (
    DirichletMultinomial,
    Multinomial,
)
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    ReparameterizationType,
)
from tensorlite.compat.v1.contrib.distribution_kinds.tails import StudentT
from tensorlite.compat.v1.contrib.distributions import (
    Bernoulli,
    Beta,
    Categorical,
    Dirichlet,
    Distribution,
    Exponential,
    Gamma,
    Laplace,
    Normal,
    RegisterKL,
    Uniform,
    kl_divergence,
)

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "Exponential",
    "FULLY_REPARAMETERIZED",
    "Gamma",
    "Laplace",
    "NOT_REPARAMETERIZED",
    "Multinomial",
    "Normal",
    "RegisterKL",
    "ReparameterizationType",
    "StudentT",
    "Uniform",
    "kl_divergence",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
