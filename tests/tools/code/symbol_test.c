/* SPDX-License-Identifier: MIT
 * The test names its own addresses: this program is the module that ran. */
#include "loaded.h"

#include <dlfcn.h>
#include <unistd.h>

#include "own_module.h"
#include "symbol.h"
#include "temp_dir.h"

#define HERE __attribute__((noinline, noclone))

/* A variable that symbol tables name. */
extern char symbol_test_accounts[4096];
char symbol_test_accounts[4096];

static char initialised[64] = "x";
static uint64_t zeroed[64];

static uint64_t address_within, line_within;

/* The return address of the call. */
static HERE void take_address(void)
{
	address_within = (uint64_t)(uintptr_t)__builtin_return_address(0);
	__asm__ volatile("" ::: "memory");
}

static HERE void an_outer_function(void)
{
	line_within = __LINE__ + 1;
	take_address();
	__asm__ volatile("" ::: "memory");
}

static inline __attribute__((always_inline)) void an_inlined_function(void)
{
	line_within = __LINE__ + 1;
	take_address();
	__asm__ volatile("" ::: "memory");
}

static HERE void a_function_around_an_inlined_one(void)
{
	an_inlined_function();
	__asm__ volatile("" ::: "memory");
}

/* As a hook of the header to vendor. */
#line 1 "build/stmlog-vendor.h"
static inline __attribute__((always_inline)) void stmlog_hook(void)
{
	take_address();
	__asm__ volatile("" ::: "memory");
}
#line 1 "stm.h"
static inline __attribute__((always_inline)) void lock_it(void)
{
	stmlog_hook();
}
static inline __attribute__((always_inline)) void write_of_a_header(void)
{
	lock_it();
}
#line 67 "tests/tools/code/symbol_test.c"

static inline __attribute__((always_inline)) void an_assignment(void)
{
	write_of_a_header();
}

static HERE void a_function_of_the_program(void)
{
	an_assignment();
	__asm__ volatile("" ::: "memory");
}

/* Not the code of the function above, for which the compiler would take it. */
static HERE void a_function_with_a_hook(void)
{
	stmlog_hook();
	__asm__ volatile("nop" ::: "memory");
}

static struct recording recording;
static struct symbols *symbols;

/* A recording with one module and one site, an address in it; opened. */
static void begin(const struct stmlog_module_record *module, const char *path, uint64_t address)
{
	struct writer writer;
	writer_init(&writer);
	struct stmlog_module_record record = *module;
	record.path = writer_string(&writer, path);
	writer_address(&writer, writer_module(&writer, &record), address);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
}

static void end(void)
{
	symbols_destroy(&symbols);
	recording_fini(&recording);
}

TEST(an_address_has_function_file_and_line_of_its_call)
{
	struct stmlog_module_record module = own_module();
	an_outer_function();
	begin(&module, own_module_path(), address_within);
	const struct symbol_site *site = symbols_site(symbols, 0);
	assert_int_equal(site->len, 1);
	assert_string_equal(site->frames[0].function, "an_outer_function");
	assert_string_equal(symbol_basename(site->frames[0].file), "symbol_test.c");
	assert_int_equal(site->frames[0].line, line_within);
	assert_string_equal(site->frames[0].module, own_module_path());
	assert_true(site->frames[0].offset == address_within - module.bias);
	assert_ptr_equal(symbols_site(symbols, 0), site);
	end();
}

/* The STM is a header: its functions are inlined in the program's, and its hooks in both. */
TEST(the_caller_of_a_hook_is_the_code_that_a_header_is_inlined_into)
{
	struct stmlog_module_record module = own_module();
	a_function_of_the_program();
	begin(&module, own_module_path(), address_within);
	const struct symbol_site *site = symbols_site(symbols, 0);
	assert_int_equal(site->len, 2);
	assert_string_equal(site->frames[0].function, "an_assignment");
	assert_string_equal(site->frames[1].function, "a_function_of_the_program");
	end();
}

