"""Finds the packages: the folders of the repository, as ``cltheory.derive`` and so on.

The prefix keeps ``derive``, ``numeric`` and ``cli`` off a user's top-level import path.
"""

from setuptools import find_packages, setup

ROOMS = ("derive", "numeric", "cli")
PATTERNS = [pattern for room in ROOMS for pattern in (room, f"{room}.*")]
FOUND = find_packages(include=PATTERNS, exclude=["derive.top-level"])

setup(packages=["cltheory", *(f"cltheory.{name}" for name in FOUND)])
