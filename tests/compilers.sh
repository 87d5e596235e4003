#!/bin/sh
# compilers.sh DIR - the same bits from every compiler and at every level: the library built by gcc
# without optimisation and by clang with it computes the tables of tests/oracle, and agrees with the
# plain evaluator built by the other one. (The suite's own builds are gcc's -O1 and -O3; cross.sh has
# other machines.) The last line is "compilers: N passed, N failed".
set -u
dir=$1
flags="-std=c11 -ffp-contract=off -fno-trapping-math -fno-math-errno -D_GNU_SOURCE -Iinclude -Isrc -Itests"
mkdir -p "$dir"
passed=0 failed=0

# build NAME CC LEVEL OTHER_CC OTHER_LEVEL: the library by the first, the tests by the second
build() {
  mkdir -p "$dir/$1"
  for f in src/*/*.c; do echo "$2 $flags $3 -c $f -o $dir/$1/$(echo "$f" | tr / _).o"; done |
    xargs -P 2 -I {} sh -c '{}' || return 1
  for t in test_oracle test_evaluators; do
    # shellcheck disable=SC2086
    $4 $flags $5 tests/$t.c tests/support/*.c tests/plain/*.c "$dir/$1"/*.o -lcmocka -lm \
      -o "$dir/$1/$t" || return 1
  done
}

try() { # NAME TEST ARGUMENTS…
  name=$1 test=$2
  shift 2
  if "$dir/$name/$test" "$@" >"$dir/$name/$test.log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    tail -n 20 "$dir/$name/$test.log"
    echo "$test fails as built by $name"
  fi
}

both() { # NAME CC LEVEL OTHER_CC OTHER_LEVEL
  if build "$@"; then
    try "$1" test_oracle
    try "$1" test_evaluators 3000
  else
    failed=$((failed + 2))
  fi
}

if command -v clang >/dev/null 2>&1; then
  both clang_O2 clang -O2 gcc -O1
  both gcc_O0 gcc -O0 clang -O1
else
  echo "no clang here: not tested"
fi
echo "compilers: $passed passed, $failed failed"
[ $failed = 0 ]
