#!/bin/sh
# layers.sh - a folder of src/ includes only from folders before it in the data's way; the command
# includes nothing but uop.h and its own headers.
set -u
order="base alu ir graph text eval rewrite symbolic lower render runtime grad tensor"
bad=0
seen=""
for dir in $order; do
  seen="$seen $dir"
  [ -d "src/$dir" ] || continue
  for line in $(grep -Ho '#include "[a-z]*/[^"]*"' "src/$dir"/* | tr ' ' '|'); do
    file=${line%%:*}
    to=$(echo "$line" | sed 's/.*"\([a-z]*\)\/.*/\1/')
    case " $seen " in
    *" $to "*) ;;
    *) echo "$file includes from src/$to, which comes after src/$dir"; bad=$((bad + 1)) ;;
    esac
  done
done
if grep -Hn '#include "[a-z]*/' cli/*.[ch]; then
  echo "the command goes through uop.h alone"
  bad=$((bad + 1))
fi
[ $bad = 0 ]
