# steps.sh - what scripts that run many tests share; they source it, after they have set `log`, the
# folder for what tests print, and end with closing_line. Sums are in `passed` and `failed`.
passed=0
failed=0

sum_of() { # sum_of LOG: the two numbers of its last line, "… N passed, N failed"; without them, 0 1
  sums=$(tail -n 1 "$1" |
    sed -n 's/^\(.* \)\{0,1\}\([0-9][0-9]*\) [a-z]*, \([0-9][0-9]*\) [a-z]*$/\2 \3/p')
  echo "${sums:-0 1}"
}

add_sums() { # add_sums PASSED FAILED
  passed=$((passed + $1))
  failed=$((failed + $2))
}

count() { # count PASSED FAILED NAME LOG
  add_sums "$1" "$2"
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
  set -- $(sum_of "$log/$name.log")
  if [ $status != 0 ] && [ "$2" = 0 ]; then set -- "$1" 1; fi
  count "$1" "$2" "$name" "$log/$name.log"
}

closing_line() { # the status is that of all
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
