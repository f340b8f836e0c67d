/* SPDX-License-Identifier: MIT
 *
 * A travel agency: three tables of offers and one of customers. Threads ask for the price of a trip, book the
 * cheapest of several offers of each kind, give a customer's bookings back, and list, reprice and withdraw offers.
 * Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariant, outside transactions: an offer has as many seats taken as customers have bookings of it, from 0 to SEATS.
 */
#include "run.h"
#include "stamps.h"
#include "table.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SEATS = 20, PRICE_LIMIT = 1000, MAX_QUERIES = 64 };
enum kind { CARS, ROOMS, FLIGHTS, KINDS, CUSTOMERS = KINDS, TABLES };
enum tally { BOOKED, RETURNED, LISTED }; /* bookings; bookings; offers listed less those withdrawn */

struct offer {
	struct table_entry entry;
	long price;
	long taken; /* of SEATS */
};

struct booking {
	struct booking *next;
	enum kind kind;
	long offer;
};

struct customer {
	struct table_entry entry;
	struct booking *bookings;
};

/* What a customer asks for: of each kind, the offers to choose from. Drawn before the transaction. */
struct trip {
	long offers[KINDS][MAX_QUERIES];
};

static struct table tables[TABLES];            /* of offers, but for the last */
static uint64_t offers_limit, customers_limit; /* ids are below */
static uint64_t queries_len, updates_percent;

TM_SAFE static struct offer *find_cheapest(enum kind kind, const long *ids)
{
	struct offer *cheapest = NULL;
	for (size_t i = 0; i < queries_len; i++) {
		struct offer *offer = (struct offer *)*table_find(&tables[kind], ids[i]);
		if (offer != NULL && offer->taken < SEATS && (cheapest == NULL || offer->price < cheapest->price))
			cheapest = offer;
	}
	return cheapest;
}

TM_SAFE static bool book_offer(struct customer *customer, enum kind kind, struct offer *offer)
{
	struct booking *booking = offer != NULL ? malloc(sizeof(*booking)) : NULL;
	if (booking == NULL)
		return false;
	booking->next = customer->bookings;
	booking->kind = kind;
	booking->offer = offer->entry.id;
	customer->bookings = booking;
	offer->taken++;
	return true;
}

/* Returns the number of bookings; `trip` may be had in part. */
TM_RUNS static long book(long id, const struct trip *trip)
{
	long booked = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct table_entry **link = table_find(&tables[CUSTOMERS], id);
		struct customer *customer =
			*link != NULL ? (struct customer *)*link : table_add(link, id, sizeof(*customer));
		for (int kind = 0; customer != NULL && kind < KINDS; kind++)
			booked += book_offer(customer, kind, find_cheapest(kind, trip->offers[kind]));
		stamp_last();
	}
	stamp_after();
	return booked;
}

TM_RUNS static long quote(const struct trip *trip)
{
	long price = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int kind = 0; kind < KINDS; kind++) {
			const struct offer *offer = find_cheapest(kind, trip->offers[kind]);
			price += offer != NULL ? offer->price : 0;
		}
		stamp_last();
	}
	stamp_after();
	return price;
}

/* The customer goes, and each booking with it. Returns how many there were. */
TM_SAFE static long return_bookings(struct table_entry **link)
{
	struct customer *customer = (struct customer *)*link;
	long returned = 0;
	for (struct booking *booking = customer->bookings; booking != NULL; returned++) {
		struct booking *next = booking->next;
		((struct offer *)*table_find(&tables[booking->kind], booking->offer))->taken--;
		free(booking);
		booking = next;
	}
	*link = customer->entry.next;
	free(customer);
	return returned;
}

TM_RUNS static long leave(long id)
{
	long returned = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct table_entry **link = table_find(&tables[CUSTOMERS], id);
		if (*link != NULL)
			returned = return_bookings(link);
		stamp_last();
	}
	stamp_after();
	return returned;
}

TM_SAFE static int list_offer(struct table_entry **end, long id, long price)
{
	struct offer *offer = table_add(end, id, sizeof(*offer));
	if (offer != NULL)
		offer->price = price;
	return offer != NULL;
}

/* One that is not listed is; one that is gets another price, or goes where nobody has booked it. Returns by how
 * much the number of offers has grown. */
