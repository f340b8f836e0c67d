/* SPDX-License-Identifier: MIT
 * Texts with names of functions or objects, cut so that the ends of the names stay. */
#ifndef CUT_NAME_H
#define CUT_NAME_H

#include <stddef.h>

/* Shortens the text to `width` columns. First the namespaces and classes of qualified names go, the outermost ones
 * first: "book.cc:9 ..Book::place" of "book.cc:9 exchange::orders::Book::place". If that is not enough, the middle of
 * the text goes. ".." stands for what is left out. Returns the text. */
char *cut_name(char *text, size_t width);

#endif
