"""Mathematics: `tf.math`."""

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import special as special
from tensorlite.compat.shared.math import *
from tensorlite.compat.shared.nn import in_top_k as in_top_k
from tensorlite.compat.shared.picking import top_k as top_k
from tensorlite.compat.v1.functions.arrays import (
    bincount as bincount,
    confusion_matrix as confusion_matrix,
)
from tensorlite.compat.v1.functions.matrices import l2_normalize as l2_normalize
from tensorlite.compat.v1.functions.nn_functions import (
    log_softmax as log_softmax,
    softmax as softmax,
    zero_fraction as zero_fraction,
)
from tensorlite.compat.v1.functions.numbers import (
    argmax as argmax,
    argmin as argmin,
    count_nonzero as count_nonzero,
    reduce_all as reduce_all,
    reduce_any as reduce_any,
    reduce_logsumexp as reduce_logsumexp,
    reduce_max as reduce_max,
    reduce_mean as reduce_mean,
    reduce_min as reduce_min,
    reduce_prod as reduce_prod,
    reduce_sum as reduce_sum,
)

__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    """Say of a name that is not there what is near it."""
    raise attribute_error(__name__, name, globals())
