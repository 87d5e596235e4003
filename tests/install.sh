#!/bin/sh
# install.sh BUILD - whether others can use the library: installed into an empty prefix, through
# pkg-config, as one file, from the tarball; and whether man pages, completion, the C code of the
# documents and API documentation say what is so. From the project's root. The last line is
# "install: N passed, N failed".
set -u
mkdir -p "$1"
build=$(cd "$1" && pwd)
MAKE=${MAKE:-make}
CC=${CC:-cc}
dir=$build/install
prefix=$dir/prefix
rm -rf "$dir"
mkdir -p "$dir"
# `make test` runs this inside of a make, whose options are not meant for those started here.
unset MAKEFLAGS MFLAGS MAKELEVEL DESTDIR PREFIX BUILD
PKG_CONFIG_PATH=$prefix/lib/pkgconfig
LD_LIBRARY_PATH=$prefix/lib
export PKG_CONFIG_PATH LD_LIBRARY_PATH
strict="-std=c11 -Wall -Wextra -Wpedantic -Werror"
uopc=$prefix/bin/uopc
commands="check fmt run graph stats rewrite rules"
passed=0
failed=0

check() { # check NAME COMMAND…: one test, that a command succeeds
  name=$1
  shift
  if "$@" >"$dir/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "failed: $name"
    tail -n 30 "$dir/log"
  fi
}

have() { # have PROGRAM WHAT: if not, what is left out is said
  command -v "$1" >/dev/null 2>&1 || { echo "no $1: $2 not looked at"; false; }
}

quiet_make() { $MAKE -s -j2 BUILD="$build" CC="$CC" "$@"; }
block() { sed -n "/^\`\`\`$1\$/,/^\`\`\`\$/p" "$2" | grep -v '^```'; } # block LANGUAGE FILE
files_under() { find "$1" ! -type d; }

# ---- the programs, and what they print ----

block c README.md | sed '/^uop_scope s = /,$d' >"$dir/ten.c"
cat >"$dir/ten.want" <<'END'
%0 = param : slot=0 dtype=f32 shape=(3,)
%1 = reshape 2.0, (1,)
%2 = expand %1, (3,)
%3 = mul %0, %2
%4 = exp2 %0
%5 = add %3, %4

END
block c docs/tutorial.md >"$dir/tutorial.c"
block output docs/tutorial.md >"$dir/tutorial.want"
block c docs/rewriting.md >"$dir/rewriting.c"
block output docs/rewriting.md >"$dir/rewriting.want"
cp tests/header_cxx.cc "$dir"

compile_run() { # compile_run NAME WANT COMPILER…: the program prints what it should
  program=$dir/$1 want=$dir/$2.want
  shift 2
  "$@" -o "$program" && "$program" >"$program.out" && diff "$want" "$program.out"
}

# ---- installed ----

shared() { # shared PROGRAM: it finds the library by the name that says its binary interface
  compile_run "$1" "$1" $CC $strict "$dir/$1.c" $(pkg-config --cflags --libs uop) &&
    readelf -d "$dir/$1" | grep -q 'NEEDED.*libuop\.so\.0\]'
}

static() { # static PROGRAM: libc too, so that a missing -lm would show
  compile_run "$1-static" "$1" $CC $strict -static "$dir/$1.c" $(pkg-config --static --cflags --libs uop)
}

layout() { # the shared library's names, and one version everywhere
  version=$(sed -n 's/^#define UOP_VERSION "\([^"]*\)".*/\1/p' include/uop.h)
  [ "$(readlink "$prefix/lib/libuop.so")" = libuop.so.0 ] &&
    [ "$(readlink "$prefix/lib/libuop.so.0")" = "libuop.so.$version" ] &&
    [ "$(pkg-config --modversion uop)" = "$version" ] && [ "$("$uopc" --version)" = "uopc $version" ]
}

declared() { sed -n 's/^UOP_API [^(]*[ *]\(uop_[a-z0-9_]*\)(.*/\1/p' include/uop.h | LC_ALL=C sort; }

