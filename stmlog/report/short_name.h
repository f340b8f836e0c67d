/* SPDX-License-Identifier: MIT
 * Names of functions that fit a line. */
#ifndef SHORT_NAME_H
#define SHORT_NAME_H

/* A copy of a C++ name without arguments, template arguments, the type of the result and anonymous namespaces:
 * "Book::place" of "void Book<unsigned long>::place<int>(int) const". Names of other forms are copied as they are. Free
 * it with memory_free(). */
char *short_name(const char *name);

#endif
