"""A cluster that is only simulated: measured costs, workers, failures; makespan over the ideal.

    python3 simulation.py PLAN STORE [JOBS]

Costs are those that the store has of the plan's classes, drawn again and again until there are JOBS (10,000). What the
driver knows of a job is only its estimate of the plan, as in a first run. Jobs are handed out as the driver does it.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

# Without Ray, which the package needs.
from jobs import jobs_of  # noqa: E402

#: Seconds that a process takes before its first job: the program, the class path, the JVM.
START = 1.5
#: Seconds between an answer and the next job: the driver serves others.
HANDED = 0.02
#: Seconds between failures of a worker, on average: each is lost nearly every two hours.
BETWEEN_FAILURES = 7000.0
#: Seconds until the loss is seen.
SEEN = 5.0
#: Seconds until another one stands in its place.
REPLACED = 60.0


def measured(plan: str, store: str) -> list[tuple[int, int]]:
    """Estimate and cost of each class of a plan whose cost is known, in milliseconds."""
    known = []
    for line in open(plan):
        job = json.loads(line)
        hasher = hashlib.sha256()
        for text in (job["words"][0], job["class"].replace(".", "/")):
            hasher.update(len(text.encode()).to_bytes(8, "little") + text.encode())
        name = hasher.hexdigest()
        path = pathlib.Path(store, "costs", name[:2], name[:32])
        if path.is_file():
            known.append((job["cost_ms"], int(path.read_text())))
    return known


def simulate(costs: list[tuple[int, int]], workers: int, rng: random.Random) -> tuple[float, int]:
    """The makespan in seconds, and how many workers were lost."""
    lines = [json.dumps({"job": f"{at:08x}", "cost_ms": estimate}) for at, (estimate, _) in enumerate(costs)]
    waiting = [int(job.key, 16) for job in reversed(jobs_of(lines))]
    # When each worker is free, and whether its process runs.
    free = [(0.0, at, False) for at in range(workers)]
    fails = [rng.expovariate(1 / BETWEEN_FAILURES) for _ in range(workers)]
    # Jobs of lost workers wait again, from the time at which the loss is seen.
    lost: list[tuple[float, int]] = []
    end, losses = 0.0, 0
    while waiting or lost:
        now, worker, runs = heapq.heappop(free)
        if lost and (not waiting or lost[0][0] <= now):
            seen, job = heapq.heappop(lost)
            now = max(now, seen)
        else:
            job = waiting.pop()
        finished = now + (HANDED if runs else START) + costs[job][1] / 1000
        if fails[worker] < finished:
            losses += 1
            heapq.heappush(lost, (fails[worker] + SEEN, job))
            again = fails[worker] + REPLACED
            fails[worker] = again + rng.expovariate(1 / BETWEEN_FAILURES)
            heapq.heappush(free, (again, worker, False))
        else:
            end = max(end, finished)
            heapq.heappush(free, (finished, worker, True))
    return end, losses


def main() -> None:
    known = measured(sys.argv[1], sys.argv[2])
    jobs = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    total = sum(cost for _, cost in known)
    print(f"measured: {len(known)} classes, {total / len(known) / 1000:.2f} s on average, "
          f"at most {max(cost for _, cost in known) / 1000:.1f} s")
    rng = random.Random(1)
    costs = [rng.choice(known) for _ in range(jobs)]
    work = sum(cost for _, cost in costs) / 1000
    print("| workers | makespan | ideal | efficiency | workers lost |\n|---|---|---|---|---|")
    for workers in (10, 100, 1000):
        end, losses = simulate(costs, workers, random.Random(workers))
        ideal = work / workers
        print(f"| {workers} | {end:.0f} s | {ideal:.0f} s | {ideal / end:.2f} | {losses} |")


if __name__ == "__main__":
    main()