exports() { # exports LIBRARY: it exports the functions of uop.h, and nothing else
  declared >"$dir/declared"
  [ -s "$dir/declared" ] || return 1
  nm -D --defined-only "$1" | sed 's/.* //' | LC_ALL=C sort | diff "$dir/declared" -
}

prefixed() { # a static library has no hidden names: all of them begin with uop_ or uopi_
  ! nm -g --defined-only "$prefix/lib/libuop.a" | grep ' [A-Z] ' | grep -v ' uopi\{0,1\}_'
}

uninstalls() {
  quiet_make uninstall PREFIX="$prefix" && [ -z "$(files_under "$prefix")" ]
}

elsewhere() { # a blank in DESTDIR, other folders, and nothing left there either
  where="$dir/else where"
  set -- DESTDIR="$where" PREFIX=/opt/u libdir=/opt/u/lib/x includedir=/inc
  quiet_make install "$@" || return 1
  [ -f "$where/opt/u/lib/x/libuop.a" ] && [ -f "$where/inc/uop.h" ] &&
    grep -qx 'libdir=${prefix}/lib/x' "$where/opt/u/lib/x/pkgconfig/uop.pc" &&
    grep -qx 'includedir=/inc' "$where/opt/u/lib/x/pkgconfig/uop.pc" &&
    quiet_make uninstall "$@" && [ -z "$(files_under "$where")" ]
}

check install quiet_make install PREFIX="$prefix"
check "names and versions" layout
check "README's program, shared" shared ten
check "README's program, static" static ten
check "tutorial, shared" shared tutorial
check "tutorial, static" static tutorial
check "rewriting, shared" shared rewriting
check "rewriting, static" static rewriting
check "exported functions" exports "$prefix/lib/libuop.so"
check "names in libuop.a" prefixed
check "other folders" elsewhere

# ---- man pages and completion ----

options() { # options COMMAND: those that its help lists
  "$uopc" help "$1" | sed -n '/^options:/,/^$/s/^  \( *-[-a-z, ]*\).*/\1/p' | tr -s ' ,' '\n\n' |
    grep '^-' | LC_ALL=C sort -u
}

in_man_page() { # in_man_page COMMAND: it and its options, in the page as it is read
  backspace=$(printf '\b')
  mandoc -T ascii man/uopc.1 | sed "s/.$backspace//g" >"$dir/uopc.1"
  for word in "$1" $(options "$1"); do
    grep -q -e "^ *$word " -e "^ *$word\$" -e "^ *-., $word" -e "^ *$word[,=]" -e "^ *--svg, $word" \
      "$dir/uopc.1" || { echo "uopc.1 lacks $word"; return 1; }
  done
}

in_bash() { # in_bash COMMAND: what is offered is what there is
  bash -c '. completions/uopc.bash
    COMP_WORDS=(uopc "$1" -) COMP_CWORD=2
    _uopc
    printf "%s\n" "${COMPREPLY[@]}"' bash "$1" | LC_ALL=C sort >"$dir/offered"
  options "$1" | diff - "$dir/offered"
}

in_zsh() { # in_zsh COMMAND: by its text, as completion in zsh needs a terminal
  grep -q "'$1:" completions/_uopc || return 1
  for word in $(options "$1"); do
    grep -q -e "[{,)'*]$word[]}[,']" completions/_uopc || { echo "_uopc lacks $word"; return 1; }
  done
}

functions_in_man_page() { # all of uop.h, and nothing that is not there
  grep -o '^\.Fn uop_[a-z0-9_]*' man/uop.3 | sed 's/.* //' | LC_ALL=C sort -u >"$dir/named"
  { # uop_v and uop_val_same are behind UOP_V; three macros have no function of their name
    declared
    sed -n 's/^static inline [^(]*[ *]\(uop_[a-z0-9_]*\)(.*/\1/p' include/uop.h |
      grep -v -x -e uop_v -e uop_val_same
    printf '%s\n' uop_stack uop_index uop_call
  } | LC_ALL=C sort -u | diff - "$dir/named"
}

