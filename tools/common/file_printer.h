/* SPDX-License-Identifier: MIT
 * Reports and tables printed to a file or a terminal. */
#ifndef FILE_PRINTER_H
#define FILE_PRINTER_H

#include <stdio.h>

#include "printer.h"

/* Borrows the file. As wide and as colourful as that is. */
struct printer file_printer(FILE *file);

#endif
