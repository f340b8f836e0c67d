/* SPDX-License-Identifier: MIT
 * Expected texts, kept in tests/golden/. */
#ifndef GOLDEN_H
#define GOLDEN_H

/* Fails the test unless `text` is what tests/golden/`name` holds. With GOLDEN_UPDATE=1 in the environment it writes
 * the file instead, to be read over before it is committed. */
void golden_check(const char *name, const char *text);

#endif
