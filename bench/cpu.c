/* cpu.c - runs a command with its output thrown away and prints its CPU seconds, user and system:
 * cpu KEY COMMAND [ARGUMENT...].
 *
 * Twice, and the better of the two: on a virtual machine the first one to touch memory that nobody
 * has had for a while waits for the host to provide it, which can take longer than the work. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* CPU seconds, or less than 0 where it fails. */
static double run(char **command) {
  pid_t child = fork();
  if (child < 0) return perror("fork"), -1;
  if (!child) {
    int null = open("/dev/null", O_WRONLY);
    if (null < 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0) _exit(126);
    execvp(command[0], command);
    _exit(127);
  }
  int status;
  struct rusage used;
  if (wait4(child, &status, 0, &used) < 0) return perror("wait4"), -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return -1;
  return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

int main(int argc, char **argv) {
  if (argc < 3) return fputs("usage: cpu KEY COMMAND [ARGUMENT...]\n", stderr), 2;
  double first = run(argv + 2), second = first < 0 ? first : run(argv + 2);
  if (second < 0) return printf("FAIL %s: %s\n", argv[1], argv[2]), 1;
  printf("%s %.6f\n", argv[1], first < second ? first : second);
  return 0;
}
