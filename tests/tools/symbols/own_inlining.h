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

static void set_up(void)
{
	record = own_module();
	module = (struct module){.path = own_module_path(), .record = &record};
	inlining = inlining_create();
	assert_int_equal(module_open(&module), MODULE_SAME);
}

static void tear_down(void)
{
	inlining_destroy(&inlining);
	module_close(&module);
}

static const struct test_fixture inlining_fixture = {set_up, tear_down};

/* Fills in `frames` and returns how many there are. */
static inline size_t frames_at(uint64_t address)
{
	return inlining_frames(inlining, module.elf, address, frames);
}

#endif
