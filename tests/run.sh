#!/bin/sh
# run.sh - all tests, from the project's root: `make test`; with WEB=1 those of `make test-web` too.
# Prints a line a step, what failed in full, and last "N passed, N failed". Two lanes run side by
# side, since most steps keep one core busy: the other machines and the web, and all the rest.
set -u
BUILD=${BUILD:-build}
MAKE=${MAKE:-make}
CC=${CC:-cc}
log=$BUILD/test-logs
mkdir -p "$log"
. tests/steps.sh

unit() { # unit NAME: a cmocka program
  "$BUILD/asan/tests/$1" >"$log/$1.log" 2>&1
  status=$?
  p=$(sed -n 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log/$1.log" | tail -n 1)
  f=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test.*/\1/p' "$log/$1.log" | tail -n 1)
  p=${p:-0}
  f=${f:-0}
  if [ $status != 0 ] && [ "$f" = 0 ]; then f=1; fi
  if [ $((p + f)) = 0 ]; then f=1; fi
  count "$p" "$f" "$1" "$log/$1.log"
}

if ! $MAKE -j2 unit-tests BUILD="$BUILD" CC="$CC" >"$log/build.log" 2>&1; then
  cat "$log/build.log"
  echo "0 passed, 1 failed"
  exit 1
fi
step warnings sh -c '! grep -E "warning:" '"$log/build.log"

lane_beside() { # in a shell of its own; its last line is its sum
  passed=0 failed=0
  closing cross sh tests/cross.sh "$BUILD"
  if [ -n "${WEB:-}" ]; then closing web "$MAKE" -s test-web BUILD="$BUILD"; fi
  closing_line
}
# Installed before, since two installations at once get in each other's way.
if [ -n "${WEB:-}" ]; then tests/deps.sh wasm && tests/deps.sh web; fi
lane_beside >"$log/beside.log" 2>&1 &
trap 'trap - INT; kill 0; exit 130' INT # which a lane in the background does not get

step layers sh tests/layers.sh
step generated sh tests/generated.sh "$BUILD" "$MAKE"
step header-c "$CC" -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude tests/header_c.c \
  "$BUILD/libuop.a" -o "$BUILD/tests/header_c" -lm
step header-c-run "$BUILD/tests/header_c"
step header-cxx g++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude tests/header_cxx.cc "$BUILD/libuop.a" \
  -o "$BUILD/tests/header_cxx" -lm
step header-cxx-run "$BUILD/tests/header_cxx"
if command -v clang >/dev/null 2>&1; then
  step clang sh -c 'clang -std=c11 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Iinclude \
    -Isrc -fsyntax-only tests/header_c.c src/*/*.c'
fi
# A locale whose decimal point is a comma: nothing may change under it.
if mkdir -p "$BUILD/locale" && localedef -i de_DE -f UTF-8 "$BUILD/locale/de_DE.UTF-8" 2>"$log/locale.log"; then
  LOCPATH=$(cd "$BUILD/locale" && pwd)
  UOP_TEST_LOCALE=de_DE.UTF-8
  export LOCPATH UOP_TEST_LOCALE
else
  count 0 1 locale "$log/locale.log"
fi
for t in tests/test_*.c; do unit "$(basename "$t" .c)"; done
closing threads "$BUILD/tests/threads"
rm -rf "$BUILD/command_memory"
mkdir "$BUILD/command_memory"
closing command_memory "$BUILD/asan/tests/command_memory" "$BUILD/command_memory"
step command_limits sh tests/command_limits.sh "$BUILD/uopc" "$BUILD/command_memory"
rm -rf "$BUILD/command_watch"
mkdir "$BUILD/command_watch"
closing command_watch "$BUILD/tests/command_watch" "$BUILD/asan/uopc" "$BUILD/command_watch"
closing golden "$BUILD/tests/golden" "$BUILD/asan/uopc" tests/golden
step exhaustive "$BUILD/tests/exhaustive" 1009
step vectorised sh tests/vectorised.sh
closing prove sh tests/prove.sh "$BUILD" "$MAKE"
step ops-have-goldens sh tests/ops_have_goldens.sh
step cases sh tests/cases.sh
step demo sh tools/demo.sh "$BUILD/uopc"
step deep sh tests/deep.sh "$BUILD/tests/deep" 1000000
rm -rf "$BUILD/examples"
mkdir "$BUILD/examples"
closing examples sh tests/examples.sh "$BUILD/uopc" "$BUILD/examples"
closing compilers sh tests/compilers.sh "$BUILD/compilers"
closing faults sh tests/faults.sh "$BUILD/faults"
closing install sh tests/install.sh "$BUILD"
wait
sed '$d' "$log/beside.log"
add_sums $(sum_of "$log/beside.log")
closing_line
