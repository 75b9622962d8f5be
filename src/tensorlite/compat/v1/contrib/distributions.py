"""tf.contrib.distributions and tf.distributions: their names."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.contrib import bijectors
from tensorlite.compat.v1.contrib.distribution_kinds.bent_numbers import (
    Kumaraswamy,
    SinhArcsinh,
)
from tensorlite.compat.v1.contrib.distribution_kinds.between import (
    VectorDiffeomixture,
    quadrature_scheme_softmaxnormal_gauss_hermite,
    quadrature_scheme_softmaxnormal_quantiles,
)
from tensorlite.compat.v1.contrib.distribution_kinds.classes_counted import (
    DirichletMultinomial,
    Multinomial,
)
from tensorlite.compat.v1.contrib.distribution_kinds.compounds import (
    PoissonLogNormalQuadratureCompound,
    quadrature_scheme_lognormal_gauss_hermite,
    quadrature_scheme_lognormal_quantiles,
)
from tensorlite.compat.v1.contrib.distribution_kinds.conditional import (
    ConditionalDistribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.conjugates import (
    SeedStream,
    normal_conjugates_known_scale_posterior,
    normal_conjugates_known_scale_predictive,
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
from tensorlite.compat.v1.contrib.distribution_kinds.correlation import (
    auto_correlation,
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
    ReparameterizationType,
)
from tensorlite.compat.v1.contrib.distribution_kinds.distribution_head import (
    estimator_head_distribution_regression,
)
from tensorlite.compat.v1.contrib.distribution_kinds.divergences import (
    RegisterKL,
    kl_divergence,
)
from tensorlite.compat.v1.contrib.distribution_kinds.mixtures import (
    Mixture,
    MixtureSameFamily,
)
from tensorlite.compat.v1.contrib.distribution_kinds.moved_vectors import (
    MultivariateNormalDiag,
    MultivariateNormalDiagPlusLowRank,
    MultivariateNormalDiagWithSoftplusScale,
    MultivariateNormalFullCovariance,
    MultivariateNormalTriL,
)
from tensorlite.compat.v1.contrib.distribution_kinds.moving import (
    assign_log_moving_mean_exp,
    assign_moving_mean_variance,
    fill_triangular_inverse,
    matrix_diag_transform,
    moving_mean_variance,
    tridiag,
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
from tensorlite.compat.v1.contrib.distribution_kinds.shares import Dirichlet
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
from tensorlite.compat.v1.contrib.distribution_kinds.together import Independent
from tensorlite.compat.v1.contrib.distribution_kinds.transformed import (
    ConditionalTransformedDistribution,
    TransformedDistribution,
)
from tensorlite.compat.v1.contrib.distribution_kinds.vectors_of_others import (
    VectorExponentialDiag,
    VectorLaplaceDiag,
    VectorSinhArcsinhDiag,
)
from tensorlite.compat.v1.contrib.distribution_kinds.wishart import (
    WishartCholesky,
    WishartFull,
)
from tensorlite.compat.v1.contrib.distribution_kinds.wrapped import (
    Autoregressive,
    BatchReshape,
    QuantizedDistribution,
)

kl = kl_divergence

__all__ = [
    "Autoregressive",
    "BatchReshape",
    "Bernoulli",
    "Beta",
    "BetaWithSoftplusConcentration",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "Chi2WithAbsDf",
    "ConditionalDistribution",
    "ConditionalTransformedDistribution",
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
    "Kumaraswamy",
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
    "PoissonLogNormalQuadratureCompound",
    "QuantizedDistribution",
    "RegisterKL",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "ReparameterizationType",
    "SeedStream",
    "SinhArcsinh",
    "StudentT",
    "StudentTWithAbsDfSoftplusScale",
    "TransformedDistribution",
    "Uniform",
    "VectorDeterministic",
    "VectorDiffeomixture",
    "VectorExponentialDiag",
    "VectorLaplaceDiag",
    "VectorSinhArcsinhDiag",
    "WishartCholesky",
    "WishartFull",
    "assign_log_moving_mean_exp",
    "assign_moving_mean_variance",
    "auto_correlation",
    "bijectors",
    "estimator_head_distribution_regression",
    "fill_triangular",
    "fill_triangular_inverse",
    "kl",
    "kl_divergence",
    "matrix_diag_transform",
    "moving_mean_variance",
    "normal_conjugates_known_scale_posterior",
    "normal_conjugates_known_scale_predictive",
    "percentile",
    "quadrature_scheme_lognormal_gauss_hermite",
    "quadrature_scheme_lognormal_quantiles",
    "quadrature_scheme_softmaxnormal_gauss_hermite",
    "quadrature_scheme_softmaxnormal_quantiles",
    "reduce_weighted_logsumexp",
    "softplus_inverse",
    "tridiag",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
