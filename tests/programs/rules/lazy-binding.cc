// SPDX-License-Identifier: MIT
//
// A spelling checker. Each worker looks words up in transactions, with functions of the C library. The fault is in the
// link, not in the source: a function that is bound at its first call is never bound in a hardware transaction, which
// fails at that call. So this source is linked twice (tests/rules.mk): lazy-binding with -z lazy, and lazy-binding-now,
// which is without the fault, with -z now. For libitm's method htm. usage: lazy-binding
#include "program.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

// Functions without side effects, which may be called in transactions.
extern "C" {
__attribute__((transaction_pure)) int strcasecmp(const char *, const char *) noexcept;
__attribute__((transaction_pure)) int strncasecmp(const char *, const char *, std::size_t) noexcept;
__attribute__((transaction_pure)) std::size_t strspn(const char *, const char *) noexcept;
__attribute__((transaction_pure)) std::size_t strcspn(const char *, const char *) noexcept;
}

namespace spelling {

constexpr unsigned workers = 2, texts = 40;

constexpr std::array<const char *, 8> dictionary{
	"conflict", "commit", "begin", "abort", "lock", "wait", "reader", "writer"};

constexpr std::array<const char *, 8> text{"Begin", "lokc", "COMMIT", "writer", "42", "confict", "Abort", "reader"};

enum class Verdict : unsigned { right, prefix, number, wrong };

template <std::size_t Verdicts> struct alignas(64) Worker {
	std::array<std::uint64_t, Verdicts> verdicts{};
	std::uint64_t letters = 0;
};

std::array<Worker<4>, workers> all;

__attribute__((noinline)) Verdict judge(const char *word)
{
	Verdict verdict = Verdict::wrong;
	__transaction_atomic
	{
		for (std::size_t i = 0; i < dictionary.size(); i++) {
			const char *known = *(dictionary.begin() + i);
			if (strcasecmp(known, word) == 0)
				verdict = Verdict::right;
			else if (verdict == Verdict::wrong && strncasecmp(known, word, 4) == 0)
				verdict = Verdict::prefix;
		}
		if (verdict == Verdict::wrong && strspn(word, "0123456789") != 0)
			verdict = Verdict::number;
	}
	return verdict;
}

__attribute__((noinline)) void enter(Worker<4> &worker, Verdict verdict, const char *word)
{
	__transaction_atomic
	{
		std::uint64_t *first = &worker.verdicts[0];
		first[static_cast<unsigned>(verdict)]++;
		worker.letters += strcspn(word, "0123456789");
	}
}

void check(unsigned number)
{
	for (unsigned i = 0; i < texts; i++)
		for (const char *word : text)
			enter(all[number], judge(word), word);
}

bool is_right(const Worker<4> &worker)
{
	const std::array<std::uint64_t, 4> expected{5 * texts, texts, texts, texts};
	return worker.verdicts == expected;
}

} // namespace spelling

int main(int argc, char **)
{
	using namespace spelling;
	program_run(workers, check);
	bool are_right = argc == 1;
	std::uint64_t letters = 0;
	for (const Worker<4> &worker : all) {
		are_right = are_right && is_right(worker);
		letters += worker.letters;
	}
	return program_result(are_right, letters);
}
