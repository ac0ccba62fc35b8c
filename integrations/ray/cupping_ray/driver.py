"""The driver: plans, submits, retries, plans again, merges."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Callable, TextIO

import ray
from ray.exceptions import RayError

from .batches import Batch, pack, split


@dataclass
class Settings:
    """How jobs are run."""

    #: The command that is planned, such as ``["generate", "-cp", "lib.jar", "org.x.**", "--store", "/mnt/store"]``.
    words: list[str]
    #: The program, which is at this place on every node.
    program: str = "cupping"
    #: What a batch may cost, in milliseconds of estimated work.
    batch_ms: int = 60_000
    #: Processors that a batch takes: one for the search, and a good part of one for the JVM that certifies.
    cpus: float = 1.0
    #: Memory that a batch is placed by, in bytes.
    memory: int = 1 << 30
    #: A batch that takes longer than its estimate times this, and a minute, is ended and split.
    patience: float = 20.0
    #: How often a job may fail before it is given up.
    attempts: int = 4
    #: How often results are merged on the way, in seconds; 0 is only at the end.
    merge_every: float = 0.0
    #: Rounds of plans at most.
    rounds: int = 20


@ray.remote(max_retries=3, retry_exceptions=False)
def work(program: str, text: str, timeout: float) -> tuple[int, str]:
    """Does a batch; the exit code and what was said. Ray does it again on another node when its node is lost."""
    command = [program, "work", "--jobs", "1"]
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return 124, f"not done after {timeout:.0f} s"
    return done.returncode, (done.stdout + done.stderr).strip()


class Driver:
    """Does all jobs of a command on the cluster that Ray is connected to."""

    def __init__(self, settings: Settings, out: TextIO = sys.stderr, clock: Callable[[], float] = time.monotonic):
        self.settings = settings
        self.out = out
        self.clock = clock
        #: What was given up: the batch and what it said.
        self.failed: list[tuple[Batch, str]] = []

    def run(self) -> int:
        """Plans and works until a plan is empty, then merges; the exit code of the merge."""
        for number in range(1, self.settings.rounds + 1):
            lines = self.plan()
            if not lines:
                break
            self._say(f"round {number}: {len(lines)} jobs")
            self._round(lines)
            if self.failed:
                break
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

    def _submit(self, batch: Batch):
        timeout = 60.0 + self.settings.patience * batch.cost_ms / 1000
        # A batch that failed alone may have failed for lack of memory: it gets more room each time.
        memory = self.settings.memory << batch.attempts
        task = work.options(num_cpus=self.settings.cpus, memory=memory)
        return task.remote(self.settings.program, batch.text(), timeout)

    def _round(self, lines: list[str]) -> None:
        waiting = pack(lines, self.settings.batch_ms, self._slots())
        waiting.reverse()
        running: dict = {}
        total = sum(batch.cost_ms for batch in waiting)
        finished = 0
        started = merged = self.clock()
        while waiting or running:
            # Two batches a slot are enough to keep it busy; nodes may come and go.
            while waiting and len(running) < 2 * self._slots():
                batch = waiting.pop()
                running[self._submit(batch)] = batch
            ready, _ = ray.wait(list(running), num_returns=1, timeout=5.0)
            for reference in ready:
                batch = running.pop(reference)
                try:
                    code, said = ray.get(reference)
                except RayError as error:
                    code, said = -1, str(error).splitlines()[0] if str(error) else type(error).__name__
                if code == 0:
                    finished += batch.cost_ms
                else:
                    self._retry(batch, said, waiting)
            now = self.clock()
            if ready:
                share = 100 * finished // max(total, 1)
                left = len(waiting) + len(running)
                self._say(f"  {share} % of the estimated work, {left} batches left, {now - started:.0f} s")
            if self.settings.merge_every and now - merged > self.settings.merge_every:
                self.merge()
                merged = self.clock()

    def _retry(self, batch: Batch, said: str, waiting: list[Batch]) -> None:
        if batch.attempts + 1 >= self.settings.attempts:
            self.failed.append((batch, said))
            self._say(f"  given up after {batch.attempts + 1} attempts: {said}")
            return
        # Jobs of it that are done are found in the store.
        self._say(f"  {len(batch.lines)} jobs one by one: {said}")
        waiting.extend(split(batch))

    def _say(self, text: str) -> None:
        print(text, file=self.out, flush=True)
