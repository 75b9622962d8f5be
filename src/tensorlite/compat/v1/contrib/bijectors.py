"""tf.contrib.distributions.bijectors: their names.

What is drawn by them is in distribution_kinds/transformed.py.
"""

from __future__ import annotations

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.v1.contrib.distribution_kinds.bijector import (
    Bijector,
    ConditionalBijector,
)
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_elements import (
    AbsoluteValue,
    AffineScalar,
    Exp,
    Gumbel,
    Identity,
    Kumaraswamy,
    PowerTransform,
    Sigmoid,
    SinhArcsinh,
    Softplus,
    Softsign,
    Square,
)
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_matrices import (
    CholeskyOuterProduct,
    FillTriangular,
    MatrixInverseTriL,
    ScaleTriL,
    TransformDiagonal,
)
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_others import (
    Chain,
    Inline,
    Invert,
)
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_shapes import (
    Reshape,
)
from tensorlite.compat.v1.contrib.distribution_kinds.bijectors_of_vectors import (
    Affine,
    AffineLinearOperator,
    Ordered,
    Permute,
    SoftmaxCentered,
)
from tensorlite.compat.v1.contrib.distribution_kinds.flows import (
    BatchNormalization,
    MaskedAutoregressiveFlow,
    RealNVP,
    masked_autoregressive_default_template,
    masked_dense,
    real_nvp_default_template,
)

__all__ = [
    "AbsoluteValue",
    "Affine",
    "AffineLinearOperator",
    "AffineScalar",
    "BatchNormalization",
    "Bijector",
    "Chain",
    "CholeskyOuterProduct",
    "ConditionalBijector",
    "Exp",
    "FillTriangular",
    "Gumbel",
    "Identity",
    "Inline",
    "Invert",
    "Kumaraswamy",
    "MaskedAutoregressiveFlow",
    "MatrixInverseTriL",
    "Ordered",
    "Permute",
    "PowerTransform",
    "RealNVP",
    "Reshape",
    "ScaleTriL",
    "Sigmoid",
    "SinhArcsinh",
    "SoftmaxCentered",
    "Softplus",
    "Softsign",
    "Square",
    "TransformDiagonal",
    "masked_autoregressive_default_template",
    "masked_dense",
    "real_nvp_default_template",
]


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
