/* SPDX-License-Identifier: MIT
 * What is foreseen, for people and as JSON. */
#ifndef FORESEE_TEXT_H
#define FORESEE_TEXT_H

#include <stdio.h>

#include "foresee.h"

void foresee_text(const struct printer *out, const struct foreseen *foreseen, const struct findings *findings);
void foresee_json(FILE *out, const struct foreseen *foreseen, const struct findings *findings);

void foresee_rows_text(
	const struct printer *out, const struct foresee_check *check, const struct foresee_row *rows, size_t len);
void foresee_rows_json(FILE *out, const struct foresee_check *check, const struct foresee_row *rows, size_t len);

#endif
