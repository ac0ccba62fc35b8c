"""A cluster of four nodes on this computer: one is killed on the way, one comes, the driver is killed and started again.

    python3 cluster.py PROGRAM generate -cp … --work … --store … --out …

Exits with 0 if no job is left. Whoever calls it compares what was merged with a run of the command. With `stub.py` for
a program it takes no search.
"""

import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parents[1]

from ray.cluster_utils import Cluster


def results(store):
    return sum(1 for _ in pathlib.Path(store).glob("results/*/*/*.json"))


def wait_for(store, count, driver):
    """Waits until so many results are there, or the driver has ended."""
    while results(store) < count and driver.poll() is None:
        time.sleep(0.1)


def main():
    program, words = sys.argv[1], sys.argv[2:]
    store = words[words.index("--store") + 1]
    node = {"num_cpus": 1, "memory": 2 << 30, "object_store_memory": 80 << 20}
    # The head does no work, so that it is not the node that is lost.
    cluster = Cluster(initialize_head=True, head_node_args={**node, "num_cpus": 0, "include_dashboard": False})
    nodes = [cluster.add_node(**node) for _ in range(4)]

    def drive():
        command = [sys.executable, "-m", "cupping_ray", "--address", cluster.address, "--program", program]
        command += ["--memory-mib", "256", *words]
        return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(HERE)})

    def say(what):
        print(f"{what}, after {results(store)} results", file=sys.stderr, flush=True)

    begun = results(store)
    driver = drive()
    wait_for(store, begun + 2, driver)
    cluster.remove_node(nodes[0], allow_graceful=False)
    say("a node is killed")
    cluster.add_node(**node)
    say("a node is added")
    wait_for(store, results(store) + 2, driver)
    driver.kill()
    driver.wait()
    say("the driver is killed and started again")
    code = drive().wait()
    left = subprocess.run([program, "plan", *words], capture_output=True, text=True).stdout
    print(f"the driver ended with {code}, {len(left.splitlines())} jobs are left", file=sys.stderr, flush=True)
    cluster.shutdown()
    # Ray's handlers at the end of the process expect a cluster.
    os._exit(1 if left else 0)


if __name__ == "__main__":
    main()
