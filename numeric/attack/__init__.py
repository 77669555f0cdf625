"""An adversary for bounds: it looks for the configuration that comes closest to breaking one."""

from .adversary import Attack, attack, spaces_of
from .replay import Sides, Undetermined, replay
from .stored import BadRecord, Record, dump, load
from .target import NoTarget, Target, bounds_of

__all__ = [
    "Attack",
    "BadRecord",
    "NoTarget",
    "Record",
    "Sides",
    "Target",
    "Undetermined",
    "attack",
    "bounds_of",
    "dump",
    "load",
    "replay",
    "spaces_of",
]
