"""The jobs of a plan, in the order in which workers take them."""

from __future__ import annotations

import json
from dataclasses import dataclass


@dataclass(frozen=True)
class Job:
    """A line of a plan."""

    line: str
    key: str
    cost_ms: int
    #: How often it has failed.
    attempts: int = 0

    def again(self) -> Job:
        """The job after a failure."""
        return Job(self.line, self.key, self.cost_ms, self.attempts + 1)


def jobs_of(lines: list[str]) -> list[Job]:
    """The jobs of these lines, the most costly ones first, so that none of them is begun last (Graham's LPT rule)."""
    read = [(json.loads(line), line) for line in lines if line.strip()]
    jobs = [Job(line, job["job"], max(job["cost_ms"], 1)) for job, line in read]
    return sorted(jobs, key=lambda it: (-it.cost_ms, it.key))
