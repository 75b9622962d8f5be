"""The tree of errors, and the notes that say where one arose. Raising them happens elsewhere.

TensorliteError
+- InvalidArgumentError (ValueError)      a value that the operator cannot take
|  +- ShapeError                          shapes that do not fit together
|  |  +- AxisError (IndexError)            an axis that is not there, or that a mask does not fit
|  +- StructureError                      nested structures that differ
|  +- DTypeError (TypeError)              a dtype or kind of object that is not allowed
|  +- DeviceError                         a device that does not exist or cannot do it
|     +- PlacementError                   constraints on devices that no placement meets
+- OutOfRangeError (IndexError)           an index beyond its axis, an exhausted source
+- NotFoundError (KeyError)               a name that is not there
+- AlreadyExistsError (FileExistsError)   a name that is there already
+- PermissionDeniedError (PermissionError) what whoever asks may not do
+- UnimplementedError (NotImplementedError) what could be, and is not there
+- InternalError, UnknownError, UnauthenticatedError, as programs of TensorFlow raise them
+- GradientError (RuntimeError)           no gradient, or a tape used wrongly
+- NumericsError (ArithmeticError)        NaN or infinity under check_numerics
+- TracingError (RuntimeError)            Python that a trace cannot capture
|  +- SymbolicTensorError (TypeError)     a symbolic tensor used as a value
|  +- LeakedTensorError                   a symbolic tensor outside its trace
|  +- ConditionError (ValueError)         a condition with more than one truth value
|  +- LoopError (ValueError, TypeError)   a loop variable that changes shape or dtype
|  +- BranchError (ValueError, TypeError) branches that return different things
|  +- UndefinedNameError (NameError, ValueError)  a name bound in one branch only
+- GraphError (RuntimeError)              a graph that is not well formed
|  +- GraphDefError                       a GraphDef that is damaged or asks for what is not there
|     +- MissingOperatorError             operators that are not there
|     +- VersionError                     a GraphDef that newer programs only may read
|     +- NameClashError                   two nodes of one name
|     +- CycleError                       nodes that use each other in a circle
|     +- TooLargeError                    more or larger tensors, shapes or nests than are allowed
+- FailedPreconditionError (RuntimeError) a thing in no state for this: closed, finalized
|  +- AbortedError                        what was under way was given up, such as a partial run
+- CancelledError (RuntimeError)          a step or queue that ended, and who waits for it
+- DeadlineExceededError (TimeoutError)   a wait that took longer than was allowed
|  +- DeadlockError                       waits that wait for each other
+- ResourceExhaustedError (MemoryError)   a device's memory limit that was met
+- SwapError (OSError)                    a disk that refuses the saved values of a loop
+- UnavailableError (ConnectionError)     another task that is gone, or cannot be reached
+- ProtocolError (ConnectionError)        bytes from another task that are no message
+- InjectedError (RuntimeError)           a fault that a test asked for
+- CheckpointError (OSError)              a torn, foreign or mismatching checkpoint
|  +- DataLossError                       a file whose bytes are damaged or cut off
+- AssertionFailedError (AssertionError)  a tl.debugging assertion that does not hold
+- KernelError (RuntimeError)             a kernel that failed for a reason of its own
"""

from __future__ import annotations

from typing import Any, ClassVar

from tensorlite.core.provenance import entry


class TensorliteError(Exception):
    """Base of every error that tensorlite raises on purpose.

    A note says which function of the library the user's program called, and on which line.
    """

    error_code: ClassVar[int] = 2
    """The number that TensorFlow's programs know this kind of error by."""

    def __init__(self, *args: object) -> None:
        self.node_def: object = None
        self.op: Any = None
        self.node_name: str | None = None
        """The node of a graph that failed, by its name there."""
        if len(args) in {3, 4} and isinstance(args[2], str):
            # As programs of TensorFlow raise errors: node_def, op, message.
            self.node_def, self.op = args[:2]
            args = args[2:3]
        super().__init__(*args)
        found = entry()
        if found is not None:
            called, line = found
            self.add_note(f"in {called}, called at {line}")

    @property
    def message(self) -> str:
        """What the error says."""
        return str(self)