TEST(the_caller_of_a_hook_is_the_function_that_calls_it)
{
	struct stmlog_module_record module = own_module();
	a_function_with_a_hook();
	begin(&module, own_module_path(), address_within);
	const struct symbol_site *site = symbols_site(symbols, 0);
	assert_int_equal(site->len, 1);
	assert_string_equal(site->frames[0].function, "a_function_with_a_hook");
	end();
}

/* Its debug information is large, and nobody has its sources. */
TEST_WITH(temp_dir_fixture, a_function_of_the_c_library_has_a_name_and_no_line)
{
	struct stmlog_module_record module = own_module();
	assert_int_equal(symlink(own_module_path(), temp_dir_path("libc.so.6")), 0);
	an_outer_function();
	begin(&module, temp_dir_path("libc.so.6"), address_within);
	const struct symbol_site *site = symbols_site(symbols, 0);
	assert_int_equal(site->len, 1);
	assert_string_equal(site->frames[0].function, "an_outer_function");
	assert_null(site->frames[0].file);
	assert_int_equal(site->frames[0].line, 0);
	end();
}

TEST(an_inlined_function_is_a_frame_of_its_own)
{
	struct stmlog_module_record module = own_module();
	a_function_around_an_inlined_one();
	begin(&module, own_module_path(), address_within);
	const struct symbol_site *site = symbols_site(symbols, 0);
	assert_int_equal(site->len, 2);
	assert_string_equal(site->frames[0].function, "an_inlined_function");
	assert_int_equal(site->frames[0].line, line_within);
	assert_string_equal(site->frames[1].function, "a_function_around_an_inlined_one");
	assert_int_equal(site->frames[1].line, line_within + 6);
	end();
}

TEST(another_build_is_not_believed)
{
	struct stmlog_module_record module = own_module();
	module.build_id[0] ^= 1;
	begin(&module, own_module_path(), address_within);
	const struct symbol_site *site = symbols_site(symbols, 0);
	assert_int_equal(site->len, 1);
	assert_null(site->frames[0].function);
	assert_true(site->frames[0].offset == address_within - module.bias);
	assert_null(symbols_object(symbols, (uintptr_t)symbol_test_accounts));
	end();
	module.build_id_len = 0;
	begin(&module, own_module_path(), address_within);
	assert_null(symbols_site(symbols, 0)->frames[0].function);
	end();
}

TEST(without_the_file_there_are_module_and_offset)
{
	static const char *const paths[] = {
		"/nowhere/at/all", "/dev/zero", "/tmp", "linux-vdso.so.1", "", "/etc/passwd"};
	struct stmlog_module_record module = own_module();
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
		begin(&module, paths[i], address_within);
		const struct symbol_site *site = symbols_site(symbols, 0);
		assert_int_equal(site->len, 1);
		assert_null(site->frames[0].function);
		assert_string_equal(site->frames[0].module, paths[i]);
		end();
	}
}

TEST(an_address_within_nothing_known_has_no_name)
{
	static const uint64_t addresses[] = {0, 1, 0x1000, UINT64_MAX, INT64_MAX};
	struct stmlog_module_record module = own_module();
	for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
		begin(&module, own_module_path(), addresses[i]);
		assert_null(symbols_site(symbols, 0)->frames[0].function);
		end();
	}
}

/* The recording says where the module was; it may say anything. */
TEST(any_bias_is_survived)
{
	static const uint64_t biases[] = {0, 1, 0xfff, UINT64_MAX, UINT64_MAX - 0x1000, INT64_MAX, 0x7fffffffffff};
	struct stmlog_module_record module = own_module();
	for (size_t i = 0; i < sizeof biases / sizeof biases[0]; i++) {
		module.bias = biases[i];
		begin(&module, own_module_path(), address_within);
		assert_int_not_equal(symbols_site(symbols, 0)->len, 0);
		free(symbols_object(symbols, (uintptr_t)symbol_test_accounts));
		end();
	}
}

