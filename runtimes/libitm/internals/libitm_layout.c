/* SPDX-License-Identifier: MIT
 * libitm's choice of a method, made the way libitm makes it. And the layout of a libitm: parsed from the environment's
 * text, checked, and used to find libitm's data. */
#include "libitm_layout.h"

#include <cpuid.h>
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "filter.h"

/* ---- the method ---- */

const char *itm_method_name(enum itm_method method)
{
	static const char *const names[ITM_METHODS] = {
		[ITM_METHOD_LOCKS] = "ml_wt",
		[ITM_METHOD_GLOBAL_LOCK] = "gl_wt",
		[ITM_METHOD_SERIAL] = "serial",
		[ITM_METHOD_SERIAL_IRREVOCABLE] = "serialirr",
		[ITM_METHOD_SERIAL_ON_WRITE] = "serialirr_onwrite",
		[ITM_METHOD_HARDWARE] = "htm",
	};
	return names[method];
}

/* libitm makes the same test. */
static bool has_hardware(void)
{
	unsigned a, b, c, d;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_RTM) != 0;
}

/* True if `text` is the name, perhaps with blanks around it. */
static bool is_name(const char *text, const char *name)
{
	while (isspace((unsigned char)*text))
		text++;
	size_t len = strlen(name);
	if (strncmp(text, name, len) != 0)
		return false;
	for (text += len; isspace((unsigned char)*text); text++)
		;
	return *text == '\0';
}

/* The method in ITM_DEFAULT_METHOD. ITM_METHODS: none, or a value that libitm refuses. */
static enum itm_method wanted(void)
{
	const char *text = getenv("ITM_DEFAULT_METHOD");
	enum itm_method method = 0;
	while (method < ITM_METHODS && (text == NULL || !is_name(text, itm_method_name(method))))
		method++;
	return method;
}

enum itm_method itm_method_read(void)
{
	enum itm_method method = wanted();
	return method != ITM_METHODS ? method : has_hardware() ? ITM_METHOD_HARDWARE : ITM_METHOD_LOCKS;
}

bool itm_method_is_default(void)
{
	return wanted() == ITM_METHODS;
}

/* ---- the text of a layout ---- */

uintptr_t itm_counters_offset;
volatile AO_t itm_table_seen, itm_table_new;
struct itm_locks itm_locks;
static struct itm_layout used;

static int digit(char character)
{
	if (character >= '0' && character <= '9')
		return character - '0';
	return character >= 'a' && character <= 'f' ? character - 'a' + 10 : -1;
}

/* Skips "id=" and the build-id. Returns the rest; NULL: the text is about another libitm. */
static const char *skip_id(const char *text, const struct native_module *libitm)
{
	if (libitm->build_id_len == 0 || strncmp(text, "id=", 3) != 0)
		return NULL;
	text += 3;
	for (size_t i = 0; i < libitm->build_id_len; i++, text += 2)
		if (digit(text[0]) != libitm->build_id[i] >> 4 || digit(text[1]) != (libitm->build_id[i] & 15))
			return NULL;
	return text;
}

/* Takes ",KEY=HEX" into the layout. Returns the rest; NULL: the key is unknown or comes twice, or the value is wrong.
 */
static const char *parse_pair(const char *text, struct itm_layout *layout)
{
	static const struct {
		const char *key;
		size_t member;
	} keys[] = {
#define KEY(member) {"," #member "=", offsetof(struct itm_layout, member)},
		ITM_LAYOUT_MEMBERS(KEY)
#undef KEY
	};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		uintptr_t *value = (uintptr_t *)(void *)((char *)layout + keys[i].member);
		size_t len = strlen(keys[i].key);
		if (strncmp(text, keys[i].key, len) != 0 || *value != 0)
			continue;
		text += len;
		for (; digit(*text) >= 0 && *value <= UINT32_MAX; text++)
			*value = *value << 4 | (uintptr_t)digit(*text);
		return *value != 0 && (*text == ',' || *text == '\0') ? text : NULL;
	}
	return NULL;
}

