#!/bin/sh
# ops_have_goldens.sh - every op of src/ir/ops.def, and every name of sugar.def, has a golden.
set -u
missing=0
has() { # has FOLDER TEXT…
  folder=$1
  shift
  for text in "$@"; do
    [ -f "tests/golden/$folder/$text.uir" ] && continue
    echo "tests/golden/$folder/$text.uir is missing"
    missing=$((missing + 1))
  done
}
names() { sed -n "s/^$1([A-Z0-9]*, *\"\([a-z0-9]*\)\".*/\1/p" "$2"; }
ops=$(names UOP_ROW src/ir/ops.def)
sugar=$(names UOP_SUGAR src/ir/sugar.def)
[ -n "$ops" ] && [ -n "$sugar" ] || { echo "no ops found"; exit 1; }
has ops $ops
has sugar $sugar
[ $missing = 0 ]
