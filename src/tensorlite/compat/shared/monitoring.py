"""tensorflow.python.eager.monitoring: numbers and words that libraries keep about themselves."""

from __future__ import annotations

from typing import Any

from tensorlite.core.errors import InvalidArgumentError


class Cell:
    """One value, which is set or added to."""

    def __init__(self, first: Any) -> None:
        self._value = first

    def set(self, value: Any) -> None:
        """Put a value in the place of the one that is there."""
        self._value = value

    def increase_by(self, value: int) -> None:
        """Add a number to the value."""
        self._value += value

    def value(self) -> Any:
        """Return the value."""
        return self._value


class Metric:
    """Cells by their labels."""

    first: Any = 0

    def __init__(self, name: str, description: str, *labels: str) -> None:
        self.name, self.description, self._labels = name, description, labels
        self._cells: dict[tuple[str, ...], Cell] = {}

    def get_cell(self, *labels: str) -> Cell:
        """Return the cell of some labels, one for each that the metric has.

        >>> gauge = BoolGauge("/used", "whether it was used", "method")
        >>> gauge.get_cell("fit").set(True)
        >>> gauge.get_cell("fit").value(), gauge.get_cell("predict").value()
        (True, False)
        """
        if len(labels) != len(self._labels):
            raise InvalidArgumentError(
                f"The {self.name} expects taking {len(self._labels)} labels, got {len(labels)}"
            )
        return self._cells.setdefault(labels, Cell(self.first))


class Counter(Metric):
    """Numbers that grow."""


class IntGauge(Metric):
    """Whole numbers."""


class BoolGauge(Metric):
    """Yes or no."""

    first = False


class StringGauge(Metric):
    """Words."""

    first = ""
