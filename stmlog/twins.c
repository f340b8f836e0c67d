/* SPDX-License-Identifier: MIT
 * Compiles the inline functions of the public headers once more, as functions that the library exports: for callers
 * that cannot compile C, such as Rust and other foreign-function interfaces. A caller that has another struct
 * stmlog_setup than this library calls stmlog_open_abi() in place of stmlog_open(). */
#define STMLOG_INLINE STMLOG_API

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the definitions in the headers are the declarations */

#include <stmlog/measure.h>
#include <stmlog/profile.h>
#include <stmlog/timeline.h>
