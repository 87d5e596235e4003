#!/bin/sh
# dist.sh VERSION FILE - packs the files that git tracks, as they are in the tree. The same tree gives
# the same bytes: names in one order, no owners, modes without the umask, and for all files the time
# of the last commit (or SOURCE_DATE_EPOCH). Needs GNU tar.
set -eu
git ls-files --error-unmatch Makefile >/dev/null # an unpacked tarball inside of another's repository
left=$(git ls-files --others --exclude-standard)
[ -z "$left" ] || printf 'dist: not tracked, so left out: %s\n' $left >&2
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
git ls-files -z | LC_ALL=C sort -z |
  tar --null --files-from=- --transform="flags=r;s,^,uopc-$1/," --format=ustar --mtime="@$time" \
    --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --create --file="$2.tar"
gzip -n -9 <"$2.tar" >"$2"
rm "$2.tar"
echo "$2"
