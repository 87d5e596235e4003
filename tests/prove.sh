#!/bin/sh
# prove.sh BUILD MAKE - the record of proofs has every rule as it stands; what took seconds is proved
# again; the semantics that proofs rest on give known values (prove/facts.rules); and wrong rules,
# planted one at a time, are refused, each with its reason (prove/wrong.rules).
set -u
passed=0
failed=0

check() { # check STATUS WHAT
  if [ "$1" = 0 ]; then passed=$((passed + 1)); else
    failed=$((failed + 1))
    echo "failed: $2"
  fi
}

tests/deps.sh prove && "$2" -s "$1/prove" BUILD="$1"
check $? "building it"
log=$1/prove.log

"$1/prove" again src/symbolic/proofs.txt src/symbolic/*.rules >"$log"
check $? "proving again: $(grep -v ': all vectors' "$log")"

"$1/prove" only tests/prove/facts.rules >"$log"
check $? "known values: $(grep refused "$log")"

# A refusal names values, or says that the condition never holds: "unknown" is no refusal.
while read -r line; do
  case $line in '' | '#'*) continue ;; esac
  printf '%s\n' "$line" >"$1/planted.rules"
  ! "$1/prove" only "$1/planted.rules" >"$log" && grep -Eq ': refused: .*(counterexample|never holds)' "$log"
  check $? "$line: $(cat "$log")"
done <tests/prove/wrong.rules

# A rule that changed since its proof is named.
mkdir -p "$1/edited"
cp src/symbolic/*.rules "$1/edited"
sed 's/^mul_1: (mul x:i32 1) -> x$/mul_1: (mul x:i32 1) -> 1/' src/symbolic/i32.rules >"$1/edited/i32.rules"
! "$1/prove" again src/symbolic/proofs.txt "$1"/edited/*.rules >"$log" && grep -q 'mul_1: no entry' "$log"
check $? "an edited rule: $(cat "$log")"

# A rule that calls C names the test that covers it, and the test names the rule.
printf '# Tested: tests/prove.sh\nunnamed_%s: (unary A) -> (!fold)\n' here >"$1/planted.rules"
! "$1/prove" only "$1/planted.rules" >"$log" && grep -q 'does not name' "$log"
check $? "a test that does not name its rule: $(cat "$log")"

echo "proofs: $passed passed, $failed failed"
[ $failed = 0 ]
