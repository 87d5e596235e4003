#!/bin/sh
# deps.sh - installs what the tests need where it is missing: cmocka. As root it installs Debian's
# package; otherwise it prints the one command to type.
set -u
packages=""
printf '#include <stdarg.h>\n#include <stddef.h>\n#include <setjmp.h>\n#include <stdint.h>\n#include <cmocka.h>\n' |
  ${CC:-cc} -E - >/dev/null 2>&1 || packages="$packages libcmocka-dev"
command -v g++ >/dev/null 2>&1 || packages="$packages g++"
[ -z "$packages" ] && exit 0
install="apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends$packages"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  apt-get -o DPkg::Lock::Timeout=300 update -qq && DEBIAN_FRONTEND=noninteractive $install >/dev/null && exit 0
  echo "tests: could not install$packages" >&2
  exit 1
fi
echo "tests: these packages are missing:$packages. Type:" >&2
echo "  sudo $install" >&2
exit 1
