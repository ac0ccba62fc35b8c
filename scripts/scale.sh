#!/usr/bin/env bash
# scale.sh CUPPING WHAT: plan, work and merge beyond one computer, on this one.
#   many      plan and merge of 50,000 classes made by copying: jobs a second (CLASSES sets another number)
#   two       work on two threads beside the sum of the jobs, and a one-class change beside a whole run
#   disk      a store on a full disk, then on one with room (as root: a file system in memory)
#   ray       four nodes, one killed and one added, beside one run; PYTHON has ray
#   slurm     an array on a Slurm that is running here, beside one run
#   simulate  10, 100 and 1,000 workers with failures, from the costs that `two` measured
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cupping=$(realpath "${1:?the program is missing}")
what=${2:-many}
here=$PWD
work=${SCALE_WORK:-$(mktemp -d)}
mkdir -p "$work"
jar=${SCALE_JAR:-/usr/share/java/commons-lang3.jar}
selected=${SCALE_CLASSES:-org.apache.commons.lang3.mutable.*}
each=${SCALE_EACH:-1s}

# The classes of the library, by name, so that each has a budget of its own.
classes() {
    "$cupping" plan generate -cp "$jar" "$selected" --work 1h | python3 -c '
import json, sys
for line in sys.stdin: print(json.loads(line)["class"])'
}

command_on() {
    mapfile -t names < <(classes)
    run=(generate -cp "$jar" "${names[@]}" --work "$each" --jobs 1 --out tests --json all.json)
}

# The files and the report of a folder, without times.
left() {
    (cd "$1" && find tests -type f | LC_ALL=C sort | xargs sha256sum &&
        python3 -c 'import json; r = json.load(open("all.json")); [c.pop("time_ms") for c in r["results"]["classes"]]; print(json.dumps(r, sort_keys=True))')
}

single() {
    mkdir -p "$work/single"
    command_on
    [ -f "$work/single/all.json" ] || (cd "$work/single" && "$cupping" "${run[@]}" --quiet) || true
    left "$work/single" > "$work/single.left"
}

compare() {
    left "$1" > "$1.left"
    cmp "$work/single.left" "$1.left" && echo "$2: files and report are those of one run"
}

seconds() {
    local started ended
    started=$(date +%s.%N)
    "$@" > "$work/said" 2>&1 || true
    ended=$(date +%s.%N)
    echo "$ended - $started" | bc
}

many() {
    local count=${CLASSES:-50000}
    cd "$work"
    rm -rf many && mkdir -p many/src/p000 many/classes && cd many
    cat > src/p000/C00000.java <<'JAVA'
package p000;
public class C00000 {
    private int state;
    public int step(int by) { return by > 10 ? state : (state += by); }
}
JAVA
    javac -g -d classes src/p000/C00000.java
    python3 - "$count" <<'PY'
import os, sys
one = open("classes/p000/C00000.class", "rb").read()
for at in range(1, int(sys.argv[1])):
    package, name = f"p{at // 100:03d}", f"C{at:05d}"
    os.makedirs(f"classes/{package}", exist_ok=True)
    text = one.replace(b"p000", package.encode()).replace(b"C00000", name.encode())
    open(f"classes/{package}/{name}.class", "wb").write(text)
PY
    local words=(generate -cp classes classes --work 23h --store store --out tests --json all.json --jobs 2)
    local took
    took=$(seconds sh -c "'$cupping' plan ${words[*]} > jobs")
    echo "plan: $(wc -l < ./jobs) jobs in $took s"
    head -1 jobs | "$cupping" work
    "${BENCH_SCALE:-$here/target/release/examples/bench_scale}" classes jobs p000.C00000 store
    took=$(seconds python3 -c '
import resource, subprocess, sys
subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, "MB")' "$cupping" merge "${words[@]}" --quiet)
    echo "merge: $(find tests -name '*.java' | wc -l) files in $took s, at most $(grep -o '[0-9]* MB' "$work/said" | head -1)"
    took=$(seconds sh -c "'$cupping' plan ${words[*]} > jobs2")
    echo "plan of what is left: $(wc -l < jobs2) jobs in $took s"
}

two() {
    rm -rf "$work/two" && mkdir -p "$work/two/classes" && cd "$work/two"
    unzip -q "$jar" -d classes
    jar=$work/two/classes
    command_on
    "$cupping" plan "${run[@]}" --store store > ./jobs
    local whole again
    whole=$(seconds "$cupping" work jobs --jobs 2)
    python3 -c '
import json, pathlib, sys
costs = [int(it.read_text()) for it in pathlib.Path("store/costs").glob("*/*")]
wall = float(sys.argv[1])
print(f"{len(costs)} jobs: sum {sum(costs) / 1000:.1f} s, wall {wall:.1f} s on two threads, "
      f"efficiency {sum(costs) / 2000 / wall:.2f}")' "$whole"
    again=$(seconds "$cupping" "${run[@]}" --store store)
    echo "a second run over all classes, nothing changed: $again s"
    # A commit of one class: the name of its source in it gets another letter.
    local changed
    changed=$(find classes -name "MutableInt.class" | head -1)
    sed -i 's/MutableInt\.java/MutableInx.java/' "$changed"
    again=$(seconds "$cupping" "${run[@]}" --store store)
    echo "after a change of $(basename "$changed"): $again s, $(python3 -c "print(f'{100 * $again / $whole:.1f}')") % of the whole"
}

disk() {
    command_on
    single
    rm -rf "$work/disk" && mkdir -p "$work/disk/small" && cd "$work/disk"
    mount -t tmpfs -o size=64k tmpfs small
    "$cupping" plan "${run[@]}" --store small/store > ./jobs
    "$cupping" work jobs && echo "the disk was not full" && exit 1
    find small -name '.cupping-*' | grep . && echo "a temporary file is left" && exit 1
    mount -o remount,size=64m small
    "$cupping" work jobs
    "$cupping" merge "${run[@]}" --store small/store --quiet || true
    umount small
    compare "$work/disk" "a full disk, then room"
}

ray() {
    command_on
    single
    rm -rf "$work/ray" && mkdir -p "$work/ray" && cd "$work/ray"
    # The driver is killed on the way, and started again: what is left is planned anew.
    "${PYTHON:-python3}" "$here/integrations/ray/tests/cluster.py" "$cupping" "${run[@]}" --store "$work/ray/store"
    "$cupping" merge "${run[@]}" --store "$work/ray/store" --quiet || true
    compare "$work/ray" "Ray, a node killed and one added"
}

slurm() {
    command_on
    single
    rm -rf "$work/slurm" && mkdir -p "$work/slurm" && cd "$work/slurm"
    while "$cupping" plan "${run[@]}" --store "$work/slurm/store" > ./jobs && [ -s jobs ]; do
        CUPPING=$cupping sbatch --wait --array=1-4 --mem=0 --chdir="$work/slurm" "$here/integrations/slurm/cupping.sbatch" jobs
    done
    "$cupping" merge "${run[@]}" --store "$work/slurm/store" --quiet || true
    compare "$work/slurm" "Slurm, an array of four"
}

simulate() {
    python3 "$here/integrations/ray/cupping_ray/simulation.py" "$work/two/jobs" "$work/two/store"
}

case "$what" in
    many | two | disk | ray | slurm | simulate) "$what" ;;
    *)
        echo "scale.sh: nothing is called '$what'" >&2
        exit 2
        ;;
esac
