"""tensorlite: eager tensors, a gradient tape, and functions traced into dataflow graphs."""

from __future__ import annotations

from tensorlite.core import operand as _operand
from tensorlite.ops import operators as _operators

_operand.operators = _operators

from tensorlite.core.dispatch import executing_eagerly as executing_eagerly
from tensorlite.core.dtypes import *
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph.manual import ManualGraph as Graph
from tensorlite.graph.tape import GradientTape
from tensorlite.ops.arithmetic import *
from tensorlite.ops.arrange import *
from tensorlite.ops.compare import *
from tensorlite.ops.create import *
from tensorlite.ops.diagonal import *
from tensorlite.ops.effects import *
from tensorlite.ops.einsum import *
from tensorlite.ops.control import *
from tensorlite.ops.cumulative import *
from tensorlite.ops.dataflow import *
from tensorlite.ops.differentiate import *
from tensorlite.ops.dtype_functions import *
from tensorlite.ops.elementwise import *
from tensorlite.ops.functional import *
from tensorlite.ops.gather import *
from tensorlite.ops.identity import *
from tensorlite.ops.index import *
from tensorlite.ops.join import *
from tensorlite.ops.matmul import *
from tensorlite.ops.partition import *
from tensorlite.ops.repeat import *
from tensorlite.ops.ranges import *
from tensorlite.ops.reduce import *
from tensorlite.ops.rounding import *
from tensorlite.ops.scatter import *
from tensorlite.ops.search import *
from tensorlite.ops.segment import *
from tensorlite.ops.sparse import *
from tensorlite.ops.shape import *
from tensorlite.ops.tensor_array import *
from tensorlite.ops.trigonometric import *
from tensorlite.ops.state import Variable

from tensorlite import nn as nn, random as random
from tensorlite import raw_ops as raw_ops

from tensorlite import linalg as linalg

from tensorlite.core import errors as errors, nest as nest
from tensorlite.core.device import DeviceName
from tensorlite.core.dtypes import bool_ as bool
from tensorlite.core.op import Op
from tensorlite.core.scope import control_dependencies, device, name_scope
from tensorlite.core.tensor import Tensor, TensorLike
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.train.clipping import *
from tensorlite.train.module import Module
from tensorlite import checkpoint as checkpoint, debugging as debugging, initializers as initializers, layers as layers, optimizers as optimizers
from tensorlite.function.function import Function as Function, function as function
from tensorlite.function.iterables import range as range
from tensorlite.function.staging import do_not_convert as do_not_convert
