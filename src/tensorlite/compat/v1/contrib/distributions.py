"""tf.contrib.distributions and tf.distributions: their names."""

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v1.contrib.continuous import (
    Beta,
    Exponential,
    Gamma,
    Laplace,
    Normal,
    NormalWithSoftplusScale,
    Uniform,
)
from tensorlite.compat.v1.contrib.discrete import (
    Bernoulli,
    Categorical,
    OneHotCategorical,
)
from tensorlite.compat.v1.contrib.distribution import (
    Distribution,
    RegisterKL,
    kl_divergence,
)
from tensorlite.compat.v1.contrib.multivariate import (
    Dirichlet,
    MultivariateNormalDiag,
    MultivariateNormalDiagWithSoftplusScale,
)

kl = kl_divergence

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Dirichlet",
    "Distribution",
    "Exponential",
    "Gamma",
    "Laplace",
    "MultivariateNormalDiag",
    "MultivariateNormalDiagWithSoftplusScale",
    "Normal",
    "NormalWithSoftplusScale",
    "OneHotCategorical",
    "RegisterKL",
    "Uniform",
    "kl",
    "kl_divergence",
]


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