/* ---- checking it ---- */

static bool is_word(const struct native_module *libitm, uintptr_t offset, size_t size)
{
	return offset % size == 0 && offset < libitm->end - libitm->start &&
	       native_module_is_writable(libitm->start + offset, size);
}

static bool is_possible(const struct itm_layout *layout, const struct native_module *libitm)
{
	const size_t max = ITM_STRUCT_MAX - ITM_REASONS * sizeof(uint32_t);
	return layout->counters <= max && layout->counters % sizeof(uint32_t) == 0 &&
	       (layout->commits == 0 || is_word(libitm, layout->commits, sizeof(AO_t))) &&
	       (layout->locks == 0 || is_word(libitm, layout->locks, sizeof(AO_t))) &&
	       (layout->dispatch == 0 || is_word(libitm, layout->dispatch, sizeof(void *))) &&
	       (layout->serial == 0 || is_word(libitm, layout->serial, sizeof(unsigned)));
}

struct itm_layout itm_layout_read(const char *text, const struct native_module *libitm)
{
	struct itm_layout layout = {0};
	if (text != NULL)
		text = skip_id(text, libitm);
	while (text != NULL && *text != '\0')
		text = parse_pair(text, &layout);
	return text != NULL && is_possible(&layout, libitm) ? layout : (struct itm_layout){0};
}

/* ---- using it ---- */

void itm_layout_use(const struct itm_layout *layout)
{
	used = *layout;
	itm_counters_offset = layout->counters;
}

bool itm_counters_are_known(void)
{
	return used.counters != 0;
}

static const void *word_at(const struct native_module *libitm, uintptr_t offset)
{
	return offset != 0 ? (const void *)(libitm->start + offset) : NULL;
}

struct itm_locks itm_locks_of(const struct native_module *libitm)
{
	return (struct itm_locks){
		.commit_count = word_at(libitm, used.commits),
		.table = word_at(libitm, used.locks),
		.dispatch = word_at(libitm, used.dispatch),
		.serial = word_at(libitm, used.serial),
	};
}

/* Has the kernel read the first byte and the last one, and look whether all pages between them are mapped: it returns
 * an error where we would fault. If the kernel or a filter may forbid the call, the range counts as readable, since the
 * check is only against forged layouts. A transaction is under way, and others wait for it: so the pages are not read
 * one by one. */
static bool is_readable(uintptr_t start, size_t size)
{
	enum { PAGE = 4096, PAGES = ITM_LOCKS * sizeof(AO_t) / PAGE + 1, ENDS = 2 };
	if (native_is_filtered())
		return true;
	const uintptr_t last = start + size - 1, first_page = start / PAGE * PAGE;
	unsigned char bytes[ENDS], in_memory[PAGES];
	const struct iovec to = {bytes, ENDS}, ends[ENDS] = {{(void *)start, 1}, {(void *)last, 1}};
	ssize_t got = process_vm_readv(getpid(), &to, 1, ends, ENDS, 0);
	if (got < 0 && (errno == ENOSYS || errno == EPERM))
		return true;
	return got == ENDS && mincore((void *)first_page, size, in_memory) == 0;
}

const volatile AO_t *itm_table_look(const volatile AO_t *table)
{
	int saved = errno;
	uintptr_t start = (uintptr_t)table;
	const size_t size = ITM_LOCKS * sizeof *table;
	bool is_table =
		start != 0 && start % sizeof *table == 0 && start < UINTPTR_MAX - size && is_readable(start, size);
	errno = saved;
	if (!is_table)
		return NULL;
	AO_store(&itm_table_seen, start);
	return table;
}

const volatile AO_t *itm_table_first(const volatile AO_t *table)
{
	if (AO_load(&itm_table_seen) == 0)
		return itm_table_look(table);
	AO_store(&itm_table_new, (AO_t)table);
	return NULL;
}

void itm_table_look_at_new(void)
{
	const volatile AO_t *table = (const volatile AO_t *)AO_load(&itm_table_new);
	AO_store(&itm_table_new, 0);
	itm_table_look(table);
}
