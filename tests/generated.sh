#!/bin/sh
# generated.sh BUILD MAKE - what is made from the op table, the rule files and the record of their
# proofs is up to date.
set -eu
"$2" -s "$1/generate" BUILD="$1"
cp include/uop.h "$1/uop.h.new"
"$1/generate" enum "$1/uop.h.new"
cmp include/uop.h "$1/uop.h.new"
"$1/generate" docs | cmp - docs/ops.md
"$2" -s "$1/rules" BUILD="$1"
"$1/rules" src/symbolic/*.rules | cmp - src/symbolic/tables.inc
"$2" -s "$1/prove" BUILD="$1"
"$1/prove" docs src/symbolic/proofs.txt src/symbolic/*.rules | cmp - docs/rules.md
