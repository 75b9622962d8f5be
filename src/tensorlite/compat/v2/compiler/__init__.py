"""tensorflow.compiler: what programs import of the compiler XLA."""

from tensorlite.compat.v2.compiler import tf2xla as tf2xla
