"""What cannot be exported is refused with the node, the line and the remedy, and writes no file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    MissingOperatorError,
    NotFoundError,
    ShapeError,
)
from tensorlite.interop.onnx import messages

SPEC = tl.TensorSpec((3, 3), tl.float32)


def refused(
    error: type[Exception],
    match: str,
    function: Any,
    path: Path,
    *specs: Any,
    **options: Any,
) -> None:
    """Assert that an export is refused, and that nothing is written."""
    with pytest.raises(error, match=match):
        tl.interop.onnx.export(function, path, *specs, **options)
    assert not path.exists()
    assert not list(path.parent.glob("*.part"))


def test_operators_that_onnx_lacks_are_named_with_line_and_number(
    tmp_path: Path,
) -> None:
    @tl.function
    def model(x: tl.Tensor) -> tl.Tensor:
        if tl.sum(x) > 0:
            x = tl.linalg.inv(x)
        return tl.linalg.inv(x + 1.0) + tl.cumulative_prod(x, axis=0)

    refused(
        MissingOperatorError,
        r"no operator for 3 nodes of model: .*MatrixInverse \(2: .*test_onnx_refused.py:\d+"
        r" in model\(\).*Cumprod \(1: ",
        model,
        tmp_path / "model.onnx",
        SPEC,
    )


def test_uses_that_onnx_lacks_are_told_with_their_reason(tmp_path: Path) -> None:
    refused(
        MissingOperatorError,
        "Sum at .* because its axes are computed",
        tl.function(lambda x, n: tl.sum(x, axis=n)),
        tmp_path / "model.onnx",
        *(SPEC, tl.TensorSpec((), tl.int32)),
    )


def test_effects(tmp_path: Path) -> None:
    count = tl.Variable(0.0)

    def counting(x: tl.Tensor) -> tl.Tensor:
        count.assign_add(1.0)
        return x

    def branching(x: tl.Tensor) -> tl.Tensor:
        if tl.sum(x) > 0:
            count.assign(2.0)
        return x

    path = tmp_path / "model.onnx"
    for function in (counting, branching):
        refused(
            InvalidArgumentError,
            r"Assign\w*VariableOp.*test_onnx_refused.py:\d+ in \w+\(\).*writes? no variables|"
            r"Assign\w*VariableOp.*Allowed are functions that write no variables",
            tl.function(function),
            path,
            SPEC,
        )
    refused(
        InvalidArgumentError,
        "training=False",
        tl.function(lambda x: tl.nn.dropout(x, 0.5)),
        path,
        SPEC,
    )


def test_functions_that_are_not_traced(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    refused(InvalidArgumentError, "is not traced", lambda x: x, path, SPEC)
    layer = tl.layers.Dense(2, inputs=3)
    refused(InvalidArgumentError, r"tl.function\(f\)", layer, path, SPEC)
    refused(InvalidArgumentError, "no input_signature", tl.function(abs), path)
    concrete = tl.function(lambda x: x).get_concrete_function(SPEC)
    refused(InvalidArgumentError, "is one trace", concrete, path, SPEC)


@pytest.mark.parametrize("given", [3, (3, 4), [2.5], object()])
def test_what_is_no_spec(tmp_path: Path, given: Any) -> None:
    identity = tl.function(lambda x: x)
    refused(InvalidArgumentError, "is no spec", identity, tmp_path / "m.onnx", given)


def test_dtypes_that_onnx_lacks(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    complex_ = tl.TensorSpec((3,), tl.complex64)
    refused(
        DTypeError,
        "argument x has dtype complex64",
        tl.function(lambda x: x),
        path,
        complex_,
    )
    made = tl.function(lambda x: tl.astype(x, tl.complex64))
    refused(DTypeError, "complex64", made, path, SPEC)


def test_dtypes_that_an_operator_lacks(tmp_path: Path) -> None:
    sines = tl.function(lambda x: tl.asarray(2, dtype=tl.int16) ** x)
    shape = tl.TensorSpec((3,), tl.int16)
    refused(MissingOperatorError, "Pow.*int16", sines, tmp_path / "model.onnx", shape)


def test_ranks_that_are_not_known(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    unknown = tl.TensorSpec(None, tl.float32)
    refused(
        ShapeError, "rank of the argument x", tl.function(lambda x: x), path, unknown
    )
    shaped = tl.function(tl.reshape)
    shape = tl.TensorSpec((None,), tl.int32)
    refused(ShapeError, "rank of the result output", shaped, path, SPEC, shape)


def test_options(tmp_path: Path) -> None:
    path, identity = tmp_path / "model.onnx", tl.function(lambda x: x)
    refused(
        InvalidArgumentError, "allowed are 18 to 23", identity, path, SPEC, opset=9
    )
    refused(InvalidArgumentError, "'int8'", identity, path, SPEC, quantize="int4")


def test_paths(tmp_path: Path) -> None:
    identity = tl.function(lambda x: x)
    with pytest.raises(NotFoundError, match="is no folder"):
        tl.interop.onnx.export(identity, tmp_path / "absent" / "model.onnx", SPEC)
    with pytest.raises(InvalidArgumentError, match="is a folder"):
        tl.interop.onnx.export(identity, tmp_path, SPEC)


def test_what_cannot_be_written_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"old")

    def full(*_: Any) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InvalidArgumentError, match="No space left"):
        tl.interop.onnx.export(tl.function(lambda x: x), path, SPEC)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_extra_is_named_where_the_package_is_not_installed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(messages, "import_module", absent)
    with pytest.raises(ImportError, match=r"tensorlite\[onnx\]"):
        messages.module()


def test_what_is_no_model_is_not_quantized(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"\xff" * 40)
    with pytest.raises(InvalidArgumentError, match="is no ONNX model"):
        tl.interop.onnx.quantize(path)
    with pytest.raises(NotFoundError, match="is no file"):
        tl.interop.onnx.quantize(tmp_path / "absent.onnx")
    with pytest.raises(InvalidArgumentError, match="ndarray is no ONNX model"):
        tl.interop.onnx.quantize(np.ones(3))
