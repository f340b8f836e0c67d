/* SPDX-License-Identifier: MIT
 * Parts of a report's lines. */
#ifndef STMLOG_TEXT_H
#define STMLOG_TEXT_H

#include "out.h"

/* A name that may contain any bytes: those that would act on a terminal are hidden (utf8_read.h), and a very long name
 * is cut. */
void text_name(struct out *out, const char *name);

/* "bank.c" of "/src/bank.c", likewise. */
void text_basename(struct out *out, const char *path);

/* The text with spaces before it or behind it, so that it has at least `width` characters. */
void text_right(struct out *out, size_t width, const char *text);
void text_left(struct out *out, size_t width, const char *text);

#endif
