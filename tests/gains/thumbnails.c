/* SPDX-License-Identifier: MIT
 *
 * Small pictures are made of the photographs in a queue: a thread takes the next photograph, and each pixel of the
 * small picture is the mean of some of its pixels.
 */
#include "crew.h"

enum { PHOTOS = 256, SIDE = 16, SMALL = 4, BLOCK = SIDE / SMALL, HEAP = 16, THREADS = 2 };

static struct photo {
	long pixels[SIDE][SIDE];
	long small[SMALL][SMALL];
} photos[PHOTOS];
static struct {
	_Alignas(128) long next;
} queue;

/* The first of the next `len` photographs. */
TM_SAFE static long take(long len)
{
	long photo = queue.next;
	queue.next = (photo + len) % PHOTOS;
	return photo;
}

TM_SAFE static void shrink(struct photo *photo)
{
	for (int row = 0; row < SMALL; row++) {
		for (int column = 0; column < SMALL; column++) {
			long sum = 0;
			for (int i = 0; i < BLOCK * BLOCK; i++)
				sum += photo->pixels[row * BLOCK + i / BLOCK][column * BLOCK + i % BLOCK];
			photo->small[row][column] = sum / (BLOCK * BLOCK);
		}
	}
}

#ifdef FIXED
static void shrink_next(void)
{
	long first;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		first = take(HEAP);
		stamp_last();
	}
	stamp_after();
	for (int i = 0; i < HEAP; i++) {
		stamp_before();
		__transaction_atomic
		{
			stamp_first();
			shrink(&photos[first + i]);
			stamp_last();
		}
		stamp_after();
	}
}
#else
static void shrink_next(void)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		shrink(&photos[take(1)]);
		stamp_last();
	}
	stamp_after();
}
#endif

/* Another photograph in the place of this one. */
static void load(struct member *me, struct photo *photo)
{
	uint64_t row = member_random(me, SIDE), column = member_random(me, SIDE);
	long light = (long)member_random(me, 256);
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		photo->pixels[row][column] = light;
		stamp_last();
	}
	stamp_after();
}

static void work(struct member *me)
{
	while (is_open()) {
		shrink_next();
		if (member_random(me, 16) == 0)
			load(me, &photos[member_random(me, PHOTOS)]);
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, work);
}
