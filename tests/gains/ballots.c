/* SPDX-License-Identifier: MIT
 *
 * An election. Each thread counts the ballots of a district: it counts a ballot, adds up its marks, and says whether
 * it is valid.
 */
#include "crew.h"

enum { BALLOTS = 4096, PARTIES = 40, THREADS = 2 };

static _Alignas(128) struct ballot {
	long marks[PARTIES];
	long is_valid;
} ballots[MEMBERS_MAX][BALLOTS];

struct district {
#ifdef FIXED
	_Alignas(128) long counted;
#else
	long counted;
#endif
	long invalid;
};

static _Alignas(128) struct district districts[MEMBERS_MAX];

/* A ballot is valid if it has one mark. */
static void count(struct district *district, struct ballot *ballot)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		district->counted++;
		long marks = 0;
		for (int i = 0; i < PARTIES; i++)
			marks += ballot->marks[i];
		if (marks != 1)
			district->invalid++;
		ballot->is_valid = marks == 1;
		stamp_last();
	}
	stamp_after();
}

static void work(struct member *me)
{
	struct ballot *own = ballots[me->number];
	for (int i = 0; i < BALLOTS; i++)
		for (uint64_t marks = member_random(me, 50) == 0 ? 2 : 1; marks > 0; marks--)
			own[i].marks[member_random(me, PARTIES)]++;
	while (is_open())
		count(&districts[me->number], &own[member_random(me, BALLOTS)]);
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, work);
}
