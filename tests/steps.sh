# steps.sh - what scripts that run many tests share; they source it, after they have set `log`, the
# folder for what tests print, and end with closing_line. Sums are in `passed` and `failed`.
passed=0
failed=0

count() { # count PASSED FAILED NAME LOG
  passed=$((passed + $1))
  failed=$((failed + $2))
  printf '%-28s %6d passed, %d failed\n' "$3" "$1" "$2"
  if [ "$2" != 0 ]; then cat "$4"; fi
}

step() { # step NAME COMMAND…: one test, that a command succeeds
  name=$1
  shift
  if "$@" >"$log/$name.log" 2>&1; then count 1 0 "$name" "$log/$name.log"
  else count 0 1 "$name" "$log/$name.log"; fi
}

closing() { # closing NAME COMMAND…: a command that ends with "… N passed, N failed"
  name=$1
  shift
  "$@" >"$log/$name.log" 2>&1
  status=$?
  last=$(tail -n 1 "$log/$name.log" | sed -n 's/^\(.* \)\{0,1\}\([0-9][0-9]*\) [a-z]*, \([0-9][0-9]*\) [a-z]*$/\2 \3/p')
  p=${last% *}
  f=${last#* }
  if [ -z "$last" ]; then p=0 f=1; elif [ $status != 0 ] && [ "$f" = 0 ]; then f=1; fi
  count "$p" "$f" "$name" "$log/$name.log"
}

closing_line() { # the status is that of all
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
