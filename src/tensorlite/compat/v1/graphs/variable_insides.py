"""What programs of TensorFlow 1 use of a variable's inside: its reference, and where it is a part.

What is public of variables is in variables.py.
"""

from __future__ import annotations

from typing import Any, ClassVar

from tensorlite.compat.views import view
from tensorlite.graph_mode.partitioned import SaveSlice

__all__ = ["Inside"]


class Inside:
    """Names that begin with a line below, of variables of graphs."""

    __slots__ = ()
    SaveSliceInfo: ClassVar[type[SaveSlice]] = SaveSlice

    name: Any
    handle: Any
    save_slice: Any

    def _ref(self) -> Any:
        """Return the tensor that stands for the variable itself, for what changes it."""
        return view(self.handle)

    @property
    def _shared_name(self) -> str:
        return str(self.name).partition(":")[0]

    @property
    def _save_slice_info(self) -> Any:
        return self.save_slice

    def _get_save_slice_info(self) -> Any:
        return self.save_slice

    def _set_save_slice_info(self, save_slice_info: Any) -> None:
        """Say of which larger variable this is a part, as checkpoints have it."""
        self.save_slice = save_slice_info