TM_RUNS static int change_offer(enum kind kind, long id, long price)
{
	int grown = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		struct table_entry **link = table_find(&tables[kind], id);
		struct offer *offer = (struct offer *)*link;
		if (offer == NULL) {
			grown = list_offer(link, id, price);
		} else if (offer->taken != 0) {
			offer->price = price;
		} else {
			*link = offer->entry.next;
			free(offer);
			grown = -1;
		}
		stamp_last();
	}
	stamp_after();
	return grown;
}

static void draw_trip(struct worker *worker, struct trip *trip)
{
	for (int kind = 0; kind < KINDS; kind++)
		for (size_t i = 0; i < queries_len; i++)
			trip->offers[kind][i] = (long)worker_random(worker, offers_limit);
}

/* Of the updates 80 % are bookings and 15 % give some back: a customer comes to have some sixteen. */
static void serve(struct worker *worker)
{
	struct trip trip;
	long customer = (long)worker_random(worker, customers_limit);
	bool is_update = worker_random(worker, 100) < updates_percent;
	uint64_t choice = worker_random(worker, 100);
	if (!is_update || choice < 80)
		draw_trip(worker, &trip);
	if (!is_update)
		quote(&trip);
	else if (choice < 80)
		worker->tally[BOOKED] += book(customer, &trip);
	else if (choice < 95)
		worker->tally[RETURNED] += leave(customer);
	else
		worker->tally[LISTED] += change_offer((enum kind)worker_random(worker, KINDS),
			(long)worker_random(worker, offers_limit), 1 + (long)worker_random(worker, PRICE_LIMIT));
}

/* No transactions, for the main thread would be one more thread to the STM. */
static void open_tables(void)
{
	struct worker dice = {.random = 1};
	table_open(&tables[CUSTOMERS], customers_limit);
	for (int kind = 0; kind < KINDS; kind++) {
		table_open(&tables[kind], offers_limit);
		for (long id = 0; id < (long)offers_limit; id++)
			if (!list_offer(table_find(&tables[kind], id), id, 1 + (long)worker_random(&dice, PRICE_LIMIT)))
				options_refuse("no memory for offer %ld", id);
	}
}

static bool is_not_overbooked(const struct table_entry *offer)
{
	long taken = ((const struct offer *)offer)->taken;
	return taken >= 0 && taken <= SEATS;
}

static bool is_free(const struct table_entry *offer)
{
	return ((const struct offer *)offer)->taken == 0;
}

static bool has_real_bookings(const struct table_entry *customer)
{
	for (const struct booking *at = ((const struct customer *)customer)->bookings; at != NULL; at = at->next)
		if (*table_find(&tables[at->kind], at->offer) == NULL)
			return false;
	return true;
}

/* All customers leave: returns how many bookings they had. */
static int64_t return_all(void)
{
	int64_t returned = 0;
	for (size_t i = 0; i < tables[CUSTOMERS].chains_len; i++)
		while (tables[CUSTOMERS].chains[i] != NULL)
			returned += return_bookings(&tables[CUSTOMERS].chains[i]);
	return returned;
}

/* Nobody has bookings afterwards. */
static bool are_books_balanced(const struct worker *sum)
{
	int64_t listed = 0, unused = 0;
	for (int kind = 0; kind < KINDS; kind++)
		if (!table_check(&tables[kind], is_not_overbooked, &listed))
			return false;
	if (listed != (int64_t)(KINDS * offers_limit) + sum->tally[LISTED] ||
		!table_check(&tables[CUSTOMERS], has_real_bookings, &unused) ||
		return_all() != sum->tally[BOOKED] - sum->tally[RETURNED])
		return false;
	for (int kind = 0; kind < KINDS; kind++)
		if (!table_check(&tables[kind], is_free, &unused))
			return false;
	return true;
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double size = 256, people = 512, queries = 8, updates = 50;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"size", &size, 1, 1e8, true, "offers of each kind"},
		{"customers", &people, 1, 1e8, true, "who may have bookings"},
		{"queries", &queries, 1, MAX_QUERIES, true, "offers of each kind to choose from"},
		{"updates", &updates, 0, 100, true, "percent of operations that book, return or change"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	offers_limit = (uint64_t)size;
	customers_limit = (uint64_t)people;
	queries_len = (uint64_t)queries;
	updates_percent = (uint64_t)updates;
	open_tables();

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = are_books_balanced(&sum);
	run_print(&run, elapsed, &sum);
	printf("booked %lld\nreturned %lld\n", (long long)sum.tally[BOOKED], (long long)sum.tally[RETURNED]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	for (int i = 0; i < TABLES; i++)
		table_close(&tables[i]);
	return is_ok ? 0 : 1;
}
