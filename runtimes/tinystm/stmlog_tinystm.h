/* SPDX-License-Identifier: MIT
 *
 * A module that makes TinySTM tell stmlog what its transactions lose. TinySTM itself
 * stays as it is: the module registers callbacks by its public interface. README.md in
 * this folder says how TinySTM is to be built, and what cannot be known.
 */
#ifndef STMLOG_TINYSTM_H
#define STMLOG_TINYSTM_H

#include <stmlog/compiler.h>

STMLOG_BEGIN_DECLS

/* Opens the profiler, unless the program has done it, and registers with TinySTM. Call it
 * once, after stm_init() and before any stm_init_thread(): threads that are there already
 * are not recorded.
 *
 * Takes two of TinySTM's slots for data of a transaction, one for modules, and the callback for conflicts
 * where it is built in. Returns 0, -EALREADY when it has been called before, -ENOSPC
 * when TinySTM has no slot left, or what stmlog_open() says; then nothing is recorded and nothing else changes. */
int stmlog_tinystm_init(void);

STMLOG_END_DECLS

#endif
