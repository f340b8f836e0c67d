/* SPDX-License-Identifier: MIT
 * The frames of an address in code that GHC made from Haskell. */
#ifndef HASKELL_FRAMES_H
#define HASKELL_FRAMES_H

#include "haskell_unit.h"
#include "inlining.h"

/* The units of Haskell that were read up to now, of all files. The debug information of the files must outlive it. */
struct haskell_files;
struct haskell_files *haskell_files_create(void);
void haskell_files_destroy(struct haskell_files **files);

/* The unit; NULL: it is not of Haskell. Borrowed until haskell_files_destroy(). */
const struct haskell_unit *haskell_frames_unit(struct haskell_files *files, const Dwarf_Die *unit);

/* Finds the frames at `address` (in the file) of a unit of Haskell, innermost first. Names are as those of
 * haskell_name(), and borrowed until haskell_files_destroy(). Returns how many, at most INLINING_DEPTH; 0: nothing
 * there is a block of a function. */
size_t haskell_frames(
	struct haskell_files *files, Dwarf_Die *unit, Dwarf_Addr address, struct inlining_frame frames[INLINING_DEPTH]);

#endif
