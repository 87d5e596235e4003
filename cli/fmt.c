/* fmt.c - `uopc fmt`: the program in canonical form. */
#include "cli.h"

typedef struct fmt_args {
  cli_args common;
  const char *output;
} fmt_args;

static int fmt(const void *arguments) {
  const fmt_args *args = arguments;
  program p = {0};
  char *text = NULL;
  size_t len = 0;
  bool ok = program_load(&p, &args->common);
  if (ok) {
    text = uop_program_print(p.prog, &len);
    if (!text) diag_say(DIAG_ERROR, "out of memory");
    ok = text && output_write(args->output, text, len);
    uop_free(p.ctx, text);
  }
  program_free(&p);
  return ok ? CLI_FINE : CLI_WRONG;
}

static const opt_row options[] = {
    {'o', "output", OPT_TEXT, offsetof(fmt_args, output), "FILE",
     "write to FILE, which may be the input itself"},
    OPT_ROW_TEXTS,
    OPT_ROW_END,
};

const command command_fmt = {
    .name = "fmt",
    .summary = "print the program in canonical form",
    .about = "Prints the program in canonical form: one node a line, each once, numbered in\n"
             "the order in which they are needed, constants inline, shorthand and broadcasting\n"
             "written out. Reading it back gives the same graph. Names, comments and\n"
             "statements that neither the result nor an assert needs are not part of it and are\n"
             "gone.",
    .examples = "  uopc fmt prog.uir\n"
                "  uopc fmt prog.uir -o prog.uir\n"
                "  uopc fmt -e '%x = param 0' -e '%y = sub %x 1'",
    .options = options,
    .args_size = sizeof(fmt_args),
    .run = fmt,
};
