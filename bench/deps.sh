#!/bin/sh
# deps.sh - the programs and libraries that `make bench` measures against: Z3's C API, LLVM 14's
# llvm-as and opt, MLIR 14's mlir-opt, numpy.
#   deps.sh check   says which are missing; exits 1 where any is
#   deps.sh         installs those (Debian, as root), or prints the one command to type
set -u
missing=""
need() { missing="$missing $1"; }
printf '#include <z3.h>\n' | ${CC:-cc} -E - >/dev/null 2>&1 || need libz3-dev
command -v llvm-as-14 >/dev/null 2>&1 && command -v opt-14 >/dev/null 2>&1 || need llvm-14
command -v mlir-opt-14 >/dev/null 2>&1 || need mlir-14-tools
"${PYTHON:-/usr/bin/python3}" -c 'import numpy' 2>/dev/null || need python3-numpy
[ -z "$missing" ] && exit 0
if [ "${1-}" = check ]; then
  echo "bench: missing:$missing. Type: make bench-deps" >&2
  exit 1
fi
apt="apt-get -o DPkg::Lock::Timeout=300"
install="$apt install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  $apt update -qq && DEBIAN_FRONTEND=noninteractive $install >/dev/null && exit 0
  echo "bench: could not install$missing" >&2
  exit 1
fi
echo "bench: these packages are missing:$missing. Type:" >&2
echo "  sudo $install" >&2
exit 1
