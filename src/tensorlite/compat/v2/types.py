"""tf.types: what annotations of programs name."""

from __future__ import annotations

from types import SimpleNamespace

from tensorlite.compat.v2.functions import Concrete, PolymorphicFunction
from tensorlite.core.tensor import TensorLike

experimental = SimpleNamespace(
    TensorLike=TensorLike,
    ConcreteFunction=Concrete,
    PolymorphicFunction=PolymorphicFunction,
    GenericFunction=PolymorphicFunction,
    Callable=PolymorphicFunction,
)
