#!/bin/sh
# examples.sh UOPC FOLDER - every program in examples/ is without errors and warnings, and the command
# that its first lines name (`uopc run … NAME.uir`) runs. In docs/rewriting.md, a block of rules is
# my.rules from there on, one of uir is prog.uir, and one of console is what its commands print. And
# what `uopc rules` shows is a rule file with the rules of the set. From the project's root, with an
# empty folder. The last line is "examples: N passed, N failed".
set -u
case $1 in /*) uopc=$1 ;; *) uopc=$PWD/$1 ;; esac
root=$PWD
folder=$(cd "$2" && pwd) || exit 1
PATH=$(dirname "$uopc"):$PATH # the blocks say `uopc`
cd examples || exit 1
passed=0
failed=0

expect() { # expect NAME STATUS OUTPUT: one test, that the status is 0
  if [ "$2" = 0 ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'failed: %s\n%s\n' "$1" "$3"
  fi
}

for file in *.uir; do
  said=$("$uopc" check "$file" 2>&1)
  [ -z "$said" ]
  expect "uopc check $file" $? "$said"
  arguments=$(sed -n 's/^#.*uopc \(run .*\.uir\).*/\1/p' "$file")
  [ -n "$arguments" ] || continue
  said="it names another file"
  [ "${arguments##* }" = "$file" ] && said=$(eval "'$uopc' $arguments" 2>&1)
  expect "uopc $arguments, in $file" $? "$said"
done

# ---- docs/rewriting.md ----

cd "$folder" || exit 1
awk '/^```(rules|uir|console)$/ { kind = substr($0, 4); n++; next }
     /^```/ { kind = ""; next }
     kind != "" { print > sprintf("%03d.%s", n, kind) }' "$root/docs/rewriting.md"
[ "$(ls | wc -l)" -gt 30 ]
expect "docs/rewriting.md has its blocks" $? "$(ls)"
for block in [0-9]*; do
  case $block in
  *.rules) cp "$block" my.rules ;;
  *.uir) cp "$block" prog.uir ;;
  *.console)
    grep '^\$ ' "$block" | while read -r dollar command; do
      echo "$dollar $command"
      eval "$command" 2>&1
    done >"$block.got"
    said=$(diff "$block" "$block.got")
    expect "docs/rewriting.md, block ${block%.console}" $? "$said"
    ;;
  esac
done

# ---- what `uopc rules` shows ----

use() { # use ARGUMENTS…: what they make of programs, and with which rules
  for program in "$root"/examples/*.uir "$root"/tests/golden/rewrite/*.uir; do
    uopc rewrite "$@" --count "$program" 2>&1
  done
}
same() { # same SET FILE COUNT: a file of so many rules, without a warning, that does what the set does
  [ -z "$(uopc rules --check "$2" 2>&1)" ] && [ "$(grep -c '^[a-z_0-9]*:' "$2")" = "$3" ] &&
    [ "$(awk 'length > 100' "$2")" = "" ] && use --set "$1" >"$1.set" && use --rules "$2" | diff "$1.set" -
}
uopc rules >sets
[ -s sets ]
expect "uopc rules" $? ""
while read -r set count _; do
  uopc rules "$set" >"$set.shown"
  said=$(same "$set" "$set.shown" "$count" 2>&1)
  expect "uopc rules $set, as a rule file" $? "$said"
  [ "$set" = simplify ] || cat "$set.shown" >>all # which has rules of other sets
done <sets
uopc rules --all >all.shown
said=$(uopc rules --check all.shown 2>&1 && grep -v '^$' all >all.want &&
  grep -v -e '^# ---- ' -e '^$' all.shown | diff - all.want)
[ -z "$said" ]
expect "uopc rules --all" $? "$said"
echo "examples: $passed passed, $failed failed"
[ $failed = 0 ]
