#!/bin/sh
# cross.sh BUILD - the golden files on a big-endian and on a 32-bit machine, emulated: the same text,
# byte for byte. Needs Debian's cross compilers and qemu-user (`tests/deps.sh cross` installs them); a
# machine without them is told so, and nothing is tested.
set -u
build=$1
dir=$build/cross
mkdir -p "$dir"
passed=0
failed=0
# Where a platform's -std=c11 computes floats in double (s390x), GNU's dialect does not.
for target in "s390x-linux-gnu qemu-s390x gnu11" "arm-linux-gnueabihf qemu-arm c11"; do
  set -- $target
  if ! command -v "$1-gcc" >/dev/null 2>&1 || ! command -v "$2" >/dev/null 2>&1; then
    echo "no $1-gcc or $2 here: not tested (tests/deps.sh cross)"
    continue
  fi
  "$1-gcc" "-std=$3" -O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -ffp-contract=off \
    -fno-trapping-math -fno-math-errno -D_POSIX_C_SOURCE=200809L -Iinclude -Isrc -static \
    src/*/*.c cli/*.c -lm -o "$dir/uopc-$1" || { failed=$((failed + 1)); continue; }
  printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$2" "$(cd "$dir" && pwd)/uopc-$1" >"$dir/run-$1"
  chmod +x "$dir/run-$1"
  "$build/tests/golden" "$dir/run-$1" tests/golden >"$dir/log" 2>&1
  last=$(tail -n 1 "$dir/log" | sed -n 's/^golden: \([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p')
  last=${last:-0 1}
  [ "${last#* }" = 0 ] || cat "$dir/log"
  passed=$((passed + ${last% *}))
  failed=$((failed + ${last#* }))
done
echo "cross: $passed passed, $failed failed"
[ $failed = 0 ]
