// SPDX-License-Identifier: MIT
//
// A stock exchange. A broker sets prices; an analyst sums up last year's table, which nobody writes any more. The
// fault: the analyst reads the whole table in one transaction. Each commit of the broker's waits until that transaction
// is over, although they have no data in common. Without the fault the analyst reads without a transaction.
// usage: wait with|without
#include "program.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace exchange {

constexpr std::size_t days = 250, shares = 16;
constexpr unsigned reports = 300, thinking = 4000;

struct Quote {
	std::uint64_t price, volume;
};

template <std::size_t Days, std::size_t Shares> class Table
{
	std::array<std::array<Quote, Shares>, Days> quotes{};

      public:
	std::uint64_t fill(); // returns the turnover of all days
	std::uint64_t turnover() const;
};

template <std::size_t Days, std::size_t Shares> std::uint64_t Table<Days, Shares>::fill()
{
	std::uint64_t sum = 0;
	for (std::size_t day = 0; day < Days; day++)
		for (std::size_t share = 0; share < Shares; share++) {
			quotes[day][share] = Quote{100 + day % 7, share + 1};
			sum += (100 + day % 7) * (share + 1);
		}
	return sum;
}

template <std::size_t Days, std::size_t Shares> std::uint64_t Table<Days, Shares>::turnover() const
{
	std::uint64_t sum = 0;
	for (const auto &quotes_of_day : quotes) {
		for (const Quote &quote : quotes_of_day)
			sum += quote.price * quote.volume;
		program_work(thinking);
	}
	return sum;
}

// The turnover at one moment.
template <typename Table> __attribute__((noinline)) std::uint64_t turnover_at_once(const Table &table)
{
	std::uint64_t sum;
	__transaction_atomic
	{
		sum = table.turnover();
	}
	return sum;
}

Table<days, shares> last_year;
alignas(64) Quote today[shares];
std::atomic<bool> is_closed{false};
std::atomic<unsigned> begun{0};
std::uint64_t wanted_turnover, trades;
std::atomic<std::uint64_t> wrong_reports{0};
bool reads_at_once;

__attribute__((noinline)) void trade(Quote &quote, std::uint64_t price)
{
	__transaction_atomic
	{
		quote.price = price;
		quote.volume++;
	}
}

// Trades whenever the analyst has begun another report.
void broker()
{
	for (unsigned seen = 0; !is_closed.load(std::memory_order_acquire);) {
		if (begun.load(std::memory_order_acquire) == seen) {
			std::this_thread::yield();
			continue;
		}
		seen = begun.load(std::memory_order_acquire);
		trade(today[trades % shares], 100 + trades % 10);
		trades++;
	}
}

void analyst()
{
	for (unsigned report = 1; report <= reports; report++) {
		begun.store(report, std::memory_order_release);
		std::uint64_t sum = reads_at_once ? turnover_at_once(last_year) : last_year.turnover();
		wrong_reports += sum != wanted_turnover;
	}
	is_closed.store(true, std::memory_order_release);
}

void work(unsigned number)
{
	number == 0 ? broker() : analyst();
}

} // namespace exchange

int main(int argc, char **argv)
{
	using namespace exchange;
	reads_at_once = program_has_fault(argc, argv);
	wanted_turnover = last_year.fill();
	program_run(2, work);
	std::uint64_t volume = 0;
	for (const Quote &quote : today)
		volume += quote.volume;
	return program_result(volume == trades && wrong_reports == 0, wanted_turnover);
}
