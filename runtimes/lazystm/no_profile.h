/* SPDX-License-Identifier: MIT
 * The names of profile.h for a lazystm without hooks, of which not even a branch is left. */
#ifndef LAZYSTM_NO_PROFILE_H
#define LAZYSTM_NO_PROFILE_H

struct lock;

/* A structure without members has no size in GNU C. */
struct profile {
};
typedef struct {
} profile_line;
#define PROFILE_HERE() ((profile_line){})

enum profile_access { PROFILE_READ, PROFILE_WRITE };

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

#define profile_enter(profile, here) ((void)(profile), (void)(here))
#define profile_leave(profile) ((void)(profile))
#define profile_unwind(profile) ((void)(profile))
#define profile_start(profile) ((void)(profile))
#define profile_retry(profile) ((void)(profile))
#define profile_commit(profile) ((void)(profile))
#define profile_other_begin(profile) ((void)(profile))
#define profile_other_end(profile) ((void)(profile))
#define profile_asked(profile, here, why) ((void)(profile), (void)(here), (void)(why))
#define profile_wrote(profile, here, word) ((void)(profile), (void)(here), (void)(word))
#define profile_publish(profile, lock) ((void)(profile), (void)(lock))
#define profile_conflict(profile, access, here, word, lock) \
	((void)(profile), (void)(access), (void)(here), (void)(word), (void)(lock))

#endif
