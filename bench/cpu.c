/* cpu.c - runs a command with its output thrown away and prints its CPU seconds, user and system:
 * cpu KEY COMMAND [ARGUMENT...]. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
  if (argc < 3) return fputs("usage: cpu KEY COMMAND [ARGUMENT...]\n", stderr), 2;
  pid_t child = fork();
  if (child < 0) return perror("fork"), 2;
  if (!child) {
    int null = open("/dev/null", O_WRONLY);
    if (null < 0 || dup2(null, 1) < 0) _exit(126);
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status;
  struct rusage used;
  if (wait4(child, &status, 0, &used) < 0) return perror("wait4"), 2;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return printf("FAIL %s: %s\n", argv[1], argv[2]), 1;
  printf("%s %.6f\n", argv[1],
         (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
             1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec));
  return 0;
}
