/* text.c - libuop's reader and printer: text FILE. MB/s.
 *
 *   parse  into a new context           parse2  again into the same one: all nodes are there
 *   print  the program                  print2  again, into room that malloc has at hand
 */
#include "uop.h"

#include "text_file.h"

int main(int argc, char **argv) {
  text t = text_read(argc, argv);
  uop_ctx *ctx = uop_ctx_new(NULL);
  begin();
  uop_program *p = uop_program_parse(ctx, t.at, t.len, NULL);
  if (!p) return fail("parse");
  report_speed("parse", lap(NEVER), t.len);
  double best = NEVER;
  for (int r = 0; r < repeats(t.lines); r++) {
    begin();
    uop_program *again = uop_program_parse(ctx, t.at, t.len, NULL);
    best = lap(best);
    if (!again || again->result != p->result) return fail("parse2");
    uop_program_free(again);
  }
  report_speed("parse2", best, t.len);
  size_t len = 0;
  begin();
  char *printed = uop_program_print(p, &len);
  if (!printed) return fail("print");
  report_speed("print", lap(NEVER), len);
  best = NEVER;
  for (int r = 0; r < repeats(t.lines); r++) {
    begin();
    char *again = uop_program_print(p, &len);
    best = lap(best);
    if (!again || memcmp(again, printed, len) != 0) return fail("print2");
    uop_free(ctx, again);
  }
  report_speed("print2", best, len);
  if (uop_parse(ctx, printed, len) != p->result) return fail("round trip");
  return 0;
}
