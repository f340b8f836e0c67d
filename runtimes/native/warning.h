/* SPDX-License-Identifier: MIT
 *
 * Warnings of a runtime: lines on standard error that begin with "stmlog: ". They are written by write(), because
 * stdio may not be ready when a runtime begins. An error is ignored: it could be reported nowhere.
 */
#ifndef NATIVE_WARNING_H
#define NATIVE_WARNING_H

/* "stmlog: TEXT" */
void native_warn(const char *text);

/* "stmlog: TEXTREMEDY" */
void native_warn_with(const char *text, const char *remedy);

/* "stmlog: STMLOG_OPTIONS: KEY=VALUE is not EXPECTED; using the default" */
void native_warn_of_option(const char *key, const char *value, const char *expected);

#endif
