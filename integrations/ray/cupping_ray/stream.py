"""A process ``cupping work --stream``: it is started once, and does one job after another."""

from __future__ import annotations

import json
import queue
import subprocess
import tempfile
import threading

#: Seconds that a job may take besides its own: before the first one, the process starts a program and a JVM.
START = 60.0


class Stream:
    """Does jobs in a process of its own, and starts another one when that has ended."""

    def __init__(self, program: str):
        self.program = program
        self.process: subprocess.Popen | None = None

    def do(self, line: str, seconds: float) -> tuple[bool, str]:
        """Does the job of a line of a plan: whether its result is in the store, and if not what was said."""
        if self.process is None or self.process.poll() is not None:
            self._start()
        process, answers = self.process, self.answers
        key = json.loads(line)["job"]
        try:
            process.stdin.write(line.rstrip("\n") + "\n")
            process.stdin.flush()
            while True:
                answer = answers.get(timeout=seconds + START)
                if answer is None:
                    return False, self._end()
                if answer.get("job") == key:
                    said = self._said()
                    # What was said of a job that is done is in its result.
                    return answer["done"], "" if answer["done"] else said
        except queue.Empty:
            return False, f"not done after {seconds + START:.0f} s; {self._end()}"
        except OSError as error:
            return False, f"{error}; {self._end()}"

    def close(self) -> None:
        """Ends the process."""
        if self.process is not None:
            self._end()

    def _start(self) -> None:
        # The process always writes at the end, wherever this one reads.
        self.said = tempfile.TemporaryFile("a+")
        command = [self.program, "work", "--stream"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self.said, text=True)
        self.answers: queue.Queue = queue.Queue()
        threading.Thread(target=_read, args=(self.process.stdout, self.answers), daemon=True).start()

    def _said(self) -> str:
        self.said.seek(0)
        text = self.said.read().strip()
        self.said.seek(0)
        self.said.truncate()
        return text[-2000:]

    def _end(self) -> str:
        process, self.process = self.process, None
        process.kill()
        code = process.wait()
        return f"the process ended with {code}: {self._said()}"


def _read(lines, answers: queue.Queue) -> None:
    """Passes on the answers of a process, and ``None`` at its end."""
    for line in lines:
        try:
            answer = json.loads(line)
        except ValueError:
            continue
        if isinstance(answer, dict):
            answers.put(answer)
    answers.put(None)
