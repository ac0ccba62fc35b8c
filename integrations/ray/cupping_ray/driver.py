"""The driver: plans, hands out jobs, repeats what was lost, plans again, merges."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Callable, TextIO

import ray
from ray import cloudpickle
from ray.exceptions import RayError

from . import stream
from .jobs import Job, jobs_of
from .stream import Stream

# Nodes need Ray, but not this package: the code of a worker is sent to them.
cloudpickle.register_pickle_by_value(stream)


@dataclass
class Settings:
    """How jobs are run."""

    #: The command that is planned, such as ``["generate", "-cp", "lib.jar", "org.x.**", "--store", "/mnt/store"]``.
    words: list[str]
    #: The program, which is at this place on every node.
    program: str = "cupping"
    #: Processors of a worker: one for the search, and a good part of one for the JVM that certifies.
    cpus: float = 1.0
    #: Memory that a worker is placed by, in bytes.
    memory: int = 1 << 30
    #: A job that takes longer than its estimate times this, and two minutes, is ended.
    patience: float = 20.0
    #: How often a job may fail before it is given up.
    attempts: int = 4
    #: How often results are merged on the way, in seconds; 0 is only at the end.
    merge_every: float = 0.0
    #: Rounds of plans at most.
    rounds: int = 20


@ray.remote
class Worker:
    """A process on some node that does one job after another, with one JVM for all of them."""

    def __init__(self, program: str):
        self.stream = Stream(program)

    def do(self, line: str, seconds: float) -> tuple[bool, str]:
        """See :meth:`Stream.do`."""
        return self.stream.do(line, seconds)

    def close(self) -> None:
        """Ends the process."""
        self.stream.close()


class Driver:
    """Does all jobs of a command on the cluster that Ray is connected to."""

    def __init__(self, settings: Settings, out: TextIO = sys.stderr, clock: Callable[[], float] = time.monotonic):
        self.settings = settings
        self.out = out
        self.clock = clock
        #: Workers without a job.
        self.idle: list = []
        #: What each worker does, by the reference to its answer.
        self.running: dict = {}
        #: What was given up: the job and what was said.
        self.failed: list[tuple[Job, str]] = []

    def run(self) -> int:
        """Plans and works until a plan is empty, then merges; the exit code of the merge."""
        for number in range(1, self.settings.rounds + 1):
            lines = self.plan()
            if not lines:
                break
            self._say(f"round {number}: {len(lines)} jobs")
            self._round(jobs_of(lines))
            if self.failed:
                break
        for worker in self.idle:
            worker.close.remote()
        return self.merge()

    def plan(self) -> list[str]:
        """The jobs that are to be done next."""
        done = subprocess.run([self.settings.program, "plan", *self.settings.words], capture_output=True, text=True)
        if done.returncode != 0 and not done.stdout:
            raise RuntimeError(f"cupping plan: {done.stderr.strip()}")
        return done.stdout.splitlines()

    def merge(self) -> int:
        """Puts together what is done."""
        return subprocess.run([self.settings.program, "merge", *self.settings.words]).returncode

    def _slots(self) -> int:
        return max(int(ray.cluster_resources().get("CPU", 1) / self.settings.cpus), 1)

    def _worker(self, attempts: int = 0):
        # A job that failed may have failed for lack of memory: it gets more room each time.
        memory = self.settings.memory << attempts
        return Worker.options(num_cpus=self.settings.cpus, memory=memory).remote(self.settings.program)

    def _submit(self, worker, job: Job) -> None:
        seconds = 60.0 + self.settings.patience * job.cost_ms / 1000
        self.running[worker.do.remote(job.line, seconds)] = (worker, job)

    def _hand_out(self, waiting: list[Job], slots: int) -> None:
        """Gives each slot a job. Nodes may come and go, and with them workers."""
        while waiting and len(self.running) < slots:
            job = waiting.pop()
            if job.attempts > 0 or not self.idle:
                if self.idle:
                    # Its place is needed.
                    ray.kill(self.idle.pop())
                self._submit(self._worker(job.attempts), job)
            else:
                self._submit(self.idle.pop(), job)

    def _round(self, jobs: list[Job]) -> None:
        waiting = jobs[::-1]
        total = sum(job.cost_ms for job in jobs)
        finished, begun = 0, len(jobs)
        started = merged = said = looked = self.clock()
        slots = self._slots()
        while waiting or self.running:
            self._hand_out(waiting, slots)
            ready, _ = ray.wait(list(self.running), num_returns=1, timeout=5.0)
            for reference in ready:
                worker, job = self.running.pop(reference)
                try:
                    is_done, why = ray.get(reference)
                except RayError as error:
                    # The node is lost, or had too little memory.
                    why = str(error).splitlines()[0] if str(error) else repr(error)
                    self._retry(job, f"a worker is lost: {why}", waiting)
                    continue
                if is_done and job.attempts == 0:
                    self.idle.append(worker)
                else:
                    # A process that failed, or has more memory than others, is not kept.
                    ray.kill(worker)
                if is_done:
                    finished += job.cost_ms
                else:
                    self._retry(job, why, waiting)
            now = self.clock()
            if now - looked > 5:
                slots, looked = self._slots(), now
            if ready and (now - said > 10 or not (waiting or self.running)):
                share, left = 100 * finished // max(total, 1), len(waiting) + len(self.running)
                self._say(f"  {share} % of the estimated work, {left} of {begun} jobs left, {now - started:.0f} s")
                said = now
            if self.settings.merge_every and now - merged > self.settings.merge_every:
                self.merge()
                merged = self.clock()

    def _retry(self, job: Job, why: str, waiting: list[Job]) -> None:
        job = job.again()
        if job.attempts >= self.settings.attempts:
            self.failed.append((job, why))
            self._say(f"  given up after {job.attempts} attempts: {why}")
            return
        self._say(f"  once more: {why}")
        waiting.append(job)

    def _say(self, text: str) -> None:
        print(text, file=self.out, flush=True)
