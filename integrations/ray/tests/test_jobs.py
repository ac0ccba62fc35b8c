"""Jobs and streams: python3 -m unittest discover integrations/ray/tests"""

import json
import pathlib
import sys
import tempfile
import unittest

PACKAGE = pathlib.Path(__file__).parents[1] / "cupping_ray"
# Without Ray, which the package needs.
sys.path.insert(0, str(PACKAGE))

from jobs import jobs_of
from stream import Stream

STUB = str(pathlib.Path(__file__).with_name("stub.py"))


def line(at, cost, words=()):
    return json.dumps({"job": f"{at:064x}", "class": f"C{at}", "cost_ms": cost, "words": list(words)})


class Jobs(unittest.TestCase):
    def test_the_most_costly_job_is_first(self):
        jobs = jobs_of([line(1, 5), line(2, 900), "", line(3, 0), line(0, 5)])
        self.assertEqual([int(job.key, 16) for job in jobs], [2, 0, 1, 3])
        self.assertEqual(jobs[-1].cost_ms, 1)
        self.assertEqual((jobs[0].attempts, jobs[0].again().attempts), (0, 1))

    def test_an_empty_plan_has_no_jobs(self):
        self.assertEqual(jobs_of([]), [])


class Streams(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.words = ["generate", "--store", self.folder.name]

    def tearDown(self):
        self.folder.cleanup()

    def results(self):
        return sorted(path.parent.name for path in pathlib.Path(self.folder.name).glob("results/*/*/one.json"))

    def test_one_process_does_all_jobs(self):
        stream = Stream(STUB)
        for at in range(3):
            self.assertEqual(stream.do(line(at, 1, self.words), 10), (True, ""))
            process = process if at else stream.process
            self.assertIs(stream.process, process)
        self.assertEqual(self.results(), [f"{at:064x}" for at in range(3)])
        stream.close()
        self.assertIsNotNone(process.poll())

    def test_a_job_that_takes_too_long_or_ends_its_process_is_not_done(self):
        import stream as module

        stream = Stream(STUB)
        module.START, start = 0.0, module.START
        done, why = stream.do(line(1, 60_000, self.words), 0.5)
        module.START = start
        self.assertFalse(done)
        self.assertIn("not done after", why)
        # Without a store the stand-in fails.
        done, why = stream.do(line(2, 1), 10)
        self.assertFalse(done)
        self.assertIn("the process ended with", why)
        self.assertIn("ValueError", why)
        self.assertEqual(stream.do(line(3, 1, self.words), 10), (True, ""), "another process")
        stream.close()


if __name__ == "__main__":
    unittest.main()
