/* SPDX-License-Identifier: MIT
 *
 * The tills of a shop. A sale takes an article from the stock; the sales of the day are counted.
 */
#include "crew.h"

enum { ARTICLES = 8192, SCANNING = 300, THREADS = 2 };

static struct article {
	_Alignas(32) long stock, sold, price;
} articles[ARTICLES];

#ifdef FIXED
static struct {
	_Alignas(128) long sales;
} days[MEMBERS_MAX];
#else
static struct {
	_Alignas(128) long sales;
} day;
#endif

static void sell(struct member *me)
{
	struct article *article = &articles[member_random(me, ARTICLES)];
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		if (article->stock == 0)
			article->stock = 100;
		article->stock--;
		article->sold++;
#ifdef FIXED
		days[me->number].sales++;
#else
		day.sales++;
#endif
		stamp_last();
	}
	stamp_after();
}

static void serve(struct member *me)
{
	while (is_open()) {
		idle(SCANNING);
		sell(me);
	}
}

int main(int argc, char **argv)
{
	return crew_run(argc, argv, THREADS, serve);
}
