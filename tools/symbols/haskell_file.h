/* SPDX-License-Identifier: MIT
 * The units of Haskell in the debug information of files, each read when it is first needed. */
#ifndef HASKELL_FILE_H
#define HASKELL_FILE_H

#include "haskell_unit.h"

/* What is known already of all files, whose debug information must outlive it. */
struct haskell_files;
struct haskell_files *haskell_files_create(void);
void haskell_files_destroy(struct haskell_files **files);

/* Those below are borrowed until destroy; but a file only until the next one is looked up. */
struct haskell_file *haskell_file(struct haskell_files *files, Dwarf *dwarf);

/* NULL: the entry is no unit of Haskell. */
struct haskell_unit *haskell_file_unit(struct haskell_file *file, const Dwarf_Die *die);

/* The unit of a source, `own` if that has it. NULL: there is none. Or there are two, as of packages that each have a
 * source of the same name. */
struct haskell_unit *haskell_source_unit(struct haskell_file *file, struct haskell_unit *own, const char *source);

#endif
