"""Signatures of TensorFlow 1's SavedModels, as messages: which tensors are fed and fetched.

What writes and reads the models is in saved_models.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorlite.compat.shared.ragged_and_sparse.sparse import SparseTensor
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.views import plain
from tensorlite.core.check import one_of
from tensorlite.core.dtypes import DType, float32, string
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph.graph import SymbolicTensor
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.stored.metagraphs import TensorInfo, tensor_proto
from tensorlite.interop.tensorflow.tensors import NUMBERS
from tensorlite.ops.sparse.tensor import SparseTensor as PlainSparse

PREDICT = "tensorflow/serving/predict"
CLASSIFY = "tensorflow/serving/classify"
REGRESS = "tensorflow/serving/regress"


def build_tensor_info(tensor: Any) -> Any:
    """Return the TensorInfo of a tensor, dense or sparse: names, dtype and shape."""
    x = plain(tensor)
    if isinstance(x, PlainSparse):
        names = [y.name for y in (tensor.values, tensor.indices, tensor.dense_shape)]
        sizes = tensor.get_shape()
        known = None if sizes.rank is None else tuple(sizes.as_list())
        return tensor_proto(TensorInfo("", x.dtype, known, tuple(names)))
    x = x.__tensor__() if hasattr(x, "__tensor__") else x
    one_of(x, SymbolicTensor, "tensor", "a tensor of a graph")
    return tensor_proto(TensorInfo(x.name, x.dtype, x.spec.shape))


def get_tensor_from_tensor_info(
    tensor_info: Any, graph: Any = None, import_scope: str | None = None
) -> Any:
    """Return the tensor of the graph that a TensorInfo names, below import_scope."""
    one_of(tensor_info, message("TensorInfo"), "tensor_info", "a TensorInfo")
    chosen = framework.get_default_graph() if graph is None else graph
    prefix = f"{import_scope}/" if import_scope else ""

    def found(name: str) -> Any:
        return chosen.get_tensor_by_name(f"{prefix}{name}")

    kind = tensor_info.WhichOneof("encoding")
    if kind == "name":
        return found(tensor_info.name)
    if kind != "coo_sparse":
        raise InvalidArgumentError(
            f"Invalid TensorInfo.encoding: {kind}; it names one tensor, or the three of a sparse "
            "one"
        )
    names = tensor_info.coo_sparse
    return SparseTensor(
        found(names.indices_tensor_name),
        found(names.values_tensor_name),
        found(names.dense_shape_tensor_name),
    )


def build_signature_def(
    inputs: Mapping[str, Any] | None = None,
    outputs: Mapping[str, Any] | None = None,
    method_name: str | None = None,
) -> Any:
    """Return the SignatureDef of TensorInfos by name and a method's name."""
    made = message("SignatureDef")(method_name=method_name or "")
    for key, info in (inputs or {}).items():
        made.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        made.outputs[key].CopyFrom(info)
    return made


def predict_signature_def(
    inputs: Mapping[str, Any], outputs: Mapping[str, Any]
) -> Any:
    """Return a signature for predicting, of tensors by name.

    No inputs or no outputs raise InvalidArgumentError.
    """
    if not inputs or not outputs:
        raise InvalidArgumentError(
            "Prediction inputs and outputs cannot be None or empty."
        )
    return build_signature_def(_infos(inputs), _infos(outputs), PREDICT)


def _infos(tensors: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: build_tensor_info(framework.convert_to_tensor(x) if _is_bare(x) else x)
        for key, x in tensors.items()
    }


def _is_bare(x: Any) -> bool:
    return isinstance(x, (bool, int, float, str, bytes, list, tuple))


def classification_signature_def(
    examples: Any, classes: Any = None, scores: Any = None
) -> Any:
    """Return a signature for classifying examples: classes, scores or both.

    Neither raises InvalidArgumentError.
    """
    found = {"classes": classes, "scores": scores}
    given = {key: x for key, x in found.items() if x is not None}
    if not given:
        raise InvalidArgumentError(
            "Classification classes and scores cannot both be None."
        )
    return build_signature_def(_infos({"inputs": examples}), _infos(given), CLASSIFY)


def regression_signature_def(examples: Any, predictions: Any) -> Any:
    """Return a signature that gives predictions for examples."""
    return build_signature_def(
        _infos({"inputs": examples}), _infos({"outputs": predictions}), REGRESS
    )


_KINDS: Mapping[str, dict[str, DType]] = {
    CLASSIFY: {"classes": string, "scores": float32},
    REGRESS: {"outputs": float32},
}
"""What may come out of methods that are given examples."""


def is_valid_signature(signature_def: Any) -> bool:
    """Return whether a signature can be served: inputs and outputs are what its method has."""
    one_of(signature_def, message("SignatureDef"), "signature_def", "a SignatureDef")
    inputs, outputs = signature_def.inputs, signature_def.outputs
    if signature_def.method_name == PREDICT:
        return bool(inputs and outputs)
    known = _KINDS.get(signature_def.method_name)
    if known is None or not outputs or set(inputs) != {"inputs"}:
        return False
    fitting = all(
        key in known and _is_of(outputs[key], known[key]) for key in outputs
    )
    return fitting and _is_of(inputs["inputs"], string)


def _is_of(info: Any, dtype: DType) -> bool:
    return NUMBERS.get(info.dtype) is dtype
