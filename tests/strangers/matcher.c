/* SPDX-License-Identifier: MIT
 *
 * A matcher of players for games: players wait in the line of their region. The rating of a player changes when he has
 * played. Who looks for an opponent compares the players of all regions, though he may play in his own only; fixed, he
 * looks into his own.
 */
#include "crew.h"

enum { REGIONS = 64, PLAYERS = 32 };

static struct region {
	_Alignas(128) struct player {
		long rating, games;
		bool is_waiting;
	} players[PLAYERS];
} regions[REGIONS];

NOINLINE static void come(struct player *player)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		player->is_waiting = true;
		stamp_last();
	}
	stamp_after();
	crew_count();
}

NOINLINE static void rate(struct player *player, long points)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		player->rating += points;
		player->games++;
		stamp_last();
	}
	stamp_after();
	crew_count();
}

TM_SAFE static struct player *closest(struct region *region, long rating, long *difference)
{
	struct player *found = NULL;
	for (int i = 0; i < PLAYERS; i++) {
		struct player *player = &region->players[i];
		long away = player->rating > rating ? player->rating - rating : rating - player->rating;
		if (player->is_waiting && away < *difference) {
			*difference = away;
			found = player;
		}
	}
	return found;
}

/* Returns the opponent, or NULL. */
NOINLINE static struct player *match_player(struct region *home, long rating)
{
	struct player *opponent;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		long difference = 400;
#ifdef FIXED
		opponent = closest(home, rating, &difference);
#else
		opponent = NULL;
		for (int i = 0; i < REGIONS; i++) {
			struct player *player = closest(&regions[i], rating, &difference);
			if (player != NULL && &regions[i] == home)
				opponent = player;
		}
#endif
		if (opponent != NULL)
			opponent->is_waiting = false;
		stamp_last();
	}
	stamp_after();
	return opponent;
}

static void play(struct member *me)
{
	while (is_open()) {
		struct region *region = &regions[member_random(me, REGIONS)];
		struct player *player = &region->players[member_random(me, PLAYERS)];
		if (member_random(me, 16) == 0)
			match_player(region, 1000 + (long)member_random(me, 500));
		else if (member_random(me, 2) == 0)
			come(player);
		else
			rate(player, (long)member_random(me, 21) - 10);
		idle(10000);
	}
}

int main(int argc, char **argv)
{
	for (int i = 0; i < REGIONS * PLAYERS; i++)
		regions[i / PLAYERS].players[i % PLAYERS].rating = 1000 + i % 500;
	return crew_run(argc, argv, crew_twice(), play);
}
