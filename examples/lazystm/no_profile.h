/* SPDX-License-Identifier: MIT
 * The names of profile.h with STMLOG_OFF: no branch is left of the hooks, and no word of what they need. */
#ifndef LAZYSTM_NO_PROFILE_H
#define LAZYSTM_NO_PROFILE_H

/* A structure without members has no size in GNU C. */
struct profile {
};
typedef struct {
} profile_line;
#define PROFILE_HERE() ((profile_line){})

struct profile_write {
};

static inline int profile_open(void)
{
	return 0;
}

static inline void profile_close(void)
{
}

static inline struct profile profile_attach(void)
{
	return (struct profile){};
}

static inline void profile_detach(void)
{
}

#define profile_unwind(profile) ((void)(profile))
#define profile_start(profile, here) ((void)(profile), (void)(here))
#define profile_retry(profile) ((void)(profile))
#define profile_commit(profile) ((void)(profile))
#define profile_give_up(profile) ((void)(profile))
#define profile_other_begin(profile) ((void)(profile))
#define profile_other_end(profile) ((void)(profile))
#define profile_blocked_begin(profile) ((void)(profile))
#define profile_blocked_end(profile) ((void)(profile))
#define profile_asked(profile, here, why) ((void)(profile), (void)(here), (void)(why))
#define profile_wrote(profile, here, write) ((void)(profile), (void)(here), (void)(write))
#define profile_publishes() 0
#define profile_held(write) ((void)(write), (AO_t)1)
#define profile_publish(write, lock) ((void)(write), (void)(lock))
#define profile_read_conflict(profile, here, word, lock, look) \
	((void)(profile), (void)(here), (void)(word), (void)(lock), (void)(look))
#define profile_write_conflict(profile, write, word, lock, look) \
	((void)(profile), (void)(write), (void)(word), (void)(lock), (void)(look))

#endif
