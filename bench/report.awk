# report.awk - the tables of docs/measured.md from the samples that run.sh wrote.
#
# A value is the median of its rounds, with the least and the greatest behind it; a ratio is one of
# medians, and has its bar behind it with "ok" or "MISSED" at the one size that the bars are for.
#
#   awk -v head=FILE -f report.awk SAMPLES

BEGIN { bars_for = 1000000 }

{
  id = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4
  value[id, ++count[id]] = $5 + 0
  if (!($1 in size_known)) { size_known[$1] = 1; sizes[++nsizes] = $1 }
}

function sorted(id,   i, j, v) {
  for (i = 1; i <= count[id]; i++) {
    v = value[id, i]
    for (j = i - 1; j >= 1 && s[j] > v; j--) s[j + 1] = s[j]
    s[j + 1] = v
  }
  return count[id]
}

# The median of a value; -1 where there is none. Sets low and high.
function median(n, w, program, key,   id, c) {
  id = n SUBSEP w SUBSEP program SUBSEP key
  if (!(id in count)) return -1
  c = sorted(id)
  low = s[1]
  high = s[c]
  return c % 2 ? s[(c + 1) / 2] : (s[c / 2] + s[c / 2 + 1]) / 2
}

function short(v) {
  return sprintf(v >= 100 ? "%.0f" : v >= 10 ? "%.1f" : v >= 0.1 ? "%.2f" : "%.4f", v)
}

function cell(n, w, program, key,   m) {
  m = median(n, w, program, key)
  if (m < 0) return "–"
  return low == high ? short(m) : short(m) " (" short(low) "–" short(high) ")"
}

# A ratio; beside its bar where `judged`. `sense` ">": at least; "<": at most.
function verdict(a, b, sense, bar, what,   r, ok, text) {
  if (a < 0 || b <= 0) return "–"
  r = a / b
  if (bar == "" || !judged) return short(r)
  ok = sense == ">" ? r >= bar : r <= bar
  bars++
  if (!ok) missed[++nmissed] = what ": " short(r) ", the bar is " sense " " bar
  return short(r) " " (sense == ">" ? "≥" : "≤") " " bar (ok ? " ok" : " **MISSED**")
}

function z3_bar(w, phase) {
  if (phase == "miss") return 3
  if (phase == "hit") return w == "L" ? 6 : w == "R" ? 5 : 8
  if (phase ~ /^subst/) return 5
  if (phase == "free") return 3
  if (phase ~ /^walk/) return w == "L" ? 0.667 : w == "S" ? 3 : ""
  return ""
}

function core_table(n,   p, np, phases, i, w, ws, key, ours, what) {
  print "| phase | graph | uopc | Z3 | times faster | floor | times as long |"
  print "| --- | --- | ---: | ---: | :--- | ---: | :--- |"
  np = split("miss hit walk walk2 sweep subst subst2 free", phases, " ")
  split("C S L R", ws, " ")
  for (p = 1; p <= np; p++) for (i = 1; i <= 4; i++) {
    key = phases[p]
    w = ws[i]
    ours = median(n, w, "core", key)
    if (ours < 0) continue
    what = n " nodes, " key " " w
    printf "| %s | %s | %s | %s | %s | %s | %s |\n", key, w, cell(n, w, "core", key),
      cell(n, w, "z3", key),
      verdict(median(n, w, "z3", key), ours, ">", z3_bar(w, key), what " beside Z3"),
      cell(n, w, "floor", key),
      verdict(ours, median(n, w, "floor", key), "<", 1.5, what " beside the floor")
  }
  print ""
}

function rewrite_rows(n, label, key, beside, yardstick, bar,   i, w, ws) {
  split("C S L", ws, " ")
  for (i = 1; i <= 3; i++) {
    w = ws[i]
    if (median(n, w, "rewrite", key) < 0) continue
    printf "| %s | %s | %s | %s | %s | %s |\n", label, w, cell(n, w, "rewrite", key), beside,
      cell(n, w, "rewrite", yardstick),
      verdict(median(n, w, "rewrite", key), median(n, w, "rewrite", yardstick), "<", bar,
              n " nodes, " label " " w " beside " beside)
  }
}

