#!/bin/sh
# demo.sh UOPC - what `make run` shows: two programs, checked, printed, counted and run.
set -eu
uopc=$1

show() { # show ARGUMENTS…: the command as one would type it, and what it prints
  echo "\$ uopc $*"
  "$uopc" "$@"
  echo
}

check() { # check FILE: it prints nothing, which takes a word of explanation
  echo "\$ uopc check $1"
  "$uopc" check "$1"
  echo "# nothing is printed: all is well"
  echo
}

program() { # program FILE SENTENCE
  echo "# $2"
  echo "\$ cat $1"
  cat "$1"
  echo
}

cd "$(dirname "$0")/.."
case $uopc in /*) ;; *) uopc=$OLDPWD/$uopc ;; esac

program examples/lesson_sharing.uir "Two of the three names are one node: what is built alike is the same."
check examples/lesson_sharing.uir
show fmt examples/lesson_sharing.uir
show stats examples/lesson_sharing.uir
show run examples/lesson_sharing.uir

program examples/gemm_256x256.uir "Buffers, movement and a reduction; broadcasting is written out as two expands."
check examples/gemm_256x256.uir
show fmt examples/gemm_256x256.uir
show stats examples/gemm_256x256.uir
show run --fill 1 examples/gemm_256x256.uir
echo "# More programs are in examples/; uopc help says what else there is."
