/* SPDX-License-Identifier: MIT
 * The table of the RTS's functions, which linked/ or preloaded/ fills in, and the changes of machine code. */
#include "real.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "loaded.h"

struct ghc_real ghc_real;

/* ---- memory with code, and other protections of it ---- */

bool near_code_protect(const void *at, size_t size, int protection)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), first = (uintptr_t)at & ~(page - 1);
	uintptr_t end = ((uintptr_t)at + size + page - 1) & ~(page - 1);
	return mprotect((void *)first, end - first, protection) == 0;
}

void *near_code_make(const void *bytes, size_t size, bool is_low)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | (is_low ? MAP_32BIT : 0);
	void *code = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (code == MAP_FAILED)
		return NULL;
	memcpy(code, bytes, size);
	if (mprotect(code, size, PROT_READ | PROT_EXEC) == 0)
		return code;
	munmap(code, size);
	return NULL;
}

/* ---- where TVars are created ----
 *
 * The end of stg_newTVarzh is replaced. It is the same in GHC 9.0 to 9.10. Only programs that are not
 * position-independent have it in this form; their code lies below 2 GiB, and so 31 bits hold the address.
 */

/* rax is the TVar. The top of the Haskell stack, in rbp, is the code to which the function returns. */
static const unsigned char known_end[] = {
	0x48, 0xc7, 0x40, 0x18, 0x00, 0x00, 0x00, 0x00, /* movq $0,0x18(%rax) */
	0x48, 0x89, 0xc3,                               /* mov %rax,%rbx */
	0xff, 0x65, 0x00,                               /* jmp *(%rbp) */
};
static const unsigned char noting_end[] = {
	0x48, 0x8b, 0x4d, 0x00,                   /* mov (%rbp),%rcx */
	0x31, 0xd2,                               /* xor %edx,%edx */
	0x48, 0x81, 0xf9, 0xff, 0xff, 0xff, 0x7f, /* cmp $0x7fffffff,%rcx */
	0x48, 0x0f, 0x47, 0xca,                   /* cmova %rdx,%rcx: code of a library is not noted */
	0x48, 0xc1, 0xe1, HS_UPDATES_BITS - 3,    /* shl $33,%rcx: the address is a multiple of 8 */
	0x48, 0x89, 0x48, 0x18,                   /* mov %rcx,0x18(%rax) */
	0x48, 0x89, 0xc3,                         /* mov %rax,%rbx */
	0xff, 0x65, 0x00,                         /* jmp *(%rbp) */
};
_Static_assert(offsetof(struct hs_tvar, updates) == 0x18, "the instructions");

static struct native_module program;

uintptr_t creation_of(const struct hs_tvar *tvar)
{
	uintptr_t code = hs_created_at(tvar);
	return native_module_has(&program, code) && hs_is_return(code) ? code : 0;
}

#define JUMP 0xe9
#define JUMP_BYTES 5

static bool write_jump(unsigned char *at, const unsigned char *target)
{
	int32_t distance = (int32_t)(target - (at + JUMP_BYTES));
	if (target - (at + JUMP_BYTES) != distance ||
		!near_code_protect(at, JUMP_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC))
		return false;
	at[0] = JUMP;
	memcpy(at + 1, &distance, sizeof distance);
	near_code_protect(at, JUMP_BYTES, PROT_READ | PROT_EXEC);
	return true;
}

bool creation_note(unsigned char *new_tvar)
{
	unsigned char *end = memmem(new_tvar, CREATION_BYTES, known_end, sizeof known_end);
	if (end == NULL)
		return false;
	program = native_module_find(new_tvar);
	const unsigned char *noting = near_code_make(noting_end, sizeof noting_end, true);
	return noting != NULL && write_jump(end, noting);
}