static void expect_object(uint64_t address, const char *expected)
{
	OWNED(owned_free) char *name = symbols_object(symbols, address);
	assert_non_null(name);
	assert_string_equal(name, expected);
}

/* Symbols that only look like those of Haskell, and one without a size. */
extern const char Bank_transfer_info[], symbol_test_unsized[];
__asm__(".text\n"
	".globl Bank_transfer_info, symbol_test_unsized\n"
	"Bank_transfer_info: nop\n nop\n"
	".size Bank_transfer_info, . - Bank_transfer_info\n"
	"symbol_test_unsized: nop\n nop\n"
	".previous\n");

TEST(symbols_of_a_program_without_haskell_are_names_as_they_are)
{
	struct stmlog_module_record module = own_module();
	begin(&module, own_module_path(), (uintptr_t)Bank_transfer_info + 1);
	assert_string_equal(symbols_site(symbols, 0)->frames[0].function, "Bank_transfer_info");
	end();
	begin(&module, own_module_path(), (uintptr_t)symbol_test_unsized + 1);
	assert_string_equal(symbols_site(symbols, 0)->frames[0].function, "symbol_test_unsized");
	end();
}

TEST(an_object_is_a_variable_and_an_element)
{
	struct stmlog_module_record module = own_module();
	begin(&module, own_module_path(), address_within);
	uint64_t accounts = (uintptr_t)symbol_test_accounts;
	expect_object(accounts, "symbol_test_accounts[0]");
	expect_object(accounts + 128, "symbol_test_accounts[128]");
	expect_object(accounts + 4095, "symbol_test_accounts[4095]");
	char *heap = malloc(16);
	assert_null(symbols_object(symbols, (uintptr_t)heap));
	assert_null(symbols_object(symbols, 0));
	assert_null(symbols_object(symbols, UINT64_MAX));
	free(heap);
	end();
}

TEST(variables_of_one_file_are_known_too)
{
	struct stmlog_module_record module = own_module();
	begin(&module, own_module_path(), address_within);
	expect_object((uintptr_t)&initialised[63], "initialised[63]");
	expect_object((uintptr_t)&zeroed[2], "zeroed[2]");
	end();
}

/* A variable of which debug information knows nothing. */
extern char symbol_test_untyped[16];
__asm__(".data\n"
	".globl symbol_test_untyped\n"
	".type symbol_test_untyped, @object\n"
	"symbol_test_untyped: .zero 16\n"
	".size symbol_test_untyped, 16\n"
	".previous\n");

TEST(a_variable_without_a_type_has_an_offset)
{
	struct stmlog_module_record module = own_module();
	begin(&module, own_module_path(), address_within);
	expect_object((uintptr_t)symbol_test_untyped, "symbol_test_untyped");
	expect_object((uintptr_t)symbol_test_untyped + 8, "symbol_test_untyped+8");
	end();
}

/* The library's debug information need not be there. */
TEST(a_variable_of_a_library_is_known)
{
	Dl_info info;
	assert_int_not_equal(dladdr(stdout, &info), 0);
	struct stmlog_module_record module = module_of(stdout);
	begin(&module, info.dli_fname, address_within);
	char *name = symbols_object(symbols, (uintptr_t)stdout + 8);
	assert_non_null(name);
	assert_int_equal(strncmp(name, "_IO_2_1_stdout_", strlen("_IO_2_1_stdout_")), 0);
	free(name);
	end();
}

