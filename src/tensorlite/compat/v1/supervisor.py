"""tf.train.Supervisor; what it does is in graph_mode/supervisors.py."""

from __future__ import annotations

from tensorlite.compat.v1.scaffolds import PARTS, SessionManager
from tensorlite.graph_mode import supervisors


class Supervisor(supervisors.Supervisor):
    parts, manager = PARTS, SessionManager
