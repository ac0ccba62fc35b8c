"""A cluster that is only simulated: measured costs, workers, failures; makespan over the ideal.

    python3 simulation.py PLAN STORE [JOBS]

Costs are those that the store has of the plan's classes, drawn again and again until there are JOBS (10,000). What the
driver knows of a job is only its estimate of the plan, as in a first run. Batches are made by ``pack``, as for Ray.
"""

from __future__ import annotations

import hashlib
import heapq
import importlib.util
import json
import pathlib
import random
import sys

#: Seconds that a process takes before its first job: the program, its machine, the JVM.
START = 1.5
#: Seconds between failures of a worker, on average: each is lost nearly every two hours.
BETWEEN_FAILURES = 7000.0
#: Seconds until another one stands in its place.
REPLACED = 60.0


def _batches():
    path = pathlib.Path(__file__).with_name("batches.py")
    spec = importlib.util.spec_from_file_location("batches", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["batches"] = module
    spec.loader.exec_module(module)
    return module


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


def simulate(costs: list[tuple[int, int]], workers: int, batch_ms: int, rng: random.Random) -> tuple[float, int]:
    """The makespan in seconds, and how many workers were lost."""
    lines = [json.dumps({"job": f"{at:08x}", "cost_ms": estimate}) for at, (estimate, _) in enumerate(costs)]
    waiting = list(reversed(_batches().pack(lines, batch_ms, workers)))
    free = [(0.0, at) for at in range(workers)]
    heapq.heapify(free)
    fails = [rng.expovariate(1 / BETWEEN_FAILURES) for _ in range(workers)]
    done = [False] * len(costs)
    # Batches of lost workers wait again, from the time at which the loss is seen.
    lost: list[tuple[float, object]] = []
    end, losses = 0.0, 0
    while waiting or lost:
        now, worker = heapq.heappop(free)
        if lost and (not waiting or lost[0][0] <= now):
            seen, _, batch = heapq.heappop(lost)
            now = max(now, seen)
        else:
            batch = waiting.pop()
        at = now + START
        for line in batch.lines:
            number = int(json.loads(line)["job"], 16)
            # What is in the store is not done again.
            if done[number]:
                continue
            finished = at + costs[number][1] / 1000
            if fails[worker] < finished:
                losses += 1
                heapq.heappush(lost, (fails[worker] + 5.0, losses, batch))
                at = fails[worker] + REPLACED
                fails[worker] = at + rng.expovariate(1 / BETWEEN_FAILURES)
                break
            at = finished
            done[number] = True
            end = max(end, at)
        heapq.heappush(free, (at, worker))
    assert all(done)
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
        best = None
        for batch_ms in (20_000, 60_000, 200_000):
            result = simulate(costs, workers, batch_ms, random.Random(workers))
            best = min(best or result, result)
        end, losses = best
        ideal = max(work / workers, max(cost for _, cost in costs) / 1000)
        print(f"| {workers} | {end:.0f} s | {ideal:.0f} s | {ideal / end:.2f} | {losses} |")


if __name__ == "__main__":
    main()
