/* shim.h - in front of each file of the command where it is built for WASI: what POSIX has and
 * WASI's library has not. Signals do not exist; there is one folder, without links.
 */
#ifndef UOP_WASI_SHIM_H
#define UOP_WASI_SHIM_H

#include <sys/types.h>

char *realpath(const char *path, char *resolved); /* a copy of the path */
int fchmod(int fd, mode_t mode);                  /* does nothing */

#endif
