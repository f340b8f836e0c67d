/* SPDX-License-Identifier: MIT
 * Files in memory for fuzz targets: the readers open, stat and read them by path as they do any file, but no system
 * call is made. The linker puts the functions of memory_file.c in the place of open(), fstat(), pread() and close().
 * No other path can be opened: what a damaged recording names might be a device, or block. */
#ifndef MEMORY_FILE_H
#define MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>

/* The paths of the files. */
#define MEMORY_FILE_INPUT "fuzz:input"
#define MEMORY_FILE_OTHER "fuzz:other"

/* Sets what MEMORY_FILE_INPUT, or MEMORY_FILE_OTHER, holds. The bytes are borrowed. */
void memory_file_set_input(const uint8_t *bytes, size_t len);
void memory_file_set_other(const uint8_t *bytes, size_t len);

#endif