TEST(sites_that_the_recording_names_need_no_file)
{
	struct writer writer;
	writer_init(&writer);
	writer_place(&writer, "transfer", "src/bank.c", 61);
	writer_place(&writer, "", "", 0);
	struct stmlog_site_record opaque = {.kind = STMLOG_SITE_OPAQUE,
		.module = STMLOG_NO_MODULE,
		.code = 0xabc,
		.position = 7,
		.function = writer_string(&writer, "loop"),
		.line = 3};
	writer_site(&writer, &opaque);
	opaque.function = 0;
	writer_site(&writer, &opaque);
	writer_address(&writer, STMLOG_NO_MODULE, 0x1234);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
	assert_string_equal(symbols_site(symbols, 0)->frames[0].function, "transfer");
	assert_string_equal(symbols_site(symbols, 0)->frames[0].file, "src/bank.c");
	assert_int_equal(symbols_site(symbols, 0)->frames[0].line, 61);
	assert_null(symbols_site(symbols, 1)->frames[0].file);
	assert_string_equal(symbols_site(symbols, 2)->frames[0].function, "loop");
	assert_string_equal(symbols_site(symbols, 3)->frames[0].function, "code 0xabc position 0x7");
	assert_null(symbols_site(symbols, 4)->frames[0].function);
	assert_int_equal(symbols_site(symbols, 4)->frames[0].offset, 0x1234);
	end();
}

/* Named by `stmlog anonymize`: in a module, and inlined into one another. */
TEST(a_named_address_has_the_frames_of_the_recording)
{
	struct writer writer;
	writer_init(&writer);
	struct stmlog_module_record module = {.start = 0x1000, .end = 0x2000, .bias = 0x800};
	module.path = writer_string(&writer, "module_1/libc.so");
	struct stmlog_site_record site = {.kind = STMLOG_SITE_NAMED,
		.module = writer_module(&writer, &module),
		.code = 3ull << 32 | 2,
		.position = 0x1234,
		.function = writer_string(&writer, "function_1"),
		.file = writer_string(&writer, "file_1.hs"),
		.line = 51,
		.last_line = 53};
	writer_site(&writer, &site);
	site.code = site.function = site.last_line = 0;
	writer_site(&writer, &site);
	site.function = writer_string(&writer, "function_2");
	writer_site(&writer, &site);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
	const struct symbol_site *found = symbols_site(symbols, 0);
	assert_int_equal(found->len, 2);
	assert_string_equal(found->frames[0].function, "function_1");
	assert_string_equal(found->frames[0].file, "file_1.hs");
	assert_int_equal(found->frames[0].line, 51);
	assert_int_equal(found->frames[0].last_line, 53);
	assert_string_equal(found->frames[0].module, "module_1/libc.so");
	assert_int_equal(found->frames[0].offset, 0xa34);
	assert_null(found->frames[1].function);
	assert_int_equal(found->frames[1].line, 51);
	assert_int_equal(symbols_site(symbols, 1)->len, 1);
	assert_false(symbols_lack_lines(symbols, 0));
	assert_string_equal(symbols_unsafe_call(symbols, 0)->function, "function_2");
	assert_null(symbols_unsafe_call(symbols, 1));
	end();
}

TEST(named_addresses_in_a_circle_have_an_end)
{
	struct writer writer;
	writer_init(&writer);
	struct stmlog_site_record site = {.kind = STMLOG_SITE_NAMED, .module = STMLOG_NO_MODULE, .code = 1};
	writer_site(&writer, &site);
	assert_int_equal(load_written(&recording, &writer), RECORDING_WHOLE);
	symbols = symbols_create(&recording);
	assert_int_equal(symbols_site(symbols, 0)->len, 16);
	end();
}

TEST(startup_code_is_known_by_its_library)
{
	static char start[] = "_start", user[] = "main";
	const struct {
		struct symbol_frame frame;
		bool is_startup;
	} frames[] = {
		{{.module = "/lib/x86_64-linux-gnu/libc.so.6"}, true},
		{{.module = "/lib64/ld-linux-x86-64.so.2"}, true},
		{{.module = "/usr/lib/libstdc++.so.6.0.30"}, true},
		{{.module = "/usr/bin/bank", .function = start}, true},
		{{.module = "/usr/bin/bank", .function = user}, false},
		{{.module = "/opt/libc.so.d/libbank.so"}, false},
		{{.module = NULL, .function = user}, false},
		{{.module = NULL}, false},
	};
	for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
		assert_int_equal(symbol_is_startup(&frames[i].frame), frames[i].is_startup);
}
