/* SPDX-License-Identifier: MIT
 * Words in commands that users copy to a shell. */
#ifndef QUOTED_H
#define QUOTED_H

/* The word as a shell takes it, in quotation marks if it needs them; and as an argument that is no option. Free it with
 * memory_free(). */
char *quoted_word(const char *word);

/* The same for an argument of somebody else's program, whose options stay options. */
char *quoted_argument(const char *argument);

#endif
