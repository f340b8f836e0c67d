/* SPDX-License-Identifier: MIT
 * Compiles the inline functions of the public headers once more, as functions that the library exports: for callers
 * that cannot compile C, such as Rust and other foreign-function interfaces. A caller that has other structures
 * than this library calls stmlog_open_abi() and the functions whose names end in _sized. */
#define STMLOG_INLINE STMLOG_API

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* the definitions in the headers are the declarations */

#include <stmlog/agent.h>
#include <stmlog/label.h>
#include <stmlog/measure.h>
#include <stmlog/profile.h>
#include <stmlog/read.h>
#include <stmlog/timeline.h>
