/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fit.h"
#include "report_arena.h"
#include "short_name.h"

static void shorten(void *unused)
{
	static const char *const names[][2] = {
		{"transfer", "transfer"},
		{"code 0x12 position 0x3", "code 0x12 position 0x3"},
		{"(starved: runs alone after 101 failed attempts)", "(starved: runs alone after 101 failed attempts)"},
		{"Book::place(unsigned int)", "Book::place"},
		{"Book<unsigned long, std::map<int, int> >::place_bid(unsigned long)", "Book::place_bid"},
		{"unsigned long Book<int>::get<char>(int) const", "Book::get"},
		{"(anonymous namespace)::Book::print(std::function<void (int)>)", "Book::print"},
		{"main(int, char**)::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()"},
		{"f(int) const::{lambda()#2}::operator()() const", "f::{lambda#2}::operator()"},
		{"operator<< <char>(std::ostream&, char)", "operator<<"},
		{"std::ostream& operator<<(std::ostream&, Book<int> const&)", "std::ostream& operator<<"},
		{"Pair<int>::operator->() const", "Pair::operator->"},
		{"operator new(unsigned long)", "operator new"},
		{"my step (phase 1)", "my step (phase 1)"},
		{"broken<int", "broken<int"},
		{"<int>", "<int>"},
		{"", ""},
	};
	(void)unused;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_string_equal(short_name(names[i][0]), names[i][1]);
}

static void names_of_functions_are_without_arguments(void **state)
{
	(void)state;
	assert_int_equal(report_arena_run(shorten, NULL), 0);
}

static void texts_are_cut_between_letters(void **state)
{
	static const struct {
		const char *text;
		size_t width;
		const char *cut;
	} cases[] = {{"abcdef", 6, "abcdef"}, {"abcdef", 5, "abc.."}, {"abcdef", 2, "ab"}, {"abcdef", 0, ""},
		{"\303\266\303\266\303\266\303\266", 3, "\303\266.."}, {"\303\266\303\266", 1, "\303\266"}};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[16];
		strcpy(text, cases[i].text);
		assert_string_equal(fit_cut(text, cases[i].width), cases[i].cut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_functions_are_without_arguments),
		cmocka_unit_test(texts_are_cut_between_letters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
