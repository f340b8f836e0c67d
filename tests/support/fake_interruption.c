/* SPDX-License-Identifier: MIT */
#include "fake_interruption.h"

#include "fake_clock.h"
#include "interruption.h"

/* In the place of the address of a sequence. */
#define SEQUENCE UINT64_C(1)

static __thread volatile uint64_t word __attribute__((tls_model("initial-exec")));

void fake_interruption(void)
{
	word = 0;
}

void fake_preemption(uint64_t ns)
{
	fake_clock_advance_preempted(ns);
	fake_interruption();
}

void fake_sleep(uint64_t ns)
{
	fake_clock_advance_asleep(ns);
	fake_interruption();
}

/* ---- in the place of base/interruption.c ---- */

static char *thread_pointer(void)
{
	return __builtin_thread_pointer();
}

ptrdiff_t interruption_place(void)
{
	return (char *)(uintptr_t)&word - thread_pointer();
}

volatile uint64_t *interruption_word(ptrdiff_t place)
{
	return (volatile uint64_t *)(void *)(thread_pointer() + place);
}

void interruption_watch(volatile uint64_t *of_thread)
{
	if (*of_thread == 0)
		*of_thread = SEQUENCE;
}

void interruption_unwatch(volatile uint64_t *of_thread)
{
	if (*of_thread == SEQUENCE)
		*of_thread = 0;
}
