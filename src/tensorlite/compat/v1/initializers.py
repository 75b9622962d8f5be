"""tf.initializers of TensorFlow 1: other names of what stands in init_ops.py."""

from tensorlite.compat.missing import attribute_error
from tensorlite.compat.v1.init_ops import (
    Constant as constant,
)
from tensorlite.compat.v1.init_ops import (
    GlorotNormal as glorot_normal,
)
from tensorlite.compat.v1.init_ops import (
    GlorotUniform as glorot_uniform,
)
from tensorlite.compat.v1.init_ops import (
    Identity as identity,
)
from tensorlite.compat.v1.init_ops import (
    Initializer,
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)
from tensorlite.compat.v1.init_ops import (
    Ones as ones,
)
from tensorlite.compat.v1.init_ops import (
    Orthogonal as orthogonal,
)
from tensorlite.compat.v1.init_ops import (
    RandomNormal as random_normal,
)
from tensorlite.compat.v1.init_ops import (
    RandomUniform as random_uniform,
)
from tensorlite.compat.v1.init_ops import (
    TruncatedNormal as truncated_normal,
)
from tensorlite.compat.v1.init_ops import (
    UniformUnitScaling as uniform_unit_scaling,
)
from tensorlite.compat.v1.init_ops import (
    VarianceScaling as variance_scaling,
)
from tensorlite.compat.v1.init_ops import (
    Zeros as zeros,
)
from tensorlite.compat.v1.scopes import (
    global_variables_initializer as global_variables,
)
from tensorlite.compat.v1.scopes import (
    local_variables_initializer as local_variables,
)
from tensorlite.compat.v1.scopes import (
    tables_initializer,
)
from tensorlite.compat.v1.scopes import (
    variables_initializer as variables,
)

__all__ = [
    "Initializer",
    "constant",
    "glorot_normal",
    "glorot_uniform",
    "global_variables",
    "he_normal",
    "he_uniform",
    "identity",
    "lecun_normal",
    "lecun_uniform",
    "local_variables",
    "ones",
    "orthogonal",
    "random_normal",
    "random_uniform",
    "tables_initializer",
    "truncated_normal",
    "uniform_unit_scaling",
    "variables",
    "variance_scaling",
    "zeros",
]


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, __all__)
