/* SPDX-License-Identifier: MIT
 * The names of hooks.h with STMLOG_OFF: no branch is left of the hooks, and what an attempt has read and written has no
 * word for them. */
#ifndef LAZYSTM_NO_HOOKS_H
#define LAZYSTM_NO_HOOKS_H

#include "profile.h"

/* A structure without members has no size in GNU C. */
struct hook_write {
};

#define hook_attached(profile) ((void)(profile))
#define hook_start(profile, here) ((void)(profile), (void)(here))
#define hook_commit(profile) ((void)(profile))
#define hook_asked(profile, here, why) ((void)(profile), (void)(here), (void)(why))
#define hook_wrote(profile, here, write) ((void)(profile), (void)(here), (void)(write))
#define hook_publishes() 0
#define hook_held(write) ((void)(write), (AO_t)1)
#define hook_publish(write, lock) ((void)(write), (void)(lock))
#define hook_read_conflict(profile, here, word, lock, look) \
	((void)(profile), (void)(here), (void)(word), (void)(lock), (void)(look))
#define hook_write_conflict(profile, write, word, lock, look) \
	((void)(profile), (void)(write), (void)(word), (void)(lock), (void)(look))

#endif
