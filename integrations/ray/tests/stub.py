#!/usr/bin/env python3
"""A stand-in for `cupping` with 40 jobs that only wait: what the driver does is tested without a search.

`plan` lists the jobs whose results are not in the store; the last ten come in a second round. `work` waits as long as a
job costs, and keeps its name. `merge` writes all names.
"""

import hashlib
import json
import os
import pathlib
import sys
import time


def main():
    stage, words = sys.argv[1], sys.argv[2:]

    def place(name):
        store = pathlib.Path(words[words.index("--store") + 1])
        return store / "results" / name[:2] / name / "one.json"

    names = [hashlib.sha256(str(at).encode()).hexdigest() for at in range(40)]
    if stage == "plan":
        first = [name for name in names[:30] if not place(name).exists()]
        for name in first or [name for name in names[30:] if not place(name).exists()]:
            print(json.dumps({"job": name, "class": name, "cost_ms": 200 + int(name[:2], 16), "words": words}))
    elif stage == "work":
        for job in map(json.loads, sys.stdin):
            words = job["words"]
            path = place(job["job"])
            if not path.exists():
                time.sleep(job["cost_ms"] / 1000)
                path.parent.mkdir(parents=True, exist_ok=True)
                temporary = path.with_suffix(f".{os.getpid()}")
                temporary.write_text(job["class"])
                temporary.rename(path)
            print(json.dumps({"job": job["job"], "done": True}), flush=True)
    else:
        texts = [place(name).read_text() for name in names if place(name).exists()]
        pathlib.Path(words[words.index("--store") + 1], "merged").write_text("\n".join(texts))
        sys.exit(0 if len(texts) == len(names) else 2)


if __name__ == "__main__":
    main()
