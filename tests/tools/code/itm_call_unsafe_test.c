/* SPDX-License-Identifier: MIT
 * The call that made a transaction irrevocable, in functions that are written in assembly. They are never run. This
 * program is the module that ran; the names of libitm's entries, and of what is called, are its own. */
#include "loaded.h"

#include "own_module.h"
#include "symbol.h"

/* A function: begins as all do, has `body`, and labels behind the calls of libitm. */
#define FUNCTION(name, body)                               \
	__asm__(".text\n"                                  \
		".globl " #name "\n"                       \
		".type " #name ", @function\n" #name ":\n" \
		"endbr64\n"                                \
		"push %rbx\n" body "pop %rbx\n"            \
		"ret\n"                                    \
		".size " #name ", . - " #name "\n");

/* A label that C code can take the address of. */
#define LABEL(name)              \
	".globl at_" #name "\n"  \
	".hidden at_" #name "\n" \
	"at_" #name ":\n"
#define BEGIN(properties) "mov $" #properties ", %edi\nxor %eax, %eax\ncall _ITM_beginTransaction\n"
#define ASK "xor %edi, %edi\ncall _ITM_changeTransactionMode\n"
#define READ "mov %rbx, %rdi\ncall _ITM_RU8\n"
#define COMMIT "call _ITM_commitTransaction\n"

FUNCTION(_ITM_beginTransaction, "")
FUNCTION(_ITM_changeTransactionMode, "")
FUNCTION(_ITM_commitTransaction, "")
FUNCTION(_ITM_RU8, "")
FUNCTION(write_log, "")
FUNCTION(read_log, "")
FUNCTION(_ZdaPv, "") /* delete[] of C++, which transactions may call */

FUNCTION(asks, BEGIN(0x2b) READ ASK LABEL(asks) READ "mov $0x10, %esi\ncall write_log\ncall read_log\n" COMMIT)
FUNCTION(asks_library, BEGIN(0x2b) ASK LABEL(asks_library) "call psignal@plt\n" COMMIT)
FUNCTION(asks_slot, BEGIN(0x2b) ASK LABEL(asks_slot) "call *psignal@gotpcrel(%rip)\n" COMMIT)
FUNCTION(asks_two_ways,
	BEGIN(0x2b) ASK LABEL(
		asks_two_ways) "test %eax, %eax\njne 1f\nmov $1, %edi\n1:\ncall write_log\ncall read_log\n" COMMIT)
FUNCTION(asks_one_of_two,
	BEGIN(0x2b) ASK LABEL(
		asks_one_of_two) "test %eax, %eax\njne 1f\ncall write_log\njmp 2f\n1: call read_log\n2:\n" COMMIT)
FUNCTION(asks_any, BEGIN(0x2b) ASK LABEL(asks_any) "call *%rax\n" COMMIT)
FUNCTION(asks_unknown, BEGIN(0x2b) ASK LABEL(asks_unknown) ".byte 0x06\ncall write_log\n" COMMIT)
FUNCTION(asks_nothing, BEGIN(0x2b) ASK LABEL(asks_nothing) "mov $1, %eax\n" COMMIT "call write_log\n")
FUNCTION(begins, BEGIN(0x4a) LABEL(begins) "test $2, %al\njne 1f\ncall _ZdaPv\ncall write_log\n" COMMIT
					   "jmp 2f\n1: call write_log\n" COMMIT "2: call read_log\n")
FUNCTION(begins_loop, BEGIN(0x4a) LABEL(begins_loop) "1: call write_log\ndec %ebx\njne 1b\n" COMMIT)
FUNCTION(begins_with_two, BEGIN(0x4a) LABEL(begins_with_two) "call read_log\ncall write_log\n" COMMIT)
FUNCTION(begins_instrumented, BEGIN(0x2b) LABEL(begins_instrumented) "call write_log\n" COMMIT)
FUNCTION(calls_only, "call read_log\n" LABEL(calls_only) "call write_log\n")

static struct recording recording;
static struct symbols *symbols;

/* The call at a return address of this program; NULL: none. Borrowed until end(). */
static const char *call_at(const char *address)
{
	struct writer writer;
	writer_init(&writer);
	struct stmlog_module_record record = own_module();
	record.path = writer_string(&writer, own_module_path());
	writer_address(&writer, writer_module(&writer, &record), (uint64_t)(uintptr_t)address);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
	const struct symbol_frame *frame = symbols_unsafe_call(symbols, 0);
	assert_ptr_equal(frame, symbols_unsafe_call(symbols, 0));
	return frame != NULL ? frame->function : NULL;
}

static void end(void)
{
	symbols_destroy(&symbols);
	recording_fini(&recording);
}

#define NAMES(label, function)                           \
	do {                                             \
		extern const char at_##label[];          \
		const char *found = call_at(at_##label); \
		assert_non_null(found);                  \
		assert_string_equal(found, function);    \
		end();                                   \
	} while (0)
#define NAMES_NONE(label)                         \
	do {                                      \
		extern const char at_##label[];   \
		assert_null(call_at(at_##label)); \
		end();                            \
	} while (0)

TEST(the_first_call_behind_the_question_is_the_one)
{
	NAMES(asks, "write_log");
	NAMES(asks_two_ways, "write_log");
}

TEST(functions_of_libraries_are_named)
{
	NAMES(asks_library, "psignal");
	NAMES(asks_slot, "psignal");
}

TEST(where_more_than_one_is_possible_none_is_named)
{
	NAMES_NONE(asks_one_of_two);
	NAMES_NONE(asks_any);
	NAMES_NONE(asks_unknown);
	NAMES_NONE(asks_nothing);
}

TEST(a_transaction_that_is_irrevocable_from_the_start_has_one_unsafe_call)
{
	NAMES(begins, "write_log");
	NAMES(begins_loop, "write_log");
	NAMES_NONE(begins_with_two);
}

TEST(other_transactions_and_other_calls_are_not_looked_at)
{
	NAMES_NONE(begins_instrumented);
	NAMES_NONE(calls_only);
}
