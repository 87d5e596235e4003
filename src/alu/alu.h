/* alu.h - the scalar functions of alu.inc, for the library's own files. alu.inc itself has no
 * guard: it is text that is also put in front of generated C, once. */
#ifndef UOP_ALU_H
#define UOP_ALU_H

#include "alu/alu.inc"

#endif
