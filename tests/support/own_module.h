/* SPDX-License-Identifier: MIT
 * The test program itself as a module of a recording: its path, where it is loaded and its build-id. */
#ifndef OWN_MODULE_H
#define OWN_MODULE_H

#include "recording_writer.h"

/* A module record without its path (a string of the writer is the caller's to add), and that path. */
struct stmlog_module_record own_module(void);
const char *own_module_path(void);

/* The same of the module that has `address`, data included. */
struct stmlog_module_record module_of(const void *address);

#endif