class InvalidArgumentError(TensorliteError, ValueError):
    """A value that an operator or function cannot take."""

    error_code = 3


class CompositeError(InvalidArgumentError, TypeError):
    """A value made of several tensors where one is asked for, which may know what to do."""

    def __init__(self, value: object, what: str) -> None:
        super().__init__(f"a tensor is asked for, and this is {what}")
        self.value = value


class NoValueYetError(TensorliteError):
    """A value that stands for one to come, whose own operators know what to do."""


class ScalarError(InvalidArgumentError, TypeError):
    """A tensor of several elements, or none, where Python wants one number."""


class ShapeError(InvalidArgumentError):
    """Shapes that do not fit together or an axis that is not there."""


class AxisError(ShapeError, IndexError):
    """An axis that is not there, or a mask that does not fit the axes that it stands for."""


class StructureError(InvalidArgumentError):
    """Nested structures that should be alike and differ."""


class DeviceError(InvalidArgumentError):
    """A device that does not exist, or that has no kernel for the operator."""


class PlacementError(DeviceError):
    """Constraints on the devices of nodes that no placement meets."""


class DTypeError(InvalidArgumentError, TypeError):
    """A dtype, or a kind of Python object, that is not allowed here."""


class ConversionError(DTypeError):
    """What makes no tensor, or none of the dtype asked for."""


class LengthError(DTypeError, AttributeError):
    """What has no length; it is asked for as a method that is not there."""


class PlaceError(InvalidArgumentError, IndexError):
    """An index beyond its axis; whoever waits for the end of a source does not take it for one."""


class OutOfRangeError(TensorliteError, IndexError):
    """A source that is exhausted."""

    error_code = 11


class NotFoundError(TensorliteError, KeyError):
    """A name that does not exist."""

    error_code = 5

    def __str__(self) -> str:
        """Return the message as it is; KeyError would quote it."""
        return str(self.args[0]) if self.args else ""


class NoMatchError(NotFoundError, InvalidArgumentError):
    """A pattern that no name matches."""

    error_code = 3


class NoSuchGraphError(NotFoundError, RuntimeError):
    """No graph of a saved model has the tags asked for."""


class AlreadyExistsError(TensorliteError, FileExistsError):
    """A name that is there already, and may not be made anew."""

    error_code = 6


class PermissionDeniedError(TensorliteError, PermissionError):
    """What whoever asks may not do."""

    error_code = 7


class UnimplementedError(TensorliteError, NotImplementedError):
    """What could be, and is not there."""

    error_code = 12


class InternalError(TensorliteError, RuntimeError):
    """A contradiction that TensorFlow's programs tell of."""

    error_code = 13


class UnknownError(TensorliteError, RuntimeError):
    """An error of a kind that TensorFlow's programs do not tell."""


class UnauthenticatedError(TensorliteError, PermissionError):
    """Someone whom a service does not know."""

    error_code = 16


class GradientError(TensorliteError, RuntimeError):
    """A gradient that does not exist, or a tape used in the wrong way."""

    error_code = 13


class SecondGradientError(GradientError, TypeError):
    """A gradient of what was itself made to go back through a loop of primitives."""


class GradientUseError(GradientError, ValueError, TypeError):
    """A gradient function that does not fit its function, or a tape entered twice."""


class NumericsError(InvalidArgumentError, ArithmeticError):
    """A NaN or an infinity found under `tl.debugging.check_numerics`."""


class TracingError(TensorliteError, RuntimeError):
    """Python that a trace cannot capture."""


class SymbolicTensorError(TracingError, TypeError, AttributeError):
    """A symbolic tensor used where a value is needed."""


class LeakedTensorError(TracingError, ValueError, TypeError, AttributeError):
    """A symbolic tensor used outside the trace that made it."""


class ConditionError(TracingError, ValueError):
    """A condition with more than one truth value."""


class LoopError(TracingError, ValueError, TypeError):
    """A loop variable that changes its shape, dtype or structure."""


