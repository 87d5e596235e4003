#!/bin/sh
# run.sh - runs the programs of bench/ beside each other and writes what they printed, a line
# "SIZE WORKLOAD PROGRAM KEY VALUE" for every value: run.sh BUILD/bench UOPC SAMPLES.
#
# A round runs every program once on every graph of a size, so that all of them meet the same
# disturbances; the programs that are compared run right after one another.
#
#   BENCH_SIZES   "10000 100000 1000000 10000000"
#   BENCH_RUNS    rounds at 10^5; twice as many at 10^4, half at 10^6, one above (5)
#   BENCH_ARRAYS  0 leaves the arrays out
#   BENCH_SIMPLIFY  0 leaves simplification out
#
# The largest size has S and L only, and of their text what LLVM and MLIR take minutes for is left
# out: the rest shows how things grow.
set -u
bin=$1 uopc=$2 samples=$3
sizes=${BENCH_SIZES:-10000 100000 1000000 10000000}
runs=${BENCH_RUNS:-5}
many=3000000
dir=$(mktemp -d "${TMPDIR:-/tmp}/uop-bench.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
: >"$samples"

rounds() {
  if [ "$1" -le 30000 ]; then
    echo $((runs * 2))
  elif [ "$1" -le 300000 ]; then
    echo "$runs"
  elif [ "$1" -le "$many" ]; then
    echo $(((runs + 1) / 2))
  else
    echo 1
  fi
}

# one SIZE WORKLOAD PROGRAM COMMAND...
one() {
  size=$1 graph=$2 program=$3
  shift 3
  if ! "$@" >"$dir/out" 2>"$dir/err" || grep -q '^FAIL' "$dir/out"; then
    echo "bench: failed: $*" >&2
    cat "$dir/out" "$dir/err" >&2
    exit 1
  fi
  sed "s/^/$size $graph $program /" "$dir/out" >>"$samples"
}

core() { # SIZE WORKLOAD all|plot
  one "$1" "$2" core "$bin/core" "$2" "$1"
  one "$1" "$2" floor "$bin/floor" "$2" "$1"
  [ "$3" = plot ] && return
  one "$1" "$2" z3 "$bin/z3" "$2" "$1"
  [ "$2" = R ] && return
  one "$1" "$2" eval_floor "$bin/eval_floor" "$2" "$1"
  one "$1" "$2" rewrite "$bin/rewrite" "$2" "$1"
}

# The output of the commands goes to /dev/null, llvm-as's too: what is measured is reading,
# checking and, where the command prints, printing; of two runs in a row, the better one.
text() { # SIZE WORKLOAD
  f=$dir/$2.$1
  one "$1" "$2" text "$bin/text" "$f.uir"
  one "$1" "$2" text_floor "$bin/text_floor" "$f.uir"
  one "$1" "$2" named "$bin/text" "$f.named"
  one "$1" "$2" named_floor "$bin/text_floor_named" "$f.named"
  one "$1" "$2" check "$bin/cpu" seconds "$uopc" check "$f.uir"
  one "$1" "$2" llvm-as "$bin/cpu" seconds llvm-as-14 -o - "$f.ll"
  [ "$1" -gt "$many" ] && return
  one "$1" "$2" fmt "$bin/cpu" seconds "$uopc" fmt "$f.uir"
  one "$1" "$2" opt "$bin/cpu" seconds opt-14 -S "$f.ll"
  one "$1" "$2" mlir-opt "$bin/cpu" seconds mlir-opt-14 "$f.mlir"
}

# Arrays beside numpy, which gets one thread.
if [ "${BENCH_ARRAYS-1}" = 1 ]; then
  for n in 1000 1000000 100000000; do
    echo "bench: arrays of $n elements" >&2
    for round in 1 2 3; do
      for case in add exp2 chain rows turn gemm; do
        one "$n" "$case" arrays "$bin/arrays" "$case" "$n"
        one "$n" "$case" numpy env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
          "${PYTHON:-/usr/bin/python3}" "$(dirname "$0")/arrays.py" "$case" "$n"
      done
    done
  done
fi

# Simplification, on graphs of its own.
if [ "${BENCH_SIMPLIFY-1}" = 1 ]; then
  for n in 1000 10000 100000 1000000; do
    echo "bench: simplification of $n nodes" >&2
    for round in 1 2 3; do one "$n" own simplify "$bin/simplify" C "$n"; done
  done
fi

for n in $sizes; do
  graphs="C S L R" texts="S L"
  [ "$n" -gt "$many" ] && graphs="S L" texts=L
  for w in $texts; do
    for format in uir named ll mlir; do
      "$bin/gen" "$w" "$n" "$format" >"$dir/$w.$n.$format" || exit 1
    done
  done
  last=$(rounds "$n") round=0
  while [ "$round" -lt "$last" ]; do
    round=$((round + 1))
    echo "bench: $n nodes, round $round of $last" >&2
    for w in $graphs; do core "$n" "$w" all; done
    for w in $texts; do text "$n" "$w"; done
    # half a decade further, of our own alone and once, for the plot
    [ "$n" -gt "$many" ] || [ "$round" -gt 1 ] || for w in S L; do core $((n * 3)) "$w" plot; done
  done
  rm -f "$dir"/*."$n".*
done