check "functions in uop.3" functions_in_man_page
if have mandoc "the man pages"; then
  check "man pages are clean" mandoc -T lint -W warning man/uopc.1 man/uop.3
  for c in $commands; do check "$c in uopc.1" in_man_page "$c"; done
fi
for c in $commands; do
  [ -z "$(options "$c")" ] && check "options of $c" false
  check "completion of $c in zsh" in_zsh "$c"
done
if have bash "its completion"; then
  for c in $commands; do check "completion of $c in bash" in_bash "$c"; done
fi
if command -v zsh >/dev/null 2>&1; then check "_uopc is zsh" zsh -n completions/_uopc; fi
if have doxygen "make docs"; then check "API documentation" quiet_make docs; fi
check uninstall uninstalls

# ---- one file ----

one=$build/amalgamation
one_file() { # one_file COMPILER OPTION: without a warning, exporting the same functions
  $1 $strict $2 -ffp-contract=off -fPIC -fvisibility=hidden -c "$one/uop.c" -o "$one/uop.o" &&
    $1 -shared "$one/uop.o" -o "$one/libuop.so" -lm && exports "$one/libuop.so"
}
one_file_goldens() { # the command on top of it does what it does
  $CC -std=c11 -D_POSIX_C_SOURCE=200809L -O0 -I"$one" cli/*.c "$one/uop.o" -o "$one/uopc" -lm &&
    quiet_make "$build/tests/golden" && "$build/tests/golden" "$one/uopc" tests/golden
}
one_file_cxx() { # uop.c is C, its users may be C++
  g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -I"$one" "$dir/header_cxx.cc" "$one/uop.o" -o "$one/cxx" -lm &&
    "$one/cxx"
}

check amalgamation quiet_make amalgamation
if have clang "the amalgamation with it"; then check "amalgamation, clang" one_file clang -O0; fi
check "amalgamation, $CC" one_file "$CC" -O1 # some of gcc's warnings come with optimisation
check "README's program, amalgamation" compile_run one ten $CC $strict -I"$one" "$dir/ten.c" "$one/uop.o" -lm
check "C++17, amalgamation" one_file_cxx
check "golden files, amalgamation" one_file_goldens

# ---- the tarball ----

# As of the tree as it is: with an index of our own, in which all is added that is not ignored.
as_if_added() {
  objects=$(cd "$(git rev-parse --git-path objects)" && pwd) || return 1 # of a linked tree too
  mkdir -p "$dir/objects"
  GIT_INDEX_FILE=$dir/index GIT_OBJECT_DIRECTORY=$dir/objects GIT_ALTERNATE_OBJECT_DIRECTORIES=$objects \
    "$@"
}
tarball() {
  as_if_added git add -A . && as_if_added quiet_make dist
}
same_bytes() {
  cp "$tar" "$dir/first.tar.gz" && (umask 077 && tarball) && cmp "$tar" "$dir/first.tar.gz"
}
unpacked() { # builds where nothing else is
  mkdir "$dir/unpacked" && (cd "$dir/unpacked" && tar xzf "$tar" && cd uopc-*/ &&
    $MAKE -s -j2 CC="$CC" CFLAGS=-O0 build/uopc && build/uopc run examples/lesson_sharing.uir)
}

tar=$build/uopc-$(sed -n 's/^#define UOP_VERSION "\([^"]*\)".*/\1/p' include/uop.h).tar.gz
if git rev-parse --show-cdup >"$dir/cdup" 2>/dev/null && [ -z "$(cat "$dir/cdup")" ]; then
  check dist tarball
  check "dist again" same_bytes
  check "dist builds" unpacked
else
  echo "no git checkout: make dist not looked at"
fi

echo "install: $passed passed, $failed failed"
[ $failed = 0 ]
