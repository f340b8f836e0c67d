/* SPDX-License-Identifier: MIT
 *
 * A picture of sounds. Each thread takes blocks of a sound, and adds each of its tones to one of eight bands: how often
 * there was a tone, how loud it was, and how loud the loudest was.
 */
#include "crew.h"

enum { BANDS = 8, TONES = 3, THREADS = 2 };

struct band {
	_Alignas(64) long tones, loudness, loudest, squares;
};

struct tone {
	long band, loudness;
};

#ifdef FIXED
static _Alignas(128) struct band bands_of[MEMBERS_MAX][BANDS];
#else
static _Alignas(128) struct band bands[BANDS];
#endif

TM_SAFE static void add_tone(struct band *band, long loudness)
{
	band->tones++;
	band->loudness += loudness;
	band->squares += loudness * loudness;
	if (loudness > band->loudest)
		band->loudest = loudness;
}

static void add_block(struct band *picture, const struct tone *block)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int i = 0; i < TONES; i++)
			add_tone(&picture[block[i].band], block[i].loudness);
		stamp_last();
	}
	stamp_after();
}

static void listen(struct member *me)
{
#ifdef FIXED
	struct band *picture = bands_of[me->number];
#else
	struct band *picture = bands;
#endif
	while (is_open()) {
		struct tone block[TONES];
		for (int i = 0; i < TONES; i++)
			block[i] = (struct tone){(long)member_random(me, BANDS), (long)member_random(me, 32768)};
		add_block(picture, block);
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, listen);
}
