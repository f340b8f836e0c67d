/* SPDX-License-Identifier: MIT
 * Makes the restartable sequence that the words of threads name, and finds where these words lie. */
#include "interruption.h"

#include <errno.h>
#include <sys/mman.h>

#include <atomic_ops.h>

/* The kernel expects this signature in the four bytes before the abort address of a sequence. glibc registers threads
 * with it. */
#if defined __x86_64__ && defined __LP64__
#define SIGNATURE UINT32_C(0x53053053)
#elif defined __aarch64__
#define SIGNATURE UINT32_C(0xd428bc00)
#endif

#ifdef SIGNATURE

/* ---- the sequence ---- */

/* The kernel reads this as long as a word names it, even if the library was unloaded meanwhile. So it is in a page of
 * its own that is never unmapped. */
struct sequence {
	uint32_t version;
	uint32_t flags;
	uint64_t start, length, abort;
	uint32_t signature; /* directly before `abort`; otherwise the kernel ends the process */
	uint8_t abort_code[4];
	uint8_t code[16]; /* at `start`; never run */
} __attribute__((aligned(32)));

/* struct sequence *; 0: not made yet, or no memory. Any thread stores it; release; partner: the loads below, which
 * acquire. */
static volatile AO_t sequence;

static AO_t make_sequence(void)
{
	int saved = errno;
	struct sequence *made = mmap(NULL, sizeof *made, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	errno = saved;
	if (made == MAP_FAILED)
		return 0;
	made->signature = SIGNATURE;
	made->start = (uintptr_t)made->code;
	made->length = sizeof made->code;
	made->abort = (uintptr_t)made->abort_code;
	/* If another thread was first, this page is never used, and stays mapped. */
	AO_compare_and_swap_full(&sequence, 0, (AO_t)made);
	return AO_load_acquire(&sequence);
}

/* ---- words ---- */

/* The offset from the thread pointer at which glibc has registered the kernel's structure (rseq(2)) of each thread, and
 * its size. glibc before 2.35 has no such symbols. */
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));
enum { WORD_AT = 8, REGISTERED_SIZE = 20 }; /* offset of the word in that structure; its least size */

ptrdiff_t interruption_place(void)
{
	if (&__rseq_size == NULL || &__rseq_offset == NULL || __rseq_size < REGISTERED_SIZE)
		return INTERRUPTION_NONE;
	if (AO_load_acquire(&sequence) == 0 && make_sequence() == 0)
		return INTERRUPTION_NONE;
	return __rseq_offset + WORD_AT;
}

static char *thread_pointer(void)
{
#ifdef __x86_64__
	char *pointer;
	__asm__("movq %%fs:0, %0" : "=r"(pointer)); /* gcc 10 has no __builtin_thread_pointer() */
	return pointer;
#else
	return __builtin_thread_pointer();
#endif
}

volatile uint64_t *interruption_word(ptrdiff_t place)
{
	return (volatile uint64_t *)(void *)(thread_pointer() + place);
}

void interruption_watch(volatile uint64_t *word)
{
	if (*word == 0)
		*word = AO_load_acquire(&sequence);
}

void interruption_unwatch(volatile uint64_t *word)
{
	if (*word != 0 && *word == AO_load_acquire(&sequence))
		*word = 0;
}

#else

/* ---- other processors ---- */

ptrdiff_t interruption_place(void)
{
	return INTERRUPTION_NONE;
}

volatile uint64_t *interruption_word(ptrdiff_t place)
{
	(void)place;
	return NULL;
}

void interruption_watch(volatile uint64_t *word)
{
	(void)word;
}

void interruption_unwatch(volatile uint64_t *word)
{
	(void)word;
}
#endif
