/* SPDX-License-Identifier: MIT
 *
 * A game's leaderboards, of which there are many: the best scores of a board are sorted.
 */
#include "crew.h"

namespace
{

constexpr int Threads = CREW_THREADS(2), Boards = 4096, Places = 8;

struct Board {
	alignas(64) long scores[Places];
	long players[Places];
	long played;
};

Board boards[Boards];

TM_SAFE int place_of(const Board *board, long score)
{
	int place = Places;
	while (place > 0 && board->scores[place - 1] < score)
		place--;
	return place;
}

TM_SAFE void insert(Board *board, int place, long score, long player)
{
	for (int i = Places - 1; i > place; i--) {
		board->scores[i] = board->scores[i - 1];
		board->players[i] = board->players[i - 1];
	}
	board->scores[place] = score;
	board->players[place] = player;
}

void play(member *me)
{
	Board *board = &boards[member_random(me, Boards)];
	long score = static_cast<long>(member_random(me, 1000));
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		int place = place_of(board, score);
		if (place < Places)
			insert(board, place, score, me->number);
		board->played++;
		stamp_last();
	}
	stamp_after();
}

long best(member *me)
{
	Board *board = &boards[member_random(me, Boards)];
	long score;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		score = board->scores[0];
		stamp_last();
	}
	stamp_after();
	return score;
}

void work(member *me)
{
	static long seen[Threads];
	while (is_open()) {
		play(me);
		seen[me->number] += best(me);
		idle(500);
	}
}

} // namespace

int main(int argc, char **argv)
{
	return crew_run(argc, argv, Threads, work);
}
