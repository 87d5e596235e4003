#!/bin/sh
# examples.sh UOPC - every program in examples/ is without errors and warnings, and the command that
# its first lines name (`uopc run … NAME.uir`) runs. From the project's root. The last line is
# "examples: N passed, N failed".
set -u
case $1 in /*) uopc=$1 ;; *) uopc=$PWD/$1 ;; esac
cd examples || exit 1
passed=0
failed=0

expect() { # expect NAME STATUS OUTPUT: one test, that the status is 0
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'failed: %s\n%s\n' "$1" "$3"
  fi
}

for file in *.uir; do
  said=$("$uopc" check "$file" 2>&1)
  [ -z "$said" ]
  expect "uopc check $file" $? "$said"
  arguments=$(sed -n 's/^#.*uopc \(run .*\.uir\).*/\1/p' "$file")
  [ -n "$arguments" ] || continue
  said="it names another file"
  [ "${arguments##* }" = "$file" ] && said=$(eval "'$uopc' $arguments" 2>&1)
  expect "uopc $arguments, in $file" $? "$said"
done
echo "examples: $passed passed, $failed failed"
[ $failed = 0 ]
