"""Batches: python3 -m unittest discover integrations/ray/tests"""

import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

import importlib.util

spec = importlib.util.spec_from_file_location(
    "batches", pathlib.Path(__file__).parents[1] / "cupping_ray" / "batches.py"
)
batches = importlib.util.module_from_spec(spec)
sys.modules["batches"] = batches
spec.loader.exec_module(batches)


def lines(costs):
    return [json.dumps({"job": f"{at:064x}", "cost_ms": cost}) for at, cost in enumerate(costs)]


class Batches(unittest.TestCase):
    def test_every_job_is_in_one_batch(self):
        plan = lines([at * 37 % 900 for at in range(1000)])
        packed = batches.pack(plan, 10_000, 8)
        self.assertEqual(sorted(plan), sorted(line for batch in packed for line in batch.lines))

    def test_a_batch_costs_what_it_may_unless_one_job_costs_more(self):
        packed = batches.pack(lines([50_000, 3, 900, 900, 900, 900, 50]), 2000, 1)
        self.assertTrue(all(batch.cost_ms <= 2000 or len(batch.lines) == 1 for batch in packed))
        self.assertEqual(packed[0].cost_ms, 50_000)

    def test_the_last_batches_are_small(self):
        packed = batches.pack(lines([100] * 1000), 10_000, 4)
        self.assertGreater(packed[0].cost_ms, 5000)
        self.assertLessEqual(packed[-1].cost_ms, 300)

    def test_a_batch_is_split_into_its_jobs(self):
        batch = batches.Batch(tuple(lines([5, 6])), 11)
        parts = batches.split(batch)
        self.assertEqual([part.lines for part in parts], [(line,) for line in batch.lines])
        self.assertEqual([part.attempts for part in parts], [1, 1])

    def test_an_empty_plan_has_no_batches(self):
        self.assertEqual(batches.pack([], 1000, 3), [])


if __name__ == "__main__":
    unittest.main()
