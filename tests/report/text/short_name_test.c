/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "report_memory.h"
#include "short_name.h"
#include "test.h"
#include "utf8.h"

/* Frees the name. */
static void expect(char *name, const char *expected)
{
	assert_string_equal(name, expected);
	memory_free(name);
}

TEST(names_of_functions_are_without_arguments)
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
		{"std::ostream& operator<<(std::ostream&, Book<int> const&)", "operator<<"},
		{"main()::<lambda()>", "main::{lambda}"},
		{"ns::Box<int>::get(int, const char*) const::<lambda(int)>", "ns::Box::get::{lambda}"},
		{"T {anonymous}::copy(T) [with T = f(ns::Box)]", "copy"},
		{"auto main()::(anonymous class)::operator()(int) const", "main::{lambda}::operator()"},
		{"auto f()::(lambda at a.cc:8:1)::operator()() const [T = int]", "f::{lambda}::operator()"},
		{"int *ns::Apply::operator()(int)", "ns::Apply::operator()"},
		{"Pair<int>::operator->() const", "Pair::operator->"},
		{"operator new(unsigned long)", "operator new"},
		{"my step (phase 1)", "my step (phase 1)"},
		{"broken<int", "broken<int"},
		{"f()::<lambda(", "f()::<lambda("},
		{"<int>", "<int>"},
		{"", ""},
		{"stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue", "TBQueue.readTBQueue"},
		{"Main.transfer", "transfer"},
		{"Bank.Main.transfer", "transfer"},
		{":Main.main", "main"},
		{"Main.serve.go", "serve.go"},
		{"Bank.Remain.transfer", "Remain.transfer"},
		{"Main.<+>", "<+>"},
		{"base:GHC.Base..", "Base.."},
		{"base:GHC.Base.++", "Base.++"},
		{"Data.Map.:+>", "Map.:+>"},
		{"ghc-prim:GHC.Tuple.(,)", "Tuple.(,)"},
		{"Main.$fShowOp_$cshow", "$fShowOp_$cshow"},
		{"stm-2.5:Control.TVar", "Control.TVar"},
		{"TVar #3 of ghc-prim:GHC.Types.:", "TVar #3 of Types.:"},
		{"TVar #3", "TVar #3"},
		{"<+>", "<+>"},
		{"Bank.", "Bank."},
		{"Transfer.constprop.0", "Transfer.constprop.0"},
	};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		expect(short_name(names[i][0]), names[i][1]);
}

TEST(names_of_tvars_have_the_short_name_of_their_constructor)
{
	expect(short_object_name("TVar #3 of base:GHC.Conc.Sync.TVar"), "TVar #3 of Sync.TVar");
	expect(short_object_name("list of a.b:C.d (TVar #3 of base:GHC.Conc.Sync.TVar)"),
		"list of a.b:C.d (TVar #3 of Sync.TVar)");
	expect(short_object_name("head of list (left)"), "head of list (left)");
	expect(short_object_name("Main.counter"), "Main.counter");
}

TEST(the_module_is_in_front_of_the_function)
{
	static const char *const names[][2] = {
		{"stm-2.5.0.0:Control.Concurrent.STM.TBQueue.readTBQueue",
			"stm-2.5.0.0:Control.Concurrent.STM.TBQueue."},
		{"Main.main", "Main."},
		{":Main.main", ":Main."},
		{"Main.serve.go", "Main."},
		{"base:GHC.Base..", "base:GHC.Base."},
		{"Data.Map.!", "Data.Map."},
		{"Main.Op", "Main."},
		{"Bank_2.I'.get", "Bank_2.I'."},
		{"ghc-prim:GHC.Tuple.(,)", "ghc-prim:GHC.Tuple."},
	};
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		assert_int_equal(short_name_module(names[i][0]), strlen(names[i][1]));
	static const char *const others[] = {"", "main", "Bank", "Bank.", ":Main.", "Bank::place(int)", "std::map",
		"f.constprop.0", "<+>", ":+>", ".", ":", "a:b", "a:B", "0x12", "bank+0x1234", "A-b.c", "$A.b"};
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		assert_int_equal(short_name_module(others[i]), 0);
}

TEST(texts_are_cut_between_letters)
{
	static const struct {
		const char *text;
		size_t width;
		const char *cut;
	} cases[] = {{"abcdef", 6, "abcdef"}, {"abcdef", 5, "abc.."}, {"abcdef", 2, "ab"}, {"abcdef", 0, ""},
		{"\303\266\303\266\303\266\303\266", 3, "\303\266.."}, {"\303\266\303\266", 1, "\303\266"}};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[16];
		strcpy(text, cases[i].text);
		assert_string_equal(fit_cut(text, cases[i].width), cases[i].cut);
	}
}
