"""Jobs packed into batches: what one process of a worker does, with one JVM for all of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Batch:
    """Lines of a plan that one process works on."""

    lines: tuple[str, ...]
    cost_ms: int
    #: How often jobs of it have been lost or failed.
    attempts: int = 0
    #: Keys of the jobs, for progress.
    keys: tuple[str, ...] = field(default=(), compare=False)

    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)


def _batch(jobs: list[dict], lines: list[str], attempts: int = 0) -> Batch:
    cost = sum(max(job["cost_ms"], 1) for job in jobs)
    return Batch(tuple(lines), cost, attempts, tuple(job["job"] for job in jobs))


def pack(lines: list[str], batch_ms: int, slots: int) -> list[Batch]:
    """Packs the lines of a plan, the most costly jobs first.

    A batch costs ``batch_ms`` at most, unless one job does. Batches shrink towards the end (guided self-scheduling,
    Polychronopoulos & Kuck 1987): what is left is divided by twice the number of slots, so that no slot waits long for
    the last batch of another.
    """
    jobs = [(json.loads(line), line) for line in lines if line.strip()]
    jobs.sort(key=lambda it: (-it[0]["cost_ms"], it[0]["job"]))
    left = sum(max(job["cost_ms"], 1) for job, _ in jobs)
    batches: list[Batch] = []
    part: list[tuple[dict, str]] = []
    cost = 0
    for job, line in jobs:
        limit = min(batch_ms, max(left // (2 * max(slots, 1)), 1))
        if part and cost + job["cost_ms"] > limit:
            batches.append(_batch([it[0] for it in part], [it[1] for it in part]))
            left -= cost
            part, cost = [], 0
        part.append((job, line))
        cost += max(job["cost_ms"], 1)
    if part:
        batches.append(_batch([it[0] for it in part], [it[1] for it in part]))
    return batches


def split(batch: Batch) -> list[Batch]:
    """The jobs of a batch one by one: what was too much together, or failed for one of them."""
    attempts = batch.attempts + 1
    return [_batch([json.loads(line)], [line], attempts) for line in batch.lines]
