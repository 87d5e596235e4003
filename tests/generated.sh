#!/bin/sh
# generated.sh BUILD MAKE - what is made from the op table is up to date in the tree.
set -eu
"$2" -s "$1/generate" BUILD="$1"
cp include/uop.h "$1/uop.h.new"
"$1/generate" enum "$1/uop.h.new"
cmp include/uop.h "$1/uop.h.new"
"$1/generate" docs | cmp - docs/ops.md
