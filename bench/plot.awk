# plot.awk - docs/bench.svg from the samples that run.sh wrote: time a node over the number of
# nodes for S and for L, and bytes a node. Colour tells the phase, the dash the program.
#
#   awk -v l2=BYTES -v l3=BYTES -f plot.awk SAMPLES

BEGIN {
  W = 1180; H = 470; left = 62; top = 60; width = 310; height = 300; gap = 72
  nphases = split("miss hit walk2 subst2 free sweep", phases, " ")
  split("build, new|build, found|walk, again|substitute, again|scope end|sweep", words, "|")
  split("#c0392b #2471a3 #1e8449 #7d3c98 #b9770e #566573", colors, " ")
  split("core floor z3", programs, " ")
  split("uopc|floor|Z3", names, "|")
  dash["core"] = ""; dash["floor"] = " stroke-dasharray=\"5 4\""; dash["z3"] = " stroke-dasharray=\"1.5 3\""
}

{
  id = $1 SUBSEP $2 SUBSEP $3 SUBSEP $4
  value[id, ++count[id]] = $5 + 0
  if (!($1 in known)) { known[$1] = 1; size[++nsizes] = $1 + 0 }
}

function median(id,   i, j, v, c, s) {
  c = count[id]
  for (i = 1; i <= c; i++) {
    v = value[id, i]
    for (j = i - 1; j >= 1 && s[j] > v; j--) s[j + 1] = s[j]
    s[j + 1] = v
  }
  return c % 2 ? s[(c + 1) / 2] : (s[c / 2] + s[c / 2 + 1]) / 2
}

function log10(v) { return log(v) / log(10) }
function x(n) { return x0 + (log10(n) - 3.9) / 3.2 * width }
function y(v) { return top + height - (v - ymin) / (ymax - ymin) * height }
function text(px, py, anchor, s, extra) {
  printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", px, py, anchor, extra, s
}
function line(x1, y1, x2, y2, style) {
  printf "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x1, y1, x2, y2, style
}

function cache(bytes, name,   n) {
  n = bytes / 88
  if (n < 10 ^ 3.95 || n > 10 ^ 7.05) return
  line(x(n), top, x(n), top + height, "stroke=\"#999\" stroke-dasharray=\"2 2\"")
  text(x(n) + 3, top + 11, "start", name, " fill=\"#666\"")
}

function axes(title, unit,   e) {
  printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#333\"/>\n", x0, top, width, height
  text(x0 + width / 2, top - 12, "middle", title, " font-weight=\"bold\"")
  for (e = 4; e <= 7; e++) {
    line(x(10 ^ e), top, x(10 ^ e), top + height, "stroke=\"#ddd\"")
    text(x(10 ^ e), top + height + 17, "middle", "10<tspan dy=\"-5\" font-size=\"9\">" e "</tspan>", "")
  }
  text(x0 + width / 2, top + height + 36, "middle", "nodes", "")
  text(x0 - 42, top + height / 2, "middle", unit, " transform=\"rotate(-90 " x0 - 42 " " top + height / 2 ")\"")
  cache(l2, "L2 full")
  cache(l3, "L3 full")
}

function curve(w, program, key, color, logarithmic,   i, id, v, d, dots) {
  for (i = 1; i <= nsizes; i++) {
    id = size[i] SUBSEP w SUBSEP program SUBSEP key
    if (!(id in count)) continue
    v = median(id)
    if (logarithmic) v = log10(v)
    if (v > ymax) v = ymax
    if (v < ymin) v = ymin
    d = d (d == "" ? "M" : "L") sprintf("%.1f %.1f", x(size[i]), y(v))
    dots = dots sprintf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2\" fill=\"%s\"/>\n", x(size[i]), y(v), color)
  }
  if (d != "") printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s/>\n%s", d, color, dash[program], dots
}

function time_panel(w, title,   e, p, k) {
  ymin = 0; ymax = 3.7
  for (e = 0; e <= 3; e++) {
    line(x0, y(e), x0 + width, y(e), "stroke=\"#ddd\"")
    text(x0 - 6, y(e) + 4, "end", 10 ^ e, "")
  }
  axes(title, "CPU ns a node")
  for (p = 1; p <= nphases; p++) for (k = 1; k <= 3; k++) curve(w, programs[k], phases[p], colors[p], 1)
}

function bytes_panel(   v, k) {
  ymin = 0; ymax = 320
  for (v = 0; v <= 300; v += 50) {
    line(x0, y(v), x0 + width, y(v), "stroke=\"#ddd\"")
    text(x0 - 6, y(v) + 4, "end", v, "")
  }
  axes("memory, S", "bytes a node")
  line(x0, y(88), x0 + width, y(88), "stroke=\"#e6b0aa\"")
  text(x0 + width - 4, y(88) - 4, "end", "the bar: 88", " fill=\"#c0392b\"")
  for (k = 1; k <= 3; k++) curve("S", programs[k], "bytes", "#222", 0)
}

END {
  for (i = 1; i <= nsizes; i++) for (j = i; j > 1 && size[j - 1] > size[j]; j--) {
    t = size[j]; size[j] = size[j - 1]; size[j - 1] = t
  }
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n", W, H
  printf "<title>libuop, its floor and Z3: time and memory of a node</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", W, H
  text(left, 24, "start", "The core, its floor and Z3: what a node costs, by the number of nodes", " font-size=\"15\" font-weight=\"bold\"")
  x0 = left
  time_panel("S", "time, S: a spine with random second operands")
  x0 += width + gap
  time_panel("L", "time, L: layers of 1,000")
  x0 += width + gap
  bytes_panel()
  px = left
  for (p = 1; p <= nphases; p++) {
    line(px, H - 24, px + 22, H - 24, "stroke-width=\"3\" stroke=\"" colors[p] "\"")
    text(px + 28, H - 20, "start", words[p], "")
    px += 48 + 7 * length(words[p])
  }
  px += 20
  for (k = 1; k <= 3; k++) {
    line(px, H - 24, px + 34, H - 24, "stroke-width=\"1.8\" stroke=\"#222\"" dash[programs[k]])
    text(px + 40, H - 20, "start", names[k], "")
    px += 96
  }
  print "</svg>"
}
