// SPDX-License-Identifier: MIT
//
// An order book. Bids and asks go to lists of their own, one for each thread, so that no two orders have data in
// common. The fault: the number of each order comes from one counter of the book, which each transaction raises.
// Without the fault each list numbers its orders itself. usage: word with|without
#include "meeting.h"
#include "program.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace market {

enum class Side : unsigned { bid, ask };

constexpr unsigned orders_of_a_side = 250, checking = 100000, writing = 100000;

struct Order {
	std::uint64_t id, price, amount;
};

template <Side side> class List
{
	alignas(64) std::array<Order, orders_of_a_side> orders{};
	alignas(64) std::size_t len = 0;
	std::uint64_t own_next_id = static_cast<unsigned>(side) + 1;

      public:
	// Even numbers for asks, odd ones for bids.
	std::uint64_t take_id()
	{
		const std::uint64_t id = own_next_id;
		own_next_id += 2;
		return id;
	}
	void append(const Order &order)
	{
		*(&orders[0] + len++) = order;
	}
	std::uint64_t sum_of_ids() const;
};

template <Side side> std::uint64_t List<side>::sum_of_ids() const
{
	std::uint64_t sum = 0;
	for (const Order &order : orders)
		sum += order.id;
	return sum;
}

struct Book {
	alignas(64) std::uint64_t next_id = 1;
	List<Side::bid> bids;
	List<Side::ask> asks;
	alignas(64) bool has_one_counter = false;
};

Book book;

template <Side side> __attribute__((noinline)) void place(List<side> &list, std::uint64_t price, std::uint64_t amount)
{
	__transaction_atomic
	{
		meeting_enter();
		program_work(checking);
		std::uint64_t id = book.has_one_counter ? book.next_id++ : list.take_id();
		Order order{id, price, amount};
		list.append(order);
		meeting_hold();
		program_work(writing);
	}
}

template <Side side> void place_all(List<side> &list)
{
	for (unsigned i = 0; i < orders_of_a_side; i++) {
		meeting_next();
		place(list, 100 + i % 9, 1 + i % 50);
	}
}

void trade(unsigned number)
{
	meeting_join(number, 2, book.has_one_counter ? orders_of_a_side - 50 : 0);
	if (number == 0)
		place_all(book.bids);
	else
		place_all(book.asks);
}

} // namespace market

int main(int argc, char **argv)
{
	using namespace market;
	book.has_one_counter = program_has_fault(argc, argv);
	program_run(2, trade);
	const std::uint64_t orders = 2 * orders_of_a_side, sum = book.bids.sum_of_ids() + book.asks.sum_of_ids();
	return program_result(sum == orders * (orders + 1) / 2, sum);
}
