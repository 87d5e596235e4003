#!/bin/sh
# faults.sh BUILDDIR - whether the tests find known faults. Each is compiled into the library by
# -DUOP_FAULT=N (UOPI_FAULT in src/base/base.h); a test named beside it must then fail, and all of
# them must pass without a fault. Also a hash function that is always 0 must change nothing but speed.
# The last line is "faults: N caught, N missed".
set -u
dir=${1:-build/faults}
CC=${CC:-cc}
FLAGS="-std=c11 -O1 -ffp-contract=off -fno-trapping-math -fno-math-errno -Iinclude -Isrc -Itests"
export dir CC FLAGS

# number, file that has it, test that finds it, what is wrong
faults() {
  cat <<'END'
1  src/ir/make.c          test_identity  the kind of a RANGE left out of its arg
2  src/ir/make.c          test_identity  -0.0 merged with 0.0
3  src/ir/make.c          test_identity  every NaN payload a node of its own
4  src/ir/walk.c          deep           the walk recurses
5  src/ir/scope.c         test_scope     a dead node keeps its reference to a tuple
6  src/eval/loops.c       test_oracle    i32 addition saturates
7  src/ir/scope.c         test_scope     a dead body keeps its signature
8  src/ir/scope.c         test_scope     the end of a scope forgets pins
9  src/text/print.c       test_random    floats print with a digit too few
10 src/ir/build.c         test_random    literals of a WHERE typed by its condition
11 src/ir/scope.c         test_scope     ids of dead nodes used again
12 src/eval/loops.c       test_oracle    FLOORDIV truncates
13 src/eval/loops.c       test_oracle    max passes over a NaN
14 src/ir/unique.c        test_identity  the table loses what lies behind a removed node
15 src/graph/edit.c       test_walk      parameters replaced one after the other
16 src/ir/scope.c         test_scope     a registered map keeps a dead value
17 src/eval/block.c       test_evaluators  a tile is read one row too far
18 src/eval/kernel.c      test_evaluators  a register is given away before its last reader
19 src/eval/run.c         test_runs        a value stays after its last use
20 src/eval/array.c       test_evaluators  a reshape takes strides that bend for even ones
21 src/eval/plan.c        test_evaluators  a node with users outside of a group joins it
22 src/rewrite/match.c    test_rules     operands of a commutative op in one order alone
23 src/rewrite/match.c    test_rules     a rule applies whatever its condition says
24 src/rewrite/match.c    test_rewrite   a replacement of another type is let through
25 src/rewrite/rewrite.c  test_rewrite   a node in work is not known again
26 src/rewrite/match.c    test_rules     {...} does not wrap
27 src/rewrite/match.c    test_rules     a variable said twice stands for two nodes
END
}

objects() { # objects SOURCE…: a line each
  printf '%s\n' "$@" | sed "s|/|_|g; s|.*|$dir/&.o|"
}

compile() { # compile SOURCE…
  for f; do $CC $FLAGS ${DEFINES:-} -c "$f" -o "$(objects "$f")" || exit 1; done
}

test_passes() { # test_passes TEST PROGRAM
  case $1 in
  deep) (ulimit -s 64; exec timeout 60 "$2" chain 20000) ;;
  test_random) timeout 60 "$2" 2000 ;;
  test_evaluators) timeout 60 "$2" 6000 ;;
  test_rewrite) timeout 60 "$2" 300 ;;
  *) timeout 60 "$2" ;;
  esac
}

link() { # link TEST PROGRAM OBJECT… of the library
  name=$1 program=$2
  shift 2
  $CC $(objects "tests/$name.c" tests/support/*.c tests/plain/*.c) "$@" -o "$program" -lcmocka -lm
}

fault() { # fault N FILE TEST WHAT…: one fault, from compiling to "caught" or "missed"
  n=$1 file=$2 test=$3
  shift 3
  $CC $FLAGS "-DUOP_FAULT=$n" -c "$file" -o "$dir/fault$n.o" || exit 1
  others=$(objects src/*/*.c | grep -vxF "$(objects "$file")")
  link "$test" "$dir/fault$n" "$dir/fault$n.o" $others || exit 1
  if test_passes "$test" "$dir/fault$n" >"$dir/fault$n.log" 2>&1; then result=missed; else result=caught; fi
  printf '%s by %-14s %2d: %s\n' "$result" "$test" "$n" "$*"
}

hash_zero() { # the tests of identity and of walks with a hash function that is always 0
  hashing=$(grep -l uopi_hash src/*/*.c)
  others=$(objects src/*/*.c | grep -vxF "$(objects $hashing)")
  dir=$dir/hash_zero DEFINES="-DUOP_HASH_ZERO -D_GNU_SOURCE"
  export DEFINES
  mkdir -p "$dir"
  ls $hashing tests/support/*.c tests/plain/*.c tests/test_identity.c tests/test_walk.c |
    xargs -P 2 -n 4 sh "$0" "$dir" compile || return 1
  for t in test_identity test_walk; do
    link "$t" "$dir/$t" $(objects $hashing) $others || return 1
    test_passes "$t" "$dir/$t" || return 1
  done
}

case ${2:-} in
compile) shift 2; compile "$@"; exit 0 ;;
fault) shift 2; fault "$@"; exit 0 ;;
esac

mkdir -p "$dir"
tests=$(faults | awk '{print $3}' | sort -u)
ls src/*/*.c | xargs -P 2 -n 4 sh "$0" "$dir" compile || exit 1
DEFINES=-D_GNU_SOURCE compile tests/support/*.c tests/plain/*.c $(for t in $tests; do echo "tests/$t.c"; done)
if ! (hash_zero) >"$dir/hash_zero.log" 2>&1; then
  tail -n 20 "$dir/hash_zero.log"
  echo "a hash function that is always 0 changes something"
  echo "faults: 0 caught, $(faults | wc -l) missed"
  exit 1
fi
for t in $tests; do
  link "$t" "$dir/$t" $(objects src/*/*.c) || exit 1
  if test_passes "$t" "$dir/$t" >"$dir/$t.log" 2>&1; then continue; fi
  tail -n 20 "$dir/$t.log"
  echo "$t fails without a fault"
  echo "faults: 0 caught, $(faults | wc -l) missed"
  exit 1
done
faults | xargs -P 2 -L 1 sh "$0" "$dir" fault >"$dir/results"
sort -t : -k 1.24n "$dir/results"
caught=$(grep -c '^caught' "$dir/results")
missed=$(($(faults | wc -l) - caught))
echo "faults: $caught caught, $missed missed"
[ "$missed" = 0 ]
