"""tf.types: what annotations of programs name."""

from __future__ import annotations

from types import SimpleNamespace

from tensorlite.compat.missing import listing
from tensorlite.compat.v2.function_types import (
    FunctionType,
    SupportsTracingProtocol,
    TraceType,
    TracingContext,
)
from tensorlite.compat.v2.functions import Concrete, PolymorphicFunction
from tensorlite.core.tensor import TensorLike

experimental = SimpleNamespace(
    TensorLike=TensorLike,
    AtomicFunction=Concrete,
    ConcreteFunction=Concrete,
    PolymorphicFunction=PolymorphicFunction,
    GenericFunction=PolymorphicFunction,
    Callable=PolymorphicFunction,
    FunctionType=FunctionType,
    SupportsTracingProtocol=SupportsTracingProtocol,
    TraceType=TraceType,
    TracingContext=TracingContext,
)


__dir__ = listing(__name__, globals())
