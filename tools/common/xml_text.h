/* SPDX-License-Identifier: MIT
 * Text of any bytes within XML. */
#ifndef XML_TEXT_H
#define XML_TEXT_H

#include <stdio.h>

/* Writes the text so that it is text within an element or an attribute's quotes. Bytes that are not UTF-8 become
 * U+FFFD, characters that act on a terminal (utf8.h) or are none in XML '?'. */
void xml_text_put(FILE *out, const char *text);

#endif
