#!/bin/sh
# bench.sh - runs all of it and writes the documents: bench.sh BUILD/bench UOPC CC DOCS.
#   BENCH_RUNS, BENCH_SIZES   as in run.sh
#   BENCH_KEEP=1              writes the documents from the samples of the last run
#   BENCH_L3                  bytes of the last cache that one core has to itself, for the plot:
#                             the system may know only the sum of several
set -eu
bin=$1 uopc=$2 cc=$3 docs=$4
here=$(dirname "$0")
samples=$bin/samples
[ -n "${BENCH_KEEP-}" ] || "$here/run.sh" "$bin" "$uopc" "$samples"

cache() { getconf "$1" 2>/dev/null || echo 0; }
l2=$(cache LEVEL2_CACHE_SIZE)
l3=${BENCH_L3:-$(cache LEVEL3_CACHE_SIZE)}
version() { "$@" --version 2>&1 | grep -m 1 -i 'version' | sed 's/^ *//'; }

{
  cat <<EOF
# Measured

Written by \`make bench\`, its last section by \`make test-exhaustive\`; not by hand. What the graphs,
the phases and the programs are is said at the top of the files in [bench/](../bench). Every value is
the median of its rounds, with the least and the greatest behind it. All programs run in turn within
a round, and only ratios from one run mean anything: a shared or a virtual machine is easily half as
fast an hour later.

- A phase with a 2 (\`walk2\`) is the least of up to three repetitions into room that is there
  already; without it, it is the first, and pays for fresh memory.
- \`free\` is per node that it frees: the scope's end here, the release of the last roots there.
- "times faster": the other's time by ours. "times as long": our time by the floor's.
- The bars are for 1,000,000 nodes: there a ratio has behind it what it is held to.

| | |
| --- | --- |
| date | $(date -u +%Y-%m-%d) |
| processor | $(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo | head -n 1), $(getconf _NPROCESSORS_ONLN) cores; caches of $(cache LEVEL1_DCACHE_SIZE), $l2 and $l3 bytes |
| system | $(uname -sr); huge pages: $(cat /sys/kernel/mm/transparent_hugepage/enabled 2>/dev/null || echo none) |
| compiler | $("$cc" --version | head -n 1), ${BENCH_CFLAGS-} |
| Z3 | $("$bin/z3" version) |
| LLVM | $(version llvm-as-14); $(version mlir-opt-14) |
| inputs | 4 graphs of ${BENCH_SIZES:-10000 100000 1000000 10000000} binary nodes over 1,024 leaves; of 10^7 two |

![time and bytes of a node over the number of nodes](bench.svg)

Where the curves bend: a node takes some 80 bytes, so that the second-level cache is full past 10^4
nodes and the third past a few 10^5. S reads a random older node at each step: building, finding and
replacing climb at both edges, to one or two misses of main memory a node. L reads the layer above,
which stays in the first caches, and climbs at the first edge only. A sweep is read ahead by the
processor and hardly bends. Building new nodes gets cheaper with size: 10^4 of them fill less than
one huge page, and the system clears all of it.

EOF
} >"$bin/head"
awk -v head="$bin/head" -f "$here/report.awk" "$samples" >"$bin/measured.md"
awk -v l2="$l2" -v l3="$l3" -f "$here/plot.awk" "$samples" >"$bin/bench.svg"
if [ -n "$docs" ]; then
  { echo; sed -n '/^## Every f32$/,$p' "$docs/measured.md"; } >>"$bin/measured.md" # tests/exhaustive.sh's
  cp "$bin/measured.md" "$bin/bench.svg" "$docs"
else
  sed -n '/^## /,$p' "$bin/measured.md"
fi
