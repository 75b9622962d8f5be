"""What TensorFlow's tests assert of arrays, tensors and errors, beside what unittest does."""

from __future__ import annotations

import re
import unittest
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from tensorlite.compat.views import GraphTensor
from tensorlite.core import dtypes
from tensorlite.core.device import DeviceName
from tensorlite.core.dtypes import as_dtype
from tensorlite.core.errors import InvalidArgumentError, TensorliteError
from tensorlite.core.operand import Operand
from tensorlite.core.tensor import IndexedSlices
from tensorlite.interop.tensorflow.messages import parsed
from tensorlite.ops.ragged.tensor import RaggedTensor
from tensorlite.ops.ragged.values import RaggedTensorValue
from tensorlite.ops.sparse.tensor import SparseTensor

HALF = (np.dtype(np.float16), dtypes.bfloat16.numpy)
RAGGED = (RaggedTensor, RaggedTensorValue)


class Assertions(unittest.TestCase):
    """Assertions on values; `evaluate` turns tensors into them."""

    def evaluate(self, tensors: Any) -> Any:
        """Return tensors as arrays."""
        raise NotImplementedError

    def _GetNdArray(self, a: Any) -> Any:
        if isinstance(a, (SparseTensor, IndexedSlices)) or (
            isinstance(a, (list, tuple)) and any(isinstance(x, Operand) for x in a)
        ):
            a = self.evaluate(a)
        if isinstance(a, Operand):
            a = self.evaluate(a)
        if isinstance(a, np.ndarray):
            return _texts_as_bytes(a)
        try:
            return _texts_as_bytes(np.array(a))
        except ValueError as error:
            if "inhomogeneous shape" not in str(error):
                raise
            return np.array(a, dtype=object)  # rows of different lengths

    def evaluate_if_both_tensors(self, a: Any, b: Any) -> Any:
        """Return two tensors of a graph as the values of one run; anything else as it is."""
        both = isinstance(a, GraphTensor) and isinstance(b, GraphTensor)
        return self.evaluate([a, b]) if both else (a, b)

    def _arrays(self, a: Any, b: Any) -> tuple[Any, Any]:
        first, second = self.evaluate_if_both_tensors(a, b)
        return self._GetNdArray(first), self._GetNdArray(second)

    def _as_lists(self, a: Any) -> Any:
        """Return a value as nested lists."""
        found = self.evaluate(a) if isinstance(a, (RaggedTensor, Operand)) else a
        if isinstance(found, RaggedTensorValue):
            return found.to_list()
        return np.array(found, object).tolist()

    def _same_rows(self, a: Any, b: Any, msg: str | None) -> None:
        self.assertEqual(self._as_lists(a), self._as_lists(b), msg)
        if not any(isinstance(x, (list, tuple)) for x in (a, b)):
            first, second = (
                x.ragged_rank if isinstance(x, RAGGED) else 0 for x in (a, b)
            )
            self.assertEqual(first, second, msg)

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fail unless two values have one shape and equal elements; NaN equals NaN."""
        if isinstance(a, RAGGED) or isinstance(b, RAGGED):
            self._same_rows(a, b, msg)
            return
        first, second = self._arrays(a, b)
        self._same_shapes(first, second, msg)
        same = first == second
        if first.dtype.kind in "fc" and second.dtype.kind in "fc":
            same = np.logical_or(
                same, np.logical_and(np.isnan(first), np.isnan(second))
            )
        if not np.all(same):
            where = np.argwhere(np.logical_not(same))
            self._differ(first, second, where, msg, "not equal")

    def _same_shapes(self, a: Any, b: Any, msg: str | None) -> None:
        self.assertEqual(
            a.shape,
            b.shape,
            f"Shape mismatch: expected {a.shape}, got {b.shape}. {msg or ''}",
        )

    def _differ(self, a: Any, b: Any, where: Any, msg: str | None, how: str) -> None:
        places = [tuple(row) for row in where[:10].tolist()]
        shown = [(place, a[place], b[place]) for place in places]
        self.fail(
            f"{msg or ''}\n{len(where)} elements {how}; (place, first, second): {shown}"
        )

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Fail if two values have one shape and equal elements."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        self.fail(f"The two values are equal at all elements. {msg or ''}")

    def assertAllClose(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        msg: str | None = None,
    ) -> None:
        """Fail unless two values, or nests of them, are close element by element.

        Close is a difference of at most atol + rtol * abs(b). Dictionaries need the same keys.
        """
        self._close_nests(a, b, rtol, atol, msg, [])

    def _close_nests(
        self,
        a: Any,
        b: Any,
        rtol: float,
        atol: float,
        msg: str | None,
        path: list[Any],
    ) -> None:
        if isinstance(a, RAGGED) or isinstance(b, RAGGED):
            a, b = self._as_lists(a), self._as_lists(b)
        if isinstance(a, Mapping):
            self.assertIsInstance(b, Mapping, f"{msg or ''} at {path}")
            self.assertCountEqual(a, b, f"keys differ at {path}")
            for key in a:
                self._close_nests(a[key], b[key], rtol, atol, msg, [*path, key])
            return
        if (
            isinstance(a, (list, tuple))
            and isinstance(b, (list, tuple))
            and not _flat(a, b)
        ):
            self.assertEqual(len(a), len(b), f"lengths differ at {path}. {msg or ''}")
            for i, (x, y) in enumerate(zip(a, b, strict=True)):
                self._close_nests(x, y, rtol, atol, msg, [*path, i])
            return
        self._close_arrays(
            a, b, rtol, atol, f"{msg or ''} at {path}" if path else msg
        )

    def _close_arrays(
        self, a: Any, b: Any, rtol: float, atol: float, msg: str | None
    ) -> None:
        first, second = self._arrays(a, b)
        if first.size == 0 and second.size == 0 and first.shape != second.shape:
            self._same_shapes(first, second, msg)
        if HALF[0] in {first.dtype, second.dtype} or HALF[1] in {
            first.dtype,
            second.dtype,
        }:
            first, second = first.astype(np.float32), second.astype(np.float32)
        self._same_shapes(first, second, msg)
        close = np.isclose(first, second, rtol=rtol, atol=atol, equal_nan=True)
        if not np.all(close):
            how = f"not close (rtol={rtol}, atol={atol})"
            self._differ(first, second, np.argwhere(~close), msg, how)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """Fail unless values are close, by the tolerances of dtypes.

        Those of the less precise of the two dtypes hold.
        """
        first, second = self._arrays(a, b)
        found = {first.dtype, second.dtype}
        if found & {np.dtype(np.float32), np.dtype(np.complex64)}:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if HALF[0] in found:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        if HALF[1] in found:
            rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
        self.assertAllClose(first, second, rtol, atol, msg)

    def assertNotAllClose(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        msg: str | None = None,
    ) -> None:
        """Fail if two values are close element by element."""
        try:
            self.assertAllClose(a, b, rtol, atol)
        except AssertionError:
            return
        self.fail(f"The two values are close at all elements. {msg or ''}")

    def _all(self, a: Any, holds: Callable[[Any], Any], what: str) -> None:
        array = self._GetNdArray(a)
        if not np.all(holds(array)):
            self.fail(f"not all elements are {what}: {array}")

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are greater than a number."""
        self._all(a, lambda x: x > comparison_target, f"> {comparison_target}")

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are a number or greater."""
        self._all(a, lambda x: x >= comparison_target, f">= {comparison_target}")

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are less than a number."""
        self._all(a, lambda x: x < comparison_target, f"< {comparison_target}")

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Fail unless all elements are a number or less."""
        self._all(a, lambda x: x <= comparison_target, f"<= {comparison_target}")

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Fail unless all elements are between bounds, which count unless open."""

        def within(x: Any) -> Any:
            low = x > lower_bound if open_lower_bound else x >= lower_bound
            high = x < upper_bound if open_upper_bound else x <= upper_bound
            return np.logical_and(low, high)

        self._all(target, within, f"between {lower_bound} and {upper_bound}")

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Fail unless all elements are among those of a collection."""
        self._all(
            target, lambda x: np.isin(x, list(expected_set)), f"of {expected_set}"
        )

    def assertArrayNear(
        self,
        farray1: Sequence[Any],
        farray2: Sequence[Any],
        err: float,
        msg: str | None = None,
    ) -> None:
        """Fail unless sequences are as long and differ by at most err at each place."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for x, y in zip(farray1, farray2, strict=True):
            self.assertNear(float(x), float(y), err, msg)

    def assertNear(
        self, f1: float, f2: float, err: float, msg: str | None = None
    ) -> None:
        """Fail unless two numbers differ by at most err."""
        near = f1 == f2 or abs(f1 - f2) <= err
        self.assertTrue(near, f"{f1!r} != {f2!r} +/- {err!r}. {msg or ''}")

    def assertNDArrayNear(
        self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Fail unless the Euclidean norm of the difference is below err."""
        first, second = np.asarray(ndarray1), np.asarray(ndarray2)
        self._same_shapes(first, second, msg)
        self.assertTrue(np.linalg.norm(first - second) < err, msg)

    def assertShapeEqual(
        self, input_a: Any, input_b: Any, msg: str | None = None
    ) -> None:
        """Fail unless two arrays or tensors have one shape."""
        self.assertEqual(_shape(input_a), _shape(input_b), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Fail unless a value has a dtype."""
        found = target.dtype if hasattr(target, "dtype") else np.asarray(target).dtype
        self.assertEqual(as_dtype(found), as_dtype(expected_dtype))

    def assertDeviceEqual(
        self, device1: Any, device2: Any, msg: str | None = None
    ) -> None:
        """Fail unless two names are of one device, however they are written."""
        self.assertEqual(_whole_name(device1), _whole_name(device2), msg)

    @contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Let the block raise an error whose text matches, or of which a predicate holds."""
        try:
            yield
        except exception_type as error:
            if callable(expected_err_re_or_predicate):
                matches = expected_err_re_or_predicate(error)
            else:
                matches = re.search(expected_err_re_or_predicate, str(error))
            if not matches:
                raise AssertionError(
                    f"Exception of type {type(error).__name__}: {error} does not match "
                    f"{expected_err_re_or_predicate!r}"
                ) from error
        else:
            self.fail(f"{exception_type} not raised")

    def assertRaisesWithLiteralMatch(
        self, expected_exception: Any, expected_exception_message: str
    ) -> Any:
        """Let the block raise an error with this text."""
        return self.assertRaisesWithPredicateMatch(
            expected_exception, lambda error: str(error) == expected_exception_message
        )

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """Let the block raise an error of an operator whose text matches.

        What is expected is a regular expression, or a function of the error.
        """
        return self.assertRaisesWithPredicateMatch(
            TensorliteError, expected_err_re_or_predicate
        )

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = InvalidArgumentError
    ) -> Any:
        """Let the block raise an error; the text is not read."""
        return self.assertRaises(exception_type)

    def assertStartsWith(
        self, actual: str, expected_start: str, msg: str | None = None
    ) -> None:
        """Fail unless a text starts with another one."""
        if not actual.startswith(expected_start):
            self.fail(
                f"{actual!r} does not start with {expected_start!r}. {msg or ''}"
            )

    def assertEndsWith(
        self, actual: str, expected_end: str, msg: str | None = None
    ) -> None:
        """Fail unless a text ends with another one."""
        if not actual.endswith(expected_end):
            self.fail(f"{actual!r} does not end with {expected_end!r}. {msg or ''}")

    def assertLen(
        self, container: Any, expected_len: int, msg: str | None = None
    ) -> None:
        """Fail unless a container has so many elements."""
        self.assertEqual(len(container), expected_len, msg)

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """Fail unless a container has no elements."""
        self.assertEqual(len(container), 0, msg)

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        """Fail if a container has no elements."""
        self.assertNotEqual(len(container), 0, msg)

    def assertBetween(
        self, value: Any, minv: Any, maxv: Any, msg: str | None = None
    ) -> None:
        """Fail unless a value is between two others, which count."""
        self.assertTrue(
            minv <= value <= maxv, msg or f"{value!r} is not in {minv!r}..{maxv!r}"
        )

    def assertContainsSubset(
        self, expected_subset: Any, actual_set: Any, msg: str | None = None
    ) -> None:
        """Fail unless all elements of the first are in the second."""
        missing = set(expected_subset) - set(actual_set)
        self.assertFalse(missing, msg or f"not there: {missing}")

    def assertSameElements(
        self, expected_seq: Any, actual_seq: Any, msg: str | None = None
    ) -> None:
        """Fail unless two sequences have the same elements, however often."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    assertItemsEqual = unittest.TestCase.assertCountEqual

    def assertProtoEquals(
        self, expected_message_maybe_ascii: Any, message: Any, msg: str | None = None
    ) -> None:
        """Fail unless a message equals another one, given as itself or as text."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, str) and hasattr(message, "DESCRIPTOR"):
            expected = parsed(expected, type(message))
        if isinstance(expected, (str, bytes)):
            squeezed = " ".join(str(expected).split())
            self.assertEqual(squeezed, " ".join(str(message).split()), msg)
        else:
            self.assertEqual(expected, message, msg)


def _texts_as_bytes(array: Any) -> Any:
    """Return an array whose strings, if it has some, are bytes."""
    if array.dtype.kind not in "OSU":
        return array
    made = np.empty(array.shape, object)
    made.ravel()[:] = [
        x.encode() if isinstance(x, str) else x for x in array.ravel().tolist()
    ]
    return made


def _flat(a: Any, b: Any) -> bool:
    """Return whether lists hold numbers, which are compared as arrays."""
    plain = (bool, int, float, complex, np.generic)
    return all(isinstance(x, plain) for x in (*a, *b))


def _shape(value: Any) -> Any:
    if isinstance(value, GraphTensor):
        return value.spec.shape
    found = value.shape if hasattr(value, "shape") else np.asarray(value).shape
    return tuple(found)


def _whole_name(device: Any) -> str:
    """Return a device's name as it is written in full, in lower case or upper."""
    return str(DeviceName.parse(str(device or "")))
