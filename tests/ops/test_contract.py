"""The contract of every operator, over the table of cases: see cases/base.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tensorlite as tl
from tensorlite.core.errors import TensorliteError
from tensorlite.core.op import REGISTRY
from tensorlite.core.spec import TensorSpec
from tensorlite.core.tensor import Tensor
from tensorlite.graph.trace import trace
from tests.cases import CASES
from tests.cases.base import OpCase
from tests.checks import (
    Recorder,
    check_gradient,
    dense,
    eager,
    host,
    outputs_of,
    pullback,
    run_graph,
)

FEW = settings(
    max_examples=5,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(hypothesis.HealthCheck),
)
ONE = settings(FEW, max_examples=1, phases=[hypothesis.Phase.generate])
DRAWS = st.data()
PAIRS = [pytest.param(c, d, id=f"{c.name}-{d.name}") for c in CASES for d in c.dtypes]
SMOOTH = [
    pytest.param(c, d, id=f"{c.name}-{d.name}")
    for c in CASES
    for d in (tl.float64, tl.complex128)
    if c.differentiable
    and (d in c.dtypes or (d is tl.float64 and set(c.dtypes) & {tl.float32}))
]
EXCUSED: dict[str, str] = {
    "BlockLSTM": "its gradient has none: test_block_lstm.py compares it with that of steps",
    "Delay": "it waits, which needs a runner: test_delay.py differentiates it",
    "EagerPyFunc": "it is there in traces only: test_effects.py differentiates it twice",
    "FakeQuantWithMinMaxVars": "gradients pass through its steps, which differences do not: "
    "test_functions_of_tensorflow.py compares them with TensorFlow's",
    "FakeQuantWithMinMaxVarsPerChannel": "see FakeQuantWithMinMaxVars",
    "FakeQuantWithMinMaxArgs": "see FakeQuantWithMinMaxVars",
    "FractionalAvgPool": "its windows are drawn, which differences do not follow: "
    "test_written_as_tensorflow_1.py differentiates it",
    "FractionalMaxPool": "see FractionalAvgPool",
    "StatelessParameterizedTruncatedNormal": "its numbers are draws, which differences do not "
    "follow: test_drawn_by_parameters.py compares its gradients with TensorFlow's",
    "RandomGamma": "its numbers are draws, which differences do not follow: "
    "test_found_by_older_model_libraries.py and test_v2_model_libraries.py differentiate them",
    "StatelessRandomGammaV3": "see RandomGamma",
    "If": "it is there in traces only, like the next two: test_control.py, to third order",
    "ExecuteInCriticalSection": "its gradient is an error: test_mutex.py",
    "Switch": "its gradient is an error, like the next four's: test_session_refusals.py",
    "Merge": "see Switch",
    "Enter": "see Switch",
    "Exit": "see Switch",
    "NextIteration": "see Switch",
    "PlaceholderWithDefault": "it is made in a tl.Graph only: test_session.py",
    "PartitionedCall": "see If",
    "While": "see If",
    "AddN": "gradients of values used twice run it; it has no public draw of its own",
    "ReadVariableOp": "its gradient is the one that comes; test_sparse.py and others take it",
    "ResourceGather": "it reads a variable: test_sparse.py differentiates it twice",
    "ResourceGatherNd": "it reads a variable: test_written_as_tensorflow_1.py differentiates it",
    "TensorArrayConcatV3": "it works on a handle, like the next five: tests/interop",
    "TensorArrayGatherV3": "see TensorArrayConcatV3",
    "TensorArrayReadV3": "see TensorArrayConcatV3",
    "TensorArrayScatterV3": "see TensorArrayConcatV3",
    "TensorArraySplitV3": "see TensorArrayConcatV3",
    "TensorArrayWriteV3": "see TensorArrayConcatV3",
}
"""Differentiable operators that no case runs, and why."""


def expected(case: OpCase, operands: Sequence[Any]) -> list[Any]:
    with np.errstate(all="ignore"):
        result = case.reference(*operands)
    return list(result) if isinstance(result, (tuple, list)) else [result]


def same(found: Sequence[Any], wanted: Sequence[Any]) -> None:
    """Hold results of two ways of running against each other, to the last bit."""
    assert len(found) == len(wanted)
    for a, b in zip(map(host, found), map(host, wanted), strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        np.testing.assert_array_equal(a, b)


def close(found: Any, wanted: Any, rtol: float, atol: float) -> None:
    """Hold a tensor against what NumPy says."""
    value = host(found)
    wanted = np.asarray(wanted)
    assert value.shape == wanted.shape
    if value.dtype == object:
        np.testing.assert_array_equal(value, wanted)
        return
    wide = (
        np.complex128 if "c" in (value.dtype.kind, wanted.dtype.kind) else np.float64
    )
    np.testing.assert_allclose(value.astype(wide), wanted.astype(wide), rtol, atol)


@pytest.mark.parametrize(("case", "dtype"), PAIRS)
@FEW
@given(data=DRAWS)
def test_value_is_the_references(
    case: OpCase, dtype: tl.DType, data: st.DataObject
) -> None:
    operands = data.draw(case.draw(dtype))
    found = outputs_of(case.fn(*map(eager, operands)))
    wanted = expected(case, operands)
    assert len(found) == len(wanted)
    for y, reference in zip(found, wanted, strict=True):
        close(y, reference, case.rtol, case.atol)


@pytest.mark.parametrize(("case", "dtype"), PAIRS)
@FEW
@given(data=DRAWS)
def test_results_are_what_inference_says(
    case: OpCase, dtype: tl.DType, data: st.DataObject
) -> None:
    operands = data.draw(case.draw(dtype))
    with Recorder() as recorder:
        ys = outputs_of(case.fn(*map(eager, operands)))
        flows = [tl.ones_like(y) if y.dtype.is_differentiable else None for y in ys]
        if case.differentiable and dtype.is_differentiable:
            pullback(case.fn, [eager(x) for x in operands], flows)
    for op, inputs, outputs in recorder.calls:
        specs = [x.spec for x in inputs]
        for known in (
            specs,
            [valueless(s) for s in specs],
            [sizeless(s) for s in specs],
        ):
            inferred = op.infer(*known)
            inferred = inferred if isinstance(inferred, tuple) else (inferred,)
            assert len(inferred) == len(outputs)
            for said, y in zip(inferred, outputs, strict=True):
                assert said.accepts(y.spec), (
                    f"{op}: infer says {said}, the kernel made {y.spec}"
                )
                assert agrees(said.known, y.spec.known), (
                    f"{op}: {said.known} for {y.spec.known}"
                )


def valueless(spec: TensorSpec) -> TensorSpec:
    return spec.without_value()


def sizeless(spec: TensorSpec) -> TensorSpec:
    return spec.with_shape(None if spec.shape is None else (None,) * len(spec.shape))


def rankless(spec: TensorSpec) -> TensorSpec:
    return spec.with_shape(None)


def agrees(said: Any, real: Any) -> bool:
    """Return whether a partly known value fits the real one."""
    if said is None or real is None:
        return True
    if isinstance(said, tuple) and isinstance(real, tuple):
        return len(said) == len(real) and all(map(agrees, said, real))
    return bool(said == real)


@pytest.mark.parametrize(("case", "dtype"), PAIRS)
@FEW
@given(data=DRAWS)
def test_traced_is_eager(case: OpCase, dtype: tl.DType, data: st.DataObject) -> None:
    operands = [eager(x) for x in data.draw(case.draw(dtype))]
    wanted = outputs_of(case.fn(*operands))
    for blur in blurs(case):
        specs = [blur(x.spec) for x in operands]
        traced = trace(lambda *xs: outputs_of(case.fn(*xs)), specs)
        same(run_graph(traced.graph, [*operands, *traced.captured]), wanted)
        for y, real in zip(traced.graph.outputs, wanted, strict=True):
            assert y.spec.accepts(real.spec), f"{y} for {real.spec}"
            known = blur is valueless and not case.data_dependent
            assert not known or y.spec.is_static, f"{y} should have a known shape"


def blurs(case: OpCase) -> list[Callable[[TensorSpec], TensorSpec]]:
    if case.needs_sizes:
        return [valueless]
    return (
        [valueless, sizeless] if case.needs_rank else [valueless, sizeless, rankless]
    )


@pytest.mark.parametrize(("case", "dtype"), SMOOTH)
@FEW
@given(data=DRAWS)
def test_gradients_are_slopes(
    case: OpCase, dtype: tl.DType, data: st.DataObject
) -> None:
    check_gradient(case.fn, *data.draw(case.draw(dtype)))


@pytest.mark.parametrize(("case", "dtype"), SMOOTH)
@FEW
@given(data=DRAWS)
def test_traced_gradients_are_eager_ones(
    case: OpCase, dtype: tl.DType, data: st.DataObject
) -> None:
    operands = [eager(x) for x in data.draw(case.draw(dtype))]
    ys = outputs_of(case.fn(*operands))
    smooth = [i for i, y in enumerate(ys) if y.dtype.is_differentiable]
    flows = [tl.ones_like(ys[i]) * 0.5 for i in smooth]

    def gradients(*given: Tensor) -> list[Tensor]:
        full: list[Any] = [None] * len(ys)
        for i, flow in zip(smooth, given[len(operands) :], strict=True):
            full[i] = flow
        found = pullback(case.fn, given[: len(operands)], full)
        return [dense(g) for g in found if g is not None]

    given_values = [*operands, *flows]
    wanted = gradients(*given_values)
    for blur in blurs(case):
        traced = trace(gradients, [blur(x.spec) for x in given_values])
        found = run_graph(traced.graph, [*given_values, *traced.captured])
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            assert a.shape == b.shape
            close(a, host(b), 1e-10, 1e-12)


def one_draw(case: OpCase, dtype: tl.DType) -> Any:
    """Return the simplest operands of a case."""
    return hypothesis.find(case.draw(dtype), lambda _: True, settings=ONE)


EVERY = (
    tl.bool,
    tl.int8,
    tl.uint8,
    tl.int32,
    tl.float16,
    tl.bfloat16,
    tl.float32,
    tl.complex64,
)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_kernels_and_inference_agree_on_every_dtype(case: OpCase) -> None:
    """What a kernel takes beyond the dtypes of its case, a trace takes too, with one result."""
    for dtype in EVERY:
        with Recorder() as recorder:
            try:
                case.fn(*map(eager, one_draw(case, dtype)))
            except TensorliteError:
                continue
        for op, inputs, outputs in recorder.calls:
            inferred = op.infer(*[x.spec for x in inputs])
            specs = inferred if isinstance(inferred, tuple) else (inferred,)
            for said, y in zip(specs, outputs, strict=True):
                assert said.accepts(y.spec), (
                    f"{op}: infer says {said}, the kernel made {y.spec}"
                )


def used_operators() -> set[str]:
    """Return the names of the operators that cases run, forward and backward."""
    used = {name for case in CASES for name in case.ops}
    for case in CASES:
        with Recorder() as recorder:
            for dtype in case.dtypes:
                case.fn(*map(eager, one_draw(case, dtype)))
        used.update(op.name for op, _, _ in recorder.calls)
    return used


def test_every_differentiable_operator_has_a_case() -> None:
    ours = {
        name
        for name, op in REGISTRY.items()
        if op.differentiable and op.__module__.startswith("tensorlite.ops")
    }
    assert sorted(ours - used_operators() - set(EXCUSED)) == []
