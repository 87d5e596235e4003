#!/bin/sh
# exhaustive.sh PROGRAM FILE [N] - runs PROGRAM (tests/exhaustive.c) and puts its table at the end of
# FILE, over the one that is there; bench/bench.sh keeps that section. The file stays as it is where
# a result is wrong.
set -eu
program=$1 file=$2 every=${3:-1}
title='## Every f32'
table=$("$program" "$every" 2) || { echo "$table"; exit 1; }
new=$file.new
trap 'rm -f "$new"' EXIT
{
  awk -v title="$title" '$0 == title { exit } /^$/ { blank++; next }
    { for (; blank; blank--) print ""; print }' "$file"
  cat <<END

$title

Written by \`make test-exhaustive\`, $(date -u +%Y-%m-%d): the functions of one float, as the evaluator computes
them, of $([ "$every" = 1 ] && echo "all 2^32 floats" || echo "every ${every}th float"). What they are compared with is said in
[tests/exhaustive.c](../tests/exhaustive.c).

$table
END
} >"$new"
cat "$new" >"$file"
echo "$table"
