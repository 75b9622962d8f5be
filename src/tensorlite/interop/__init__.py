"""`tl.interop`: programs and arrays of other libraries, each in a folder or module of its own."""

from tensorlite.interop import onnx, tensorflow

__all__ = ["onnx", "tensorflow"]


def __dir__() -> list[str]:
    return __all__
