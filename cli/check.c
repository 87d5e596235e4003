/* check.c - `uopc check`: errors and warnings, and nothing when all is well. */
#include "cli.h"

static int check(const void *args) {
  program p = {0};
  uop_diags warnings = {0};
  int status = CLI_WRONG;
  if (program_load(&p, args)) {
    status = uop_program_check(p.prog, &warnings) ? CLI_FINE : CLI_WRONG;
    for (size_t i = 0; i < warnings.len; i++) diag_print(&p.src, DIAG_WARNING, &warnings.at[i]);
    if (warnings.more)
      diag_say(DIAG_NOTE, "there are more than %d warnings; the first ones are shown",
               UOP_MAX_ERRORS);
    if (status != CLI_FINE) diag_say(DIAG_ERROR, "out of memory");
    uop_diags_free(p.ctx, &warnings);
  }
  program_free(&p);
  return status;
}

static const opt_row options[] = {OPT_ROW_TEXTS, OPT_ROW_END};

const command command_check = {
    .name = "check",
    .summary = "report errors and warnings",
    .about = "Reads a program and reports what is wrong with it: syntax, names, types, shapes.\n"
             "Prints nothing when all is well. Warns of statements that neither the result nor\n"
             "an assert needs, and of constant indices outside their axis. The exit status is\n"
             "1 when there are errors, 0 with warnings alone.",
    .examples = "  uopc check prog.uir\n"
                "  uopc check -e '%x = add 1 2.0'",
    .options = options,
    .args_size = sizeof(cli_args),
    .run = check,
};
