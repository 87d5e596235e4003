/* main.c - uopc: finds the command, has its options read and runs it.
 *
 * To add a command: its file, its declaration in cli.h and a line in `commands`. The exit status is
 * the command's, or 1 when standard output could not be written.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const command *const commands[] = {
    &command_check, &command_fmt,      &command_run,     &command_graph,
    &command_stats, &command_simplify, &command_rewrite, &command_rules,
};

static const command *find_command(const char *name) {
  for (size_t i = 0; i < COUNT_OF(commands); i++)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  return NULL;
}

static void print_help(FILE *f) {
  fputs("uopc checks, prints, runs, draws and rewrites tensor programs written as .uir text.\n"
        "\nusage: uopc COMMAND [options] FILE\n\n",
        f);
  for (size_t i = 0; i < COUNT_OF(commands); i++)
    fprintf(f, "  %-9s%s\n", commands[i]->name, commands[i]->summary);
  fputs("  help     explain a command: uopc help run\n"
        "\nFILE may be - for standard input, or -e TEXT for a program on the command line.\n"
        "\ntry: uopc run -e '%c = add 2 3'\n",
        f);
}

static int unknown_command(const char *name) {
  const char *words[COUNT_OF(commands) + 1];
  for (size_t i = 0; i < COUNT_OF(commands); i++) words[i] = commands[i]->name;
  words[COUNT_OF(commands)] = "help";
  const char *likely = nearest_word(name, words, COUNT_OF(words), sizeof *words);
  if (likely) return diag_usage(NULL, "unknown command '%s'; did you mean '%s'?", name, likely);
  if (strcmp(name, "-") == 0 || strpbrk(name, "./") || access(name, F_OK) == 0)
    return diag_usage(NULL, "'%s' is no command; did you mean 'uopc run %s'?", name, name);
  if (name[0] == '-') return diag_usage(NULL, "'%s': a command comes before the options", name);
  return diag_usage(NULL, "unknown command '%s'", name);
}

static int help(int argc, char **argv) {
  if (argc > 1) return diag_usage(NULL, "help explains one command at a time");
  const command *cmd = argc == 1 ? find_command(argv[0]) : NULL;
  if (argc == 1 && !cmd && strcmp(argv[0], "help") != 0) return unknown_command(argv[0]);
  if (cmd)
    options_help(cmd, stdout);
  else
    print_help(stdout);
  return CLI_FINE;
}

static int run_command(const command *cmd, int argc, char **argv) {
  int status = CLI_WRONG;
  void *args = calloc(1, cmd->args_size);
  if (!args) {
    diag_say(DIAG_ERROR, "out of memory");
    return CLI_WRONG;
  }
  if (options_parse(cmd, argc, argv, args, &status)) status = cmd->run(args);
  options_free(cmd, args);
  free(args);
  return status;
}

static int dispatch(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  const char *word = argv[1];
  const command *cmd = find_command(word);
  if (cmd) return run_command(cmd, argc - 2, argv + 2);
  if (!strcmp(word, "help") || !strcmp(word, "--help") || !strcmp(word, "-h"))
    return help(argc - 2, argv + 2);
  if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
    printf("uopc %s\n", uop_version());
    return CLI_FINE;
  }
  return unknown_command(word);
}

/* A file opened while 0, 1 or 2 is closed would get that number, and our messages. Each gets a
 * descriptor that fails as a closed one does. */
static bool hold_standard_files(void) {
  for (int fd = 0; fd <= 2; fd++)
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
        open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
      return false;
  return true;
}

int main(int argc, char **argv) {
  if (!hold_standard_files()) return CLI_WRONG;
  signal(SIGPIPE, SIG_IGN); /* a closed pipe is a failed write, and reported as one */
  setvbuf(stderr, NULL, _IOLBF, BUFSIZ);
  diag_begin();
  int status = dispatch(argc, argv);
  return output_finish() || status != CLI_FINE ? status : CLI_WRONG;
}