class BranchError(TracingError, ValueError, TypeError):
    """Branches of a conditional that return different structures or dtypes."""


class UndefinedNameError(TracingError, NameError, ValueError):
    """A name that only one branch, or only the loop's body, binds."""


class GraphError(TensorliteError, RuntimeError):
    """A graph that is not well formed."""


class GraphDefError(GraphError):
    """A GraphDef that is damaged, contradicts itself, or asks for what is not supported."""


class MissingOperatorError(GraphDefError):
    """A GraphDef with operators that are not there; the message counts them and names nodes."""


class VersionError(GraphDefError):
    """A GraphDef that asks to be read by programs newer than this one is."""


class NameClashError(GraphDefError):
    """A GraphDef with several nodes of one name, or with one that the graph has already."""


class CycleError(GraphDefError):
    """A GraphDef whose nodes use each other in a circle, without a NextIteration."""


class TooLargeError(GraphDefError):
    """A GraphDef that asks for more memory, or for a deeper nest, than it is allowed."""


class FailedPreconditionError(TensorliteError, RuntimeError):
    """A thing that is in no state for what is asked of it: closed, finalized, not begun."""

    error_code = 9


class AbortedError(FailedPreconditionError):
    """Something under way that was given up: a run in parts, one of which failed."""

    error_code = 10


class CancelledError(TensorliteError, RuntimeError):
    """What ended because its step or its queue did: a wait, or an enqueue that came too late."""

    error_code = 1


class DeadlineExceededError(TensorliteError, TimeoutError):
    """A wait that took longer than was allowed; the message says what was waited for."""

    error_code = 4


class DeadlockError(DeadlineExceededError):
    """Waits that wait for each other; the message says who waits for what."""


class ResourceExhaustedError(TensorliteError, MemoryError):
    """A device's memory limit that was met; the message lists the largest live tensors."""

    error_code = 8


class SwapError(TensorliteError, OSError):
    """Saved values of a loop that could not be written to disk, or read back from there."""


class UnavailableError(TensorliteError, ConnectionError):
    """Another task of the cluster that is gone or cannot be reached; the message names it."""

    error_code = 14


class ProtocolError(TensorliteError, ConnectionError):
    """What came over a connection and is no message; only that connection ends."""


class InjectedError(TensorliteError, RuntimeError):
    """A fault that a test asked for; see `tl.debugging.faults`."""


class CheckpointError(TensorliteError, OSError):
    """A checkpoint that is torn, foreign, or does not match the objects."""


class DataLossError(CheckpointError):
    """A file of another library whose bytes are damaged, cut off, or not what they claim."""

    error_code = 15


class AssertionFailedError(InvalidArgumentError, AssertionError):
    """An assertion of `tl.debugging` that does not hold."""

    error_code = 3


class KernelError(TensorliteError, RuntimeError):
    """A kernel that failed for a reason that inference could not foresee."""

    error_code = 13


class KernelArgumentError(KernelError, InvalidArgumentError):
    """A kernel that failed for a value that it was given, which inference could not see."""

    error_code = 3


def kernel_error(message: str, cause: Exception) -> KernelError:
    """Return the error of a kernel that failed for a cause."""
    is_of_values = isinstance(cause, (ValueError, LookupError, OverflowError))
    return (KernelArgumentError if is_of_values else KernelError)(message)


class SideEffectWarning(UserWarning):
    """A traced function that prints or writes to Python's state, which happens only in a trace."""


class RetraceWarning(UserWarning):
    """A traced function that is traced again and again; the message says why."""


class LostGradientWarning(UserWarning):
    """A gradient of a program's own that is not in what was saved; the message says whose."""


class CostsWarning(UserWarning):
    """A file of measured costs that is not believed, or that cannot be kept."""


class GraphGrowthWarning(UserWarning):
    """A graph to which one line adds nodes again and again, between one run and the next."""


def note(error: BaseException, text: str) -> None:
    """Add `text` to the notes of `error`, once."""
    if text not in getattr(error, "__notes__", ()):
        error.add_note(text)
