#!/bin/sh
# command_limits.sh UOPC FOLDER - devices that are full, and the longest files that the command reads. One past the limit they
# are refused unread; at it they are read, to which end memory is asked for, here more than there
# is. The files are sparse and take no room.
set -eu
uopc=$(realpath "$1")
cd "$2"

expect() { # expect MESSAGE ARGUMENTS…: a run with at most 512 MiB that fails with this message
  message=$1
  shift
  if got=$(ulimit -v 524288 && "$uopc" "$@" 2>&1); then echo "uopc $*: no failure"; exit 1; fi
  if [ "$got" != "$message" ]; then printf '%s\n' "uopc $*:" "$got" "expected:" "$message"; exit 1; fi
}

truncate -s 1073741824 at.uir
truncate -s 1073741825 past.uir
truncate -s 8590983168 at.npy
truncate -s 8590983169 past.npy
expect "uopc: error: can't read 'at.uir': out of memory" check at.uir
expect "uopc: error: can't read 'past.uir': longer than 1073741824 bytes, the most that is read" check past.uir
for f in at past; do
  case $f in at) why='out of memory' ;; past) why='longer than 8590983168 bytes, the most that is read' ;; esac
  expect "uopc: error: can't read '$f.npy': $why" run -e '%a = param 0' --param "0=@$f.npy"
done
truncate -s 268435457 past.rules
expect "uopc: error: can't read 'past.rules': longer than 268435456 bytes, the most that is read" rules --check past.rules
rm at.uir past.uir at.npy past.npy past.rules

# What was asked for on standard error does not get there: the exit status says so, if nothing can.
for c in 'rewrite --set i32 --trace' 'rewrite --set i32 --count' 'simplify --trace' 'simplify --count' \
  'simplify --stats' 'run --fill 1 --time'; do
  # shellcheck disable=SC2086
  "$uopc" $c -e '%x = param 0 dtype=i32' -e '%y = add (add %x 0) 1' >/dev/null 2>&1
  if "$uopc" $c -e '%x = param 0 dtype=i32' -e '%y = add (add %x 0) 1' >/dev/null 2>/dev/full; then
    echo "uopc $c: fine, and what it had to say is lost"
    exit 1
  fi
done
