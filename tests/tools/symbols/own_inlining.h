/* SPDX-License-Identifier: MIT
 * The frames of addresses in the test program itself, which is the module that ran. */
#ifndef OWN_INLINING_H
#define OWN_INLINING_H

#include "loaded.h"

#include "inlining.h"
#include "module.h"
#include "own_module.h"

static struct stmlog_module_record record;
static struct module module;
static struct inlining *inlining;
static struct inlining_frame frames[INLINING_DEPTH];

static int setup(void **state)
{
	(void)state;
	record = own_module();
	module = (struct module){.path = own_module_path(), .record = &record};
	inlining = inlining_create();
	return module_open(&module) == MODULE_SAME ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	inlining_destroy(&inlining);
	module_close(&module);
	return 0;
}

#define INLINING_TEST(claim) cmocka_unit_test_setup_teardown(claim, setup, teardown)

/* Fills in `frames` and returns how many there are. */
static inline size_t frames_at(uint64_t address)
{
	return inlining_frames(inlining, module.elf, address, frames);
}

#endif
