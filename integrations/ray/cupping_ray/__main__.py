"""``cupping-ray generate -cp lib.jar 'org.x.**' --work 10s --store /mnt/store``"""

from __future__ import annotations

import argparse
import sys

import ray

from .driver import Driver, Settings


def main() -> int:
    parser = argparse.ArgumentParser(prog="cupping-ray", description="Runs the jobs of Cupping on a Ray cluster.")
    parser.add_argument("--address", default=None, help="the cluster; `auto` is the one around [default: a local one]")
    parser.add_argument("--program", default="cupping", help="the program on every node")
    parser.add_argument("--cpus", type=float, default=1.0, help="processors of a worker")
    parser.add_argument("--memory-mib", type=int, default=1024, help="memory of a worker")
    parser.add_argument("--merge-every", type=float, default=0.0, help="seconds between merges on the way; 0 is never")
    parser.add_argument("words", nargs=argparse.REMAINDER, help="the command, with --store on a shared folder")
    args = parser.parse_args()
    words = args.words[1:] if args.words[:1] == ["--"] else args.words
    if not any(word == "--store" or word.startswith("--store=") for word in words):
        parser.error("the command needs --store DIR, a folder that all nodes see")
    ray.init(address=args.address, log_to_driver=False)
    settings = Settings(
        words=words,
        program=args.program,
        cpus=args.cpus,
        memory=args.memory_mib << 20,
        merge_every=args.merge_every,
    )
    return Driver(settings).run()


if __name__ == "__main__":
    sys.exit(main())
