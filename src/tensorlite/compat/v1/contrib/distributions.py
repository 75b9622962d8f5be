"""tf.contrib.distributions and tf.distributions: their names."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.contrib import bijectors
from tensorlite.compat.v1.contrib.distribution_kinds.classes_counted import (
    DirichletMultinomial,
    Multinomial,
)
from tensorlite.compat.v1.contrib.distribution_kinds.continuous import (
    Beta,
    Exponential,
    Gamma,
    Laplace,
    Normal,
    NormalWithSoftplusScale,
    Uniform,
)
from tensorlite.compat.v1.contrib.distribution_kinds.correlated import (
    MultivariateNormalFullCovariance,
    MultivariateNormalTriL,
)
from tensorlite.compat.v1.contrib.distribution_kinds.counted import (
    Binomial,
    Geometric,
    NegativeBinomial,
    Poisson,
)
from tensorlite.compat.v1.contrib.distribution_kinds.derived import (
    BetaWithSoftplusConcentration,
    Chi2,
    Chi2WithAbsDf,
    ExponentialWithSoftplusRate,
    GammaWithSoftplusConcentrationRate,
    InverseGammaWithSoftplusConcentrationRate,
    LaplaceWithSoftplusScale,
    StudentTWithAbsDfSoftplusScale,
)
from tensorlite.compat.v1.contrib.distribution_kinds.discrete import (
    Bernoulli,
    Categorical,
    OneHotCategorical,
)
from tensorlite.compat.v1.contrib.distribution_kinds.distribution import (
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    Distribution,
    RegisterKL,
    ReparameterizationType,
    kl_divergence,
)
from tensorlite.compat.v1.contrib.distribution_kinds.mixtures import (
    Independent,
    Mixture,
    MixtureSameFamily,
)
from tensorlite.compat.v1.contrib.distribution_kinds.moving import (
    assign_log_moving_mean_exp,
    assign_moving_mean_variance,
    fill_triangular_inverse,
    matrix_diag_transform,
    moving_mean_variance,
    tridiag,
)
from tensorlite.compat.v1.contrib.distribution_kinds.multivariate import (
    Dirichlet,
    MultivariateNormalDiag,
    MultivariateNormalDiagWithSoftplusScale,
)
from tensorlite.compat.v1.contrib.distribution_kinds.relaxed import (
    ExpRelaxedOneHotCategorical,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
)
from tensorlite.compat.v1.contrib.distribution_kinds.settled import (
    Deterministic,
    VectorDeterministic,
)
from tensorlite.compat.v1.contrib.distribution_kinds.statistics import (
    fill_triangular,
    percentile,
    reduce_weighted_logsumexp,
    softplus_inverse,
)
from tensorlite.compat.v1.contrib.distribution_kinds.tails import (
    Cauchy,
    HalfNormal,
    InverseGamma,
    Logistic,
    StudentT,
)
from tensorlite.compat.v1.contrib.distribution_kinds.transformed import (
    TransformedDistribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.vectors_of_others import (
    MultivariateNormalDiagPlusLowRank,
    VectorExponentialDiag,
    VectorLaplaceDiag,
)

kl = kl_divergence

__all__ = [
    "Bernoulli",
    "Beta",
    "BetaWithSoftplusConcentration",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "Chi2WithAbsDf",
    "Deterministic",
    "Dirichlet",
    "DirichletMultinomial",
    "Distribution",
    "ExpRelaxedOneHotCategorical",
    "Exponential",
    "ExponentialWithSoftplusRate",
    "FULLY_REPARAMETERIZED",
    "Gamma",
    "GammaWithSoftplusConcentrationRate",
    "Geometric",
    "HalfNormal",
    "Independent",
    "InverseGamma",
    "InverseGammaWithSoftplusConcentrationRate",
    "Laplace",
    "LaplaceWithSoftplusScale",
    "Logistic",
    "Mixture",
    "MixtureSameFamily",
    "Multinomial",
    "MultivariateNormalDiag",
    "MultivariateNormalDiagPlusLowRank",
    "MultivariateNormalDiagWithSoftplusScale",
    "MultivariateNormalFullCovariance",
    "MultivariateNormalTriL",
    "NOT_REPARAMETERIZED",
    "NegativeBinomial",
    "Normal",
    "NormalWithSoftplusScale",
    "OneHotCategorical",
    "Poisson",
    "RegisterKL",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReparameterizationType",
    "StudentT",
    "StudentTWithAbsDfSoftplusScale",
    "TransformedDistribution",
    "Uniform",
    "VectorDeterministic",
    "VectorExponentialDiag",
    "VectorLaplaceDiag",
    "assign_log_moving_mean_exp",
    "assign_moving_mean_variance",
    "bijectors",
    "fill_triangular",
    "fill_triangular_inverse",
    "kl",
    "kl_divergence",
    "matrix_diag_transform",
    "moving_mean_variance",
    "percentile",
    "reduce_weighted_logsumexp",
    "softplus_inverse",
    "tridiag",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
