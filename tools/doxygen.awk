# doxygen.awk - uop.h as Doxygen is to read it. The header's comments are plain, for people; here
#  - the comment above declarations documents the first of them, and those that follow it without a
#    blank line refer to that one;
#  - a comment behind code documents that code;
#  - a title line opens a topic;
#  - indented lines of a comment keep their layout, and nothing in it is taken for markup.

function plain(s) {
  gsub(/[\\@#<>&%$]/, "\\\\&", s)
  return s
}

# A line of a comment, its star and the comment's end taken off.
function put(s) {
  sub(/^ *\*/, "", s)
  if (s ~ /^ +- /) in_list = 1
  else if (s !~ /^   /) in_list = 0
  if (!listing && !in_list && s ~ /^   /) { print "@verbatim"; listing = 1 }
  if (listing && s !~ /^   /) { print "@endverbatim"; listing = 0 }
  print listing ? s : plain(s)
}

function finish(s) {
  sub(/ *\*\/ *$/, "", s)
  put(s)
  if (listing) print "@endverbatim"
  listing = in_list = in_comment = 0
  print "*/"
}

# The name that a line declares, if it begins a declaration.
function declared(s) {
  if (s ~ /^#define /) { sub(/^#define /, "", s); sub(/[^A-Za-z0-9_].*/, "", s); return s }
  if (s !~ /^(UOP_API|static inline) /) return ""
  sub(/\(.*/, "", s)
  sub(/.*[^A-Za-z0-9_]/, "", s)
  return s
}

NR == 1 { print "/** @file uop.h"; sub(/^\/\* uop\.h - /, ""); in_comment = 1; put($0); next }

in_comment { if (/\*\/ *$/) finish($0); else put($0); next }

/^\/\* ---- .* -+ \*\/$/ {
  if (topic) print "/** @} */"
  sub(/^\/\* ---- /, "")
  sub(/ -+ \*\/$/, "")
  printf "/** @defgroup topic%d %s\n@{ */\n", ++topic, toupper(substr($0, 1, 1)) substr($0, 2)
  next
}

# At the margin. With a blank line behind it a comment is about no declaration.
/^\/\*/ {
  n = 1
  part[1] = $0
  while (part[n] !~ /\*\/ *$/ && (getline part[n + 1]) > 0) n++
  if ((getline) <= 0 || /^$/) next
  print "/**"
  part[1] = substr(part[1], 3)
  for (i = 1; i < n; i++) put(part[i])
  finish(part[n])
  first = declared($0)
  led = 1
}

/^$/ { first = ""; led = 0 }

led && declared($0) != "" {
  if (first == "") first = declared($0)
  else if (declared($0) != first) print "/** See " first "(). */"
}

# Behind code. What follows a brace is about what is inside, and not for Doxygen.
/[^ {].*[^{ ] +\/\* / && !/^}/ {
  at = index($0, "/* ")
  print substr($0, 1, at - 1) "/**<" (($0 ~ /\*\/ *$/) ? "" : " ")
  in_comment = 1
  if (/\*\/ *$/) finish(substr($0, at + 2))
  else put(substr($0, at + 2))
  next
}

{ print }

END { if (topic) print "/** @} */" }
