/* SPDX-License-Identifier: MIT
 *
 * Bookkeeping with a journal on paper: a posting debits and credits some accounts; the one that completes an account's
 * page prints the page, within its transaction, which becomes irrevocable for that. Paper is /dev/null. Now and then a
 * thread balances the books: a transaction that only reads. Plain `gcc -fgnu-tm`; it knows of no profiler.
 *
 * Invariants: all balances add up to 0, in transactions, too; outside of them, as many pages were printed as the
 * accounts' numbers of entries say.
 */
#include "run.h"
#include "stamps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 32, LEGS = 3 };
enum tally { BALANCED, WRONG, PAGES };

struct account {
	_Alignas(64) long balance;
	long entries;
	long lines[LINES]; /* entry n is at n % LINES */
};

/* From and to which accounts how much. */
struct posting {
	struct account *from[LEGS], *to[LEGS];
	long amount[LEGS];
};

static struct account *accounts;
static uint64_t accounts_len;
static long page_len;
static FILE *paper;

/* Not transaction-safe: a transaction that calls it becomes irrevocable. */
__attribute__((noinline)) static long print_page(const struct account *account)
{
	stamp_irrevocable();
	for (int i = 0; i < LINES; i += 8)
		fprintf(paper, "%ld %ld\n", account->entries, account->lines[i]);
	fflush(paper);
	return 1;
}

/* Returns whether a page is complete. */
TM_SAFE static bool enter(struct account *account, long amount)
{
	account->lines[account->entries % LINES] = amount;
	account->entries++;
	account->balance += amount;
	return account->entries % page_len == 0;
}

/* Returns the number of pages printed. A complete page is printed when all entries have been made. */
TM_RUNS static long post(const struct posting *posting)
{
	long pages = 0;
	const struct account *complete[2 * LEGS];
	stamp_before();
	__transaction_relaxed
	{
		stamp_first();
		int len = 0;
		for (int i = 0; i < LEGS; i++) {
			if (enter(posting->from[i], -posting->amount[i]))
				complete[len++] = posting->from[i];
			if (enter(posting->to[i], posting->amount[i]))
				complete[len++] = posting->to[i];
		}
		stamp_upgrade();
		if (len != 0)
			for (int i = 0; i < len; i++)
				pages += print_page(complete[i]);
		stamp_last();
	}
	stamp_after();
	return pages;
}

TM_RUNS static long balance_all(void)
{
	long sum = 0;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (uint64_t i = 0; i < accounts_len; i++)
			sum += accounts[i].balance;
		stamp_last();
	}
	stamp_after();
	return sum;
}

static void serve(struct worker *worker)
{
	if (worker_random(worker, 64) == 0) {
		worker->tally[BALANCED]++;
		worker->tally[WRONG] += balance_all() != 0;
		return;
	}
	struct posting posting;
	for (int i = 0; i < LEGS; i++) {
		posting.from[i] = &accounts[worker_random(worker, accounts_len)];
		posting.to[i] = &accounts[worker_random(worker, accounts_len)];
		posting.amount[i] = (long)worker_random(worker, 1000);
	}
	worker->tally[PAGES] += post(&posting);
}

static void open_books(void)
{
	paper = fopen("/dev/null", "w");
	accounts = aligned_alloc(_Alignof(struct account), accounts_len * sizeof(*accounts));
	if (paper == NULL || accounts == NULL)
		options_refuse("no books for %llu accounts", (unsigned long long)accounts_len);
	for (uint64_t i = 0; i < accounts_len; i++)
		accounts[i] = (struct account){.balance = 0};
}

static bool are_books_right(int64_t pages)
{
	long sum = 0;
	for (uint64_t i = 0; i < accounts_len; i++) {
		sum += accounts[i].balance;
		pages -= accounts[i].entries / page_len;
	}
	return sum == 0 && pages == 0;
}

int main(int argc, char **argv)
{
	struct run run = RUN_DEFAULTS;
	double len = 64, page = 512;
	const struct option_row rows[] = {
		RUN_OPTIONS(&run),
		{"accounts", &len, 1, 1e6, true, "accounts; fewer contend more"},
		{"page", &page, 1, 1e9, true, "entries of an account that fill a page"},
	};
	options_parse(argc, argv, rows, sizeof(rows) / sizeof(rows[0]));
	accounts_len = (uint64_t)len;
	page_len = (long)page;
	open_books();

	struct worker sum;
	struct elapsed elapsed = run_workers(&run, serve, &sum);
	bool is_ok = sum.tally[WRONG] == 0 && are_books_right(sum.tally[PAGES]);
	run_print(&run, elapsed, &sum);
	printf("balanced %lld\npages %lld\n", (long long)sum.tally[BALANCED], (long long)sum.tally[PAGES]);
	printf("checksum %s\n", is_ok ? "ok" : "wrong");
	fclose(paper);
	free(accounts);
	return is_ok ? 0 : 1;
}
