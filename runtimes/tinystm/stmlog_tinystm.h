/* SPDX-License-Identifier: MIT
 *
 * A module that reports TinySTM's transactions to stmlog. TinySTM stays as it is: the module registers callbacks by its
 * public interface. README.md in this folder says how to build TinySTM, and what cannot be known.
 */
#ifndef STMLOG_TINYSTM_H
#define STMLOG_TINYSTM_H

#include <stmlog/compiler.h>

STMLOG_BEGIN_DECLS

/* Opens the profiler, unless the program has opened it, and registers the module with TinySTM. To be called once, after
 * stm_init() and before any stm_init_thread(): threads that TinySTM has initialised before are not recorded.
 *
 * Uses two of TinySTM's slots for data of transactions, one slot for modules, and the callback for conflicts if TinySTM
 * was built with it. Returns 0; or -EALREADY if it has been called before, -ENOSPC if TinySTM has no slot left, or an
 * error of stmlog_open(). After an error nothing is recorded, and TinySTM works as before. */
int stmlog_tinystm_init(void);

STMLOG_END_DECLS

#endif
