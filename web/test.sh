#!/bin/sh
# test.sh - tests of the library as WebAssembly and of the page, from the project's root: `make
# test-web`. The golden files through the command as WebAssembly, floats bit by bit, the package as npm
# packs it, installed into an empty folder, and the page in a real browser. Prints a line a step, and
# last "N passed, N failed".
set -u
BUILD=${BUILD:-build}
dir=$BUILD/web-test
rm -rf "$dir"
mkdir -p "$dir/user" "$dir/types"
dir=$(cd "$dir" && pwd)
root=$PWD
version=$(sed -n 's/^#define UOP_VERSION "\([^"]*\)".*/\1/p' include/uop.h)
tarball=$(cd "$BUILD" && pwd)/uopc-$version.tgz
log=$dir
. tests/steps.sh

node_tests() { # the package's own, as one who installed it runs them
  (cd "$dir/user" && UOPC_GOLDENS=$root/tests/golden node --test --test-reporter=tap .) \
    >"$dir/tap" 2>&1
  status=$?
  cat "$dir/tap"
  p=$(sed -n 's/^# pass //p' "$dir/tap")
  f=$(sed -n 's/^# fail //p' "$dir/tap")
  echo "package: $p passed, $f failed"
  return $status
}

install_package() { # into an empty folder, without the net
  (cd "$dir/user" && npm init -y && npm install --offline --no-audit --no-fund "$tarball") &&
    cp web/package/test/*.mjs "$dir/user"
}

check_types() {
  cp web/package/package.json web/package/package-lock.json "$dir/types" &&
    (cd "$dir/types" && npm ci --no-audit --no-fund) || return 1
  cp web/package/test/usage.mts "$dir/user"
  "$dir/types/node_modules/.bin/tsc" --strict --noEmit --target es2022 --module nodenext \
    --lib es2022,dom "$dir/user/usage.mts"
}

small_enough() { # the bar is 150 KB
  size=$(gzip -9c "$BUILD/package/uop.wasm" | wc -c)
  echo "uop.wasm: $size bytes under gzip -9"
  [ "$size" -lt 150000 ]
}

same_version() { grep -q "\"version\": \"$version\"" web/package/package.json; }
no_registry() { ! grep -n '"resolved"' web/package/package-lock.json web/package-lock.json; }

step web-size small_enough
step web-version same_version
step web-lock no_registry
closing web-goldens node web/test/goldens.mjs "$BUILD/wasm/uopc.wasm" tests/golden
closing web-floats node web/test/floats.mjs "$BUILD/wasm/uopc.wasm" "$BUILD/uopc"
step web-install install_package
closing web-package node_tests
step web-types check_types
closing web-page node web/test/run.mjs "$BUILD/web" "$BUILD/web-screenshots"
closing_line
