"""tf.contrib.slim.nets.inception: the three versions of inception networks."""

from tensorlite.compat.v1.contrib.slim_nets.inception_v1 import (
    inception_v1,
    inception_v1_arg_scope,
    inception_v1_base,
)
from tensorlite.compat.v1.contrib.slim_nets.inception_v2 import (
    inception_v2,
    inception_v2_arg_scope,
    inception_v2_base,
)
from tensorlite.compat.v1.contrib.slim_nets.inception_v3 import (
    inception_v3,
    inception_v3_arg_scope,
    inception_v3_base,
)

__all__ = [
    "inception_v1",
    "inception_v1_arg_scope",
    "inception_v1_base",
    "inception_v2",
    "inception_v2_arg_scope",
    "inception_v2_base",
    "inception_v3",
    "inception_v3_arg_scope",
    "inception_v3_base",
]


def __dir__() -> list[str]:
    return sorted(__all__)
