#!/bin/sh
# deps.sh [docs | cross | prove | examples | wasm | web] - installs what the tests need where it is
# missing: cmocka, g++, pkg-config, a reader of man pages and the sources of a locale; for `make docs`
# Doxygen; for tests/cross.sh the cross compilers and an emulator; for `make prove` z3; for `make
# examples-data` numpy and the images; for `make wasm` clang's WebAssembly and Node; for `make
# test-web` a browser, too.
# As root it installs Debian's packages; otherwise it prints the one command to type.
set -u
packages=""
need() { # need PROGRAM PACKAGE
  command -v "$1" >/dev/null 2>&1 || packages="$packages $2"
}
if [ "${1:-}" = docs ]; then
  need doxygen doxygen
elif [ "${1:-}" = cross ]; then
  need s390x-linux-gnu-gcc "gcc-s390x-linux-gnu libc6-dev-s390x-cross"
  need arm-linux-gnueabihf-gcc "gcc-arm-linux-gnueabihf libc6-dev-armhf-cross"
  need qemu-arm qemu-user
elif [ "${1:-}" = prove ]; then
  need z3 z3
elif [ "${1:-}" = wasm ]; then
  need clang-14 clang-14
  need wasm-ld lld
  [ -e /usr/lib/wasm32-wasi/libc.a ] || packages="$packages wasi-libc"
  [ -e /usr/lib/llvm-14/lib/clang/14.0.6/lib/wasi/libclang_rt.builtins-wasm32.a ] ||
    packages="$packages libclang-rt-14-dev-wasm32"
  need node nodejs
  need npm npm
elif [ "${1:-}" = web ]; then
  need node nodejs
  need npm npm
  need chromium chromium
  ls -d /usr/share/fonts/truetype/liberation* >/dev/null 2>&1 || packages="$packages fonts-liberation"
elif [ "${1:-}" = examples ]; then
  "$PYTHON" -c 'import numpy' 2>/dev/null || packages="$packages python3-numpy"
  [ -e "$FASHION" ] || packages="$packages dataset-fashion-mnist"
else
  printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <cmocka.h>\n' |
    ${CC:-cc} -E - >/dev/null 2>&1 || packages="$packages libcmocka-dev"
  need g++ g++
  need pkg-config pkg-config
  need mandoc mandoc
  [ -e /usr/share/i18n/locales/de_DE ] || packages="$packages locales"
fi
[ -z "$packages" ] && exit 0
install="apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends$packages"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  apt-get -o DPkg::Lock::Timeout=300 update -qq && DEBIAN_FRONTEND=noninteractive $install >/dev/null && exit 0
  echo "could not install$packages" >&2
  exit 1
fi
echo "these packages are missing:$packages. Type:" >&2
echo "  sudo $install" >&2
exit 1
