/* SPDX-License-Identifier: MIT
 *
 * The sessions of a web server. Each request looks for its session and marks it as used last, so that the one that was
 * not used for the longest time can give way to a new one.
 */
#include "crew.h"

enum { SETS = 2048, WAYS = 4, USERS = SETS * WAYS, PARSING = 1000, THREADS = 2 };

struct session {
	_Alignas(32) long user, used, page;
};

static struct {
	_Alignas(128) long clock;
	_Alignas(128) struct session sets[SETS][WAYS];
} cache;
static struct {
	_Alignas(128) long pages;
} seen[MEMBERS_MAX];

TM_SAFE static struct session *find(long user)
{
	struct session *set = cache.sets[user % SETS], *oldest = set;
	for (int i = 0; i < WAYS; i++) {
		if (set[i].user == user)
			return &set[i];
		if (set[i].used < oldest->used)
			oldest = &set[i];
	}
	return oldest;
}

/* The page that the user has seen last. With the fix, sessions are marked with the time of the thread's own count. */
static long request(long user, long page, long now)
{
	long last;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct session *session = find(user);
		if (session->user != user) {
			session->user = user;
			session->page = 0;
		}
		last = session->page;
		session->page = page;
#ifdef FIXED
		session->used = now;
#else
		session->used = ++cache.clock;
#endif
		stamp_last();
	}
	stamp_after();
	(void)now;
	return last;
}

static void serve(struct member *me)
{
	for (long now = 1; is_open(); now++) {
		idle(PARSING);
		seen[me->number].pages += request((long)member_random(me, USERS), (long)member_random(me, 50), now);
	}
}

int main(int argc, char **argv)
{
	int status = crew_run(argc, argv, THREADS, serve);
	return seen[0].pages < 0 ? 1 : status;
}
