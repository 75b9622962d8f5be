"""Programs of version 1 name what they make as TensorFlow 1.15 does, but for those that are listed.

The programs stand in programs/, what TensorFlow makes of them in recorded/, and those that are
known to differ in differing/, under their reasons. One that begins to be equal must leave its list.
"""

from __future__ import annotations

import pytest

from tests.compat.naming.comparing import PLAIN, THEMES, differing, listed, recorded
from tests.compat.naming.told import programs


@pytest.mark.parametrize("theme", THEMES)
def test_names_and_nodes_are_tensorflows_but_for_those_listed(theme: str) -> None:
    assert differing(theme) == {key: kind for key, (kind, _) in listed(theme).items()}


@pytest.mark.parametrize("theme", THEMES)
def test_every_program_is_recorded_and_every_difference_has_its_reason(
    theme: str,
) -> None:
    assert programs(theme) == list(recorded(theme))
    assert PLAIN not in {reason for _, reason in listed(theme).values()}
