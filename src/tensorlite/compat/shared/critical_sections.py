"""tf.CriticalSection: functions of programs that run one at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorlite.compat.calling import named
from tensorlite.compat.views import Operation, lifted
from tensorlite.function import critical_section


class CriticalSection(critical_section.CriticalSection):
    """A section with the arguments of TensorFlow."""

    def __init__(
        self,
        name: str | None = None,
        shared_name: str | None = None,
        critical_section_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        super().__init__(name or "critical_section", shared_name)

    def execute(
        self,
        fn: Callable[[], Any],
        exclusive_resource_access: bool = True,
        name: str | None = None,
    ) -> Any:
        """Return what a function returns, which no other one runs beside."""
        run = super().execute

        def done() -> Any:
            made = fn()
            return None if isinstance(made, Operation) else made

        return _executed(
            lambda: run(lifted(done), exclusive_resource_access), name=name
        )


@named("critical_section_execute", None)
def _executed(run: Callable[[], Any], name: str | None = None) -> Any:
    return run()