function other_table(n,   i, w, ws, key, k, keys) {
  split("C S L R", ws, " ")
  print "| what | graph | uopc | beside | | ratio |"
  print "| --- | --- | ---: | --- | ---: | :--- |"
  for (i = 1; i <= 4; i++) {
    w = ws[i]
    if (median(n, w, "core", "bytes") < 0) continue
    printf "| bytes a node | %s | %s | | | %s |\n", w, cell(n, w, "core", "bytes"),
      verdict(median(n, w, "core", "bytes"), 1, "<", 88, n " nodes, bytes a node of " w)
    printf "| | %s | | Z3 | %s | %s |\n", w, cell(n, w, "z3", "bytes"),
      verdict(median(n, w, "core", "bytes"), median(n, w, "z3", "bytes"), "<", "", "")
  }
  for (i = 1; i <= 3; i++) {
    w = ws[i]
    if (median(n, w, "core", "sweep") < 0) continue
    printf "| sweep | %s | %s | memcpy | %s | %s |\n", w, cell(n, w, "core", "sweep"),
      cell(n, w, "core", "memcpy"),
      verdict(median(n, w, "core", "sweep"), median(n, w, "core", "memcpy"), "<", 2,
              n " nodes, sweep of " w " beside memcpy")
  }
  split("eval eval2", keys, " ")
  for (k = 1; k <= 2; k++) for (i = 1; i <= 3; i++) {
    w = ws[i]
    if (median(n, w, "core", keys[k]) < 0) continue
    printf "| %s | %s | %s | its floor | %s | %s |\n", keys[k], w, cell(n, w, "core", keys[k]),
      cell(n, w, "eval_floor", keys[k]),
      verdict(median(n, w, "core", keys[k]), median(n, w, "eval_floor", keys[k]), "<", 3,
              n " nodes, " keys[k] " " w " beside its floor")
  }
  rewrite_rows(n, "visit, no rule applies", "visited", "a walk", "walked", 3)
  rewrite_rows(n, "replace every node", "replaced", "building it", "built", 10)
  rewrite_rows(n, "replace 300 doublings", "doubled", "building", "built", "")
  if (median(n, "C", "core", "doubling") >= 0) printf "| 300 doublings, ns in all | | %s | its floor | %s | %s |\n",
    cell(n, "C", "core", "doubling"), cell(n, "C", "eval_floor", "doubling"),
    verdict(median(n, "C", "core", "doubling"), median(n, "C", "eval_floor", "doubling"), "<", 3,
            n " nodes, doubling beside its floor")
  print ""
}

function text_row(n, w, label, ours, program, bar, what) {
  if (median(n, w, ours, "seconds") < 0) return
  printf "| %s | %s | %s | %s | %s | %s |\n", label, w, cell(n, w, ours, "seconds"), program,
    cell(n, w, program, "seconds"),
    verdict(median(n, w, program, "seconds"), median(n, w, ours, "seconds"), ">", bar,
            n " lines, " what " " w " beside " program)
}

function speed_row(n, w, label, key, ours, floor, bar) {
  printf "| %s | %s | %s | floor | %s | %s |\n", label, w, cell(n, w, ours, key),
    cell(n, w, floor, key),
    verdict(median(n, w, ours, key), median(n, w, floor, key), ">", bar,
            n " lines, " label " " w " beside its floor")
}

function text_table(n,   i, w, ws) {
  split("S L", ws, " ")
  print "| what | graph | uopc | beside | | ratio |"
  print "| --- | --- | ---: | --- | ---: | :--- |"
  for (i = 1; i <= 2; i++) {
    w = ws[i]
    if (median(n, w, "check", "seconds") < 0) continue
    text_row(n, w, "`uopc check`, CPU s", "check", "llvm-as", 4, "parse")
    text_row(n, w, "`uopc fmt`, CPU s", "fmt", "opt", w == "S" ? 5 : 4, "parse and print")
    text_row(n, w, "`uopc fmt`, CPU s", "fmt", "mlir-opt", 12, "parse and print")
    speed_row(n, w, "parse, MB/s", "parse", "text", "text_floor", "")
    speed_row(n, w, "parse2, MB/s", "parse2", "text", "text_floor", "")
    speed_row(n, w, "print, MB/s", "print", "text", "text_floor", "")
    speed_row(n, w, "print2, MB/s", "print2", "text", "text_floor", "")
    speed_row(n, w, "parse of words, MB/s", "parse", "named", "named_floor", 0.5)
    speed_row(n, w, "parse2 of words, MB/s", "parse2", "named", "named_floor", 0.5)
  }
  print ""
}

