#!/bin/sh
# cases.sh - every place that tests/cases.md names is there: a file, and what is named in it.
set -u
places() { sed -n 's/^| *[0-9][0-9]* |.*| \(.*\) |$/\1/p' tests/cases.md; }
rows=$(places | wc -l)
[ "$rows" -gt 0 ] || { echo "tests/cases.md has no rows"; exit 1; }
places | tr ';' '\n' | {
  missing=0
  while read -r file name; do
    case $file in "(later)") continue ;; esac
    grep -qw -- "$name" "tests/$file" && continue
    echo "tests/cases.md: there is no $name in tests/$file"
    missing=$((missing + 1))
  done
  [ $missing = 0 ]
}
