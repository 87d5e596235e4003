#!/bin/sh
# vectorised.sh - the compiler's own report says that every loop of functions.def, and every OUT and
# both of EXP2 in loops.def, are made of vectors, in the plain build and in the wider ones. FLOORDIV
# and FLOORMOD are not: no processor of the family divides integers in vectors. SIN looks into a table,
# which the plain one cannot do for a vector; and MAX of bools is the code of ADD. Says "skipped" where
# the compiler or the machine is another.
set -u
CC=${CC:-gcc}
if ! $CC -v 2>&1 | grep -q '^gcc version' || [ "$(uname -m)" != x86_64 ]; then
  echo "vectorised: skipped: this asks gcc on x86-64"
  exit 0
fi
report=$($CC -std=c11 -O3 -ffp-contract=off -fno-trapping-math -fno-math-errno -Iinclude -Isrc \
  -fopt-info-vec-optimized -c src/eval/loops.c -o /dev/null 2>&1) || exit 1
bad=0
for line in $(grep -n '^FN[123C](' src/eval/functions.def | cut -d: -f1); do
  case $(sed -n "${line}p" src/eval/functions.def) in
  *FLOOR* | *max_bool*) widths="" ;;
  *sin_f32*) widths="32 64" ;;
  *) widths="16 32 64" ;;
  esac
  for bytes in $widths; do
    if ! echo "$report" | grep -q "functions.def:$line:.*vectorized using $bytes byte"; then
      echo "no $bytes-byte vectors: $(sed -n "${line}p" src/eval/functions.def)"
      bad=$((bad + 1))
    fi
  done
done
for line in $(grep -n -e '^OUT[123](' -e 'exp2: vectors' src/eval/loops.def | cut -d: -f1); do
  for bytes in 16 32 64; do
    if ! echo "$report" | grep -q "loops.def:$line:.*vectorized using $bytes byte"; then
      echo "no $bytes-byte vectors: $(sed -n "${line}p" src/eval/loops.def)"
      bad=$((bad + 1))
    fi
  done
done
[ $bad = 0 ]