function arrays_table(   i, j, n, ns, w, ws, case_, times) {
  print "| elements | case | uopc, ns | numpy, ns | times faster | uopc, bytes | numpy, bytes | ratio |"
  print "| ---: | --- | ---: | ---: | :--- | ---: | ---: | :--- |"
  split("1000 1000000 100000000", ns, " ")
  split("add exp2 chain rows turn gemm", ws, " ")
  judged = 1
  for (i = 1; i <= 3; i++) for (j = 1; j <= 6; j++) {
    n = ns[i]
    w = ws[j]
    case_ = w " of " n " elements beside numpy"
    times = w == "chain" || w == "exp2" ? 2 : 0.833
    printf "| %d | %s | %s | %s | %s | %s | %s | %s |\n", n, w, cell(n, w, "arrays", "ns"),
      cell(n, w, "numpy", "ns"),
      verdict(median(n, w, "numpy", "ns"), median(n, w, "arrays", "ns"), ">", times, case_),
      cell(n, w, "arrays", "peak"), cell(n, w, "numpy", "peak"),
      verdict(median(n, w, "arrays", "peak"), median(n, w, "numpy", "peak"), "<", 1, case_ ", memory")
  }
  print ""
}

# Growth from 10,000 nodes to 1,000,000: the logarithm grows by half, and the caches are left behind.
function simplify_table(   i, j, ns, keys, names, k) {
  print "| graph | 1,000 | 10,000 | 100,000 | 1,000,000 | growth |"
  print "| --- | ---: | ---: | ---: | ---: | :--- |"
  split("1000 10000 100000 1000000", ns, " ")
  k = split("sum terms doubling mixed shared", keys, " ")
  split("one chain of ADDs of 1,024 terms|of their multiples|x + x, over and over|mixed i32 ops, a chain|ADDs of earlier ADDs", names, "|")
  judged = 1
  for (j = 1; j <= k; j++) {
    printf "| %s |", names[j]
    for (i = 1; i <= 4; i++) printf " %s |", cell(ns[i], "own", "simplify", keys[j])
    printf " %s |\n", verdict(median(1000000, "own", "simplify", keys[j]),
      median(10000, "own", "simplify", keys[j]), "<", 6, "simplification, growth of " keys[j])
  }
  print ""
}

END {
  while ((getline line < head) > 0) print line
  close(head)
  for (i = 1; i <= nsizes; i++) {
    n = sizes[i]
    if (!((n SUBSEP "S" SUBSEP "z3" SUBSEP "miss") in count)) continue
    c = count[n, "S", "z3", "miss"]
    judged = n == bars_for
    printf "## %d nodes, %d round%s\n\n", n, c, c == 1 ? "" : "s"
    print "CPU nanoseconds a node.\n"
    core_table(n)
    other_table(n)
    print "Text of the same graphs.\n"
    text_table(n)
  }
  if (("1000" SUBSEP "add" SUBSEP "arrays" SUBSEP "ns") in count) {
    print "## Arrays\n"
    print "Per element, of float32: wall nanoseconds, the best of many repetitions, and the bytes that are"
    print "allocated at once beside the inputs. numpy has one thread. The cases are in bench/arrays.c.\n"
    arrays_table()
  }
  if (("1000000" SUBSEP "own" SUBSEP "simplify" SUBSEP "sum") in count) {
    print "## Simplification\n"
    print "CPU nanoseconds a node, by rule set `simplify`; growth from 10,000 nodes to 1,000,000. The graphs"
    print "are in bench/simplify.c.\n"
    simplify_table()
  }
  if (!bars) exit
  line = bars - nmissed " of " bars " bars hold"
  print "bench: " line >"/dev/stderr"
  print "## The bars\n\nAt " bars_for " nodes, and for arrays, " line (nmissed ? ". Missed:\n" : ".")
  for (i = 1; i <= nmissed; i++) print "- " missed[i]
}
