/* SPDX-License-Identifier: MIT
 * The libitm builds whose layout was read off their code. */
#include "counters.h"

static const struct layout {
	uintptr_t commit_count; /* method-ml's `time` and the address of its locks, from the start of the module */
	uintptr_t locks;
	uintptr_t dispatch; /* ml_wt's */
	uintptr_t serial;   /* `writers` of the serial lock */
	size_t len;
	uint8_t build_id[20];
} known[] = {
	/* Debian 12, libitm1 12.2.0-14+deb12u1, amd64 */
	{0x183c0, 0x18400, 0x18340, 0x181c0, 20,
		{0x52, 0xe5, 0xfc, 0xc0, 0x36, 0x55, 0x10, 0xcf, 0x5f, 0x71, 0x49, 0x8c, 0x42, 0x99, 0xd3, 0x25, 0x45,
			0xa0, 0xeb, 0x20}},
};

static const struct layout *layout_of(const struct native_module *libitm)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (libitm->build_id_len == known[i].len &&
			memcmp(libitm->build_id, known[i].build_id, known[i].len) == 0)
			return &known[i];
	return NULL;
}

bool itm_counters_are_known(const struct native_module *libitm)
{
	return layout_of(libitm) != NULL;
}

struct itm_locks itm_locks_of(const struct native_module *libitm)
{
	const struct layout *layout = layout_of(libitm);
	if (layout == NULL)
		return (struct itm_locks){.table = NULL};
	return (struct itm_locks){
		.commit_count = (const volatile AO_t *)(libitm->start + layout->commit_count),
		.table = (const volatile AO_t *const *)(libitm->start + layout->locks),
		.dispatch = (const void *)(libitm->start + layout->dispatch),
		.serial = (const volatile unsigned *)(libitm->start + layout->serial),
	};
}
