/* SPDX-License-Identifier: MIT
 * Texts with names of functions or objects, cut so that the ends of the names stay. */
#ifndef CUT_NAME_H
#define CUT_NAME_H

#include <stddef.h>

/* Shortens the text to `width` columns. First it cuts off namespaces and classes of qualified names, the outermost ones
 * first: "book.cc:9 ..Book::place" of "book.cc:9 exchange::orders::Book::place". If that is not enough, it cuts the
 * middle of the words, and then the end. ".." stands for text that was cut. Returns the text. */
char *cut_name(char *text, size_t width);

#endif
