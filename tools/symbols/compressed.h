/* SPDX-License-Identifier: MIT
 * Files whose compressed sections are made to fill the memory. libdw inflates debug information as a whole, and some
 * megabytes may become as many gigabytes. */
#ifndef COMPRESSED_H
#define COMPRESSED_H

#include <stdbool.h>

/* Whether a compressed section becomes fifty times as large, which no debug information does: it becomes three to five
 * times as large. Inflates nothing. False for what is no ELF file. */
bool compressed_is_bomb(int fd);

#endif
