/* SPDX-License-Identifier: MIT
 * Says what may stand in the place of the last word of a call, by the tables that --help is made of. The programs for
 * the shells hand on the words, and show the answer: a line for each word, a tab, and what the word means. Other lines
 * begin with a colon:
 *   :files TAB PREFIX      a path, behind the prefix, which may be empty
 *   :commands              a program
 *   :program TAB NUMBER    whatever may stand there in a call of the program that this word, counted from 0, names */
#include "completion.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- what the tables say ---- */

/* Whether an option has a path for its value. */
static bool names_path(const char *value)
{
	static const char *const paths[] = {"FILE", "OUT", "DIR", "OTHER"};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (strcmp(value, paths[i]) == 0)
			return true;
	}
	return false;
}

/* Whether the command's arguments are a program that it runs, with the program's arguments. */
static bool runs_program(const struct command *command)
{
	return strstr(command->arguments, "COMMAND [ARG") != NULL;
}

static bool takes_files(const struct command *command)
{
	return strstr(command->arguments, "FILE") != NULL || strstr(command->arguments, "OLD...") != NULL;
}

struct wanted_row {
	const char *word; /* "--by", "--by=pair", "-o" */
	const struct option_row *row;
};

static void match_row(void *arg, const struct command *command, const struct option_row *row)
{
	struct wanted_row *wanted = arg;
	const char *word = wanted->word;
	size_t len = strcspn(word, "="), name_len = strlen(row->name);
	bool is_long =
		strncmp(word, "--", 2) == 0 && len == name_len + 2 && strncmp(word + 2, row->name, name_len) == 0;
	bool is_short = len == 2 && word[0] == '-' && word[1] == row->id;
	(void)command;
	if (is_long || is_short)
		wanted->row = row;
}

/* NULL: the word is no option that has a value. */
static const struct option_row *row_of(const struct command *command, const char *word)
{
	struct wanted_row wanted = {word, NULL};
	command_each_option(command, match_row, &wanted);
	return wanted.row != NULL && wanted.row->value != NULL ? wanted.row : NULL;
}

/* Whether the word after this one is its value. */
static bool takes_next(const struct command *command, const char *word)
{
	const struct option_row *row = row_of(command, word);
	return row != NULL && row->value[0] != '[' && strchr(word, '=') == NULL;
}

/* ---- the answer ---- */

static void print_option(void *unused, const struct command *command, const struct option_row *row)
{
	(void)unused;
	(void)command;
	printf("--%s%s\t%s\n", row->name, row->value != NULL ? "=" : "", row->help);
}

static char no_prefix[] = "";

static void print_choice(void *prefix, const char *word, const char *help)
{
	printf("%s%s\t%s\n", (const char *)prefix, word, help != NULL ? help : "");
}

/* Commands, and the other pages of help if they may be named as well. */
static void print_commands(const struct help_tables *tables, bool with_pages)
{
	for (const struct command *const *command = tables->commands; *command != NULL; command++)
		printf("%s\t%s\n", (*command)->name, (*command)->summary);
	if (with_pages)
		tables->each_page(print_choice, no_prefix);
}

/* Returns the number of the word that names the program, or `last` if there is none before that word. bash splits words
 * at '='. */
static size_t program_at(const struct command *command, char **words, size_t last)
{
	for (size_t i = 1; i < last; i++) {
		if (strcmp(words[i], "--") == 0)
			return i + 1;
		if (words[i][0] != '-')
			return i;
		if (strcmp(words[i + 1], "=") == 0)
			i += 2;
		else if (takes_next(command, words[i]))
			i++;
	}
	return last;
}

/* Prints what the value of an option may be, if the last word is one. Returns whether it is. */
static bool print_values(const struct command *command, char **words, size_t last)
{
	const char *current = words[last], *before = words[last - 1], *option = NULL;
	char joined[64] = "";
	if (strcmp(current, "=") == 0 || takes_next(command, before))
		option = before;
	else if (strcmp(before, "=") == 0)
		option = words[last - 2];
	else if (strncmp(current, "--", 2) == 0 && strchr(current, '=') != NULL)
		option = current;
	const struct option_row *row = option != NULL ? row_of(command, option) : NULL;
	if (row == NULL)
		return false;
	if (option == current)
		snprintf(joined, sizeof joined, "--%s=", row->name);
	if (names_path(row->value))
		printf(":files\t%s\n", joined);
	else
		command_each_choice(command, row, print_choice, joined);
	return true;
}

static void complete_argument(
	const struct help_tables *tables, const struct command *command, char **words, size_t last)
{
	bool takes_program = runs_program(command);
	size_t at = takes_program ? program_at(command, words, last) : last;
	if (at < last)
		printf(":program\t%zu\n", at);
	else if (print_values(command, words, last))
		return;
	else if (words[last][0] == '-')
		command_each_option(command, print_option, NULL);
	else if (command->takes_commands)
		print_commands(tables, true);
	else if (takes_program || takes_files(command))
		printf(":files\n%s", takes_program ? ":commands\n" : "");
}

void completion_answer(const struct help_tables *tables, char **words, size_t len)
{
	if (len == 1 && words[0][0] == '-') {
		for (const struct option_row *row = tables->general; row->name != NULL; row++)
			print_option(NULL, NULL, row);
	} else if (len == 1) {
		print_commands(tables, false);
	}
	for (const struct command *const *command = tables->commands; *command != NULL && len > 1; command++) {
		if (strcmp((*command)->name, words[0]) == 0)
			complete_argument(tables, *command, words, len - 1);
	}
}

/* ---- the programs ---- */

static const char bash[] =
	"# Completes the words after stmlog in bash. Made by: stmlog help --completion=bash\n"
	"_stmlog()\n"
	"{\n"
	"\tlocal current=${COMP_WORDS[COMP_CWORD]} word meaning words= found\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS=$'\\t' read -r word meaning; do\n"
	"\t\tfound=()\n"
	"\t\tcase $word in\n"
	"\t\t:program)\n"
	"\t\t\tif declare -F _command_offset >/dev/null; then\n"
	"\t\t\t\t_command_offset $((meaning + 1))\n"
	"\t\t\t\treturn\n"
	"\t\t\tfi\n"
	"\t\t\tmapfile -t found < <(compgen -f -- \"$current\") ;;\n"
	"\t\t:files)\n"
	"\t\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\t\tmapfile -t found < <(compgen -f -P \"$meaning\" -- \"${current#\"$meaning\"}\") ;;\n"
	"\t\t:commands) mapfile -t found < <(compgen -c -- \"$current\") ;;\n"
	"\t\t*) words+=\"$word \" ;;\n"
	"\t\tesac\n"
	"\t\tCOMPREPLY+=(\"${found[@]}\")\n"
	"\tdone < <(\"${COMP_WORDS[0]}\" help --complete -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" 2>/dev/null)\n"
	"\t[[ $current != = ]] || current=\n"
	"\t[[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
	"\tcase ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null || : ;; esac\n"
	"}\n"
	"complete -F _stmlog stmlog\n";

static const char zsh[] =
	"#compdef stmlog\n"
	"# Completes the words after stmlog in zsh. Made by: stmlog help --completion=zsh\n"
	"_stmlog()\n"
	"{\n"
	"\tlocal line word meaning\n"
	"\tlocal -a found open\n"
	"\tfor line in \"${(@f)$(\"${words[1]}\" help --complete -- \"${(@)words[2,CURRENT]}\" 2>/dev/null)}\"; do\n"
	"\t\tword=${line%%$'\\t'*} meaning=${${line#\"$word\"}#$'\\t'}\n"
	"\t\tcase $word in\n"
	"\t\t:program) shift $((meaning + 1)) words; ((CURRENT -= meaning + 1)); _normal ;;\n"
	"\t\t:files) [[ -z $meaning ]] || compset -P \"$meaning\"; _files ;;\n"
	"\t\t:commands) _command_names -e ;;\n"
	"\t\t*=) open+=(\"${word//:/\\\\:}:$meaning\") ;;\n"
	"\t\t?*) found+=(\"${word//:/\\\\:}:$meaning\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\t((! $#found)) || _describe -o word found\n"
	"\t((! $#open)) || _describe -o option open -S ''\n"
	"}\n"
	"_stmlog \"$@\"\n";

static const char fish[] =
	"# Completes the words after stmlog in fish. Made by: stmlog help --completion=fish\n"
	"function __stmlog_words\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l current (commandline -ct)\n"
	"\tfor line in (command $words[1] help --complete -- $words[2..] \"$current\" 2>/dev/null)\n"
	"\t\tset -l parts (string split -m 1 \\t -- $line) ''\n"
	"\t\tswitch $parts[1]\n"
	"\t\t\tcase :program\n"
	"\t\t\t\t__fish_complete_subcommand --fcs-skip=(math $parts[2] + 1)\n"
	"\t\t\tcase :files\n"
	"\t\t\t\tprintf \"$parts[2]%s\\n\" (__fish_complete_path (string replace -- \"$parts[2]\" '' \"$current\"))\n"
	"\t\t\tcase :commands\n"
	"\t\t\t\t__fish_complete_command\n"
	"\t\t\tcase '*'\n"
	"\t\t\t\tstring match -q -- \"$current*\" $parts[1]; and printf '%s\\n' $line\n"
	"\t\tend\n"
	"\tend\n"
	"end\n"
	"complete -c stmlog -f -a '(__stmlog_words)'\n";

bool completion_print(const char *shell)
{
	const char *program = strcmp(shell, "bash") == 0   ? bash
			      : strcmp(shell, "zsh") == 0  ? zsh
			      : strcmp(shell, "fish") == 0 ? fish
							   : NULL;
	if (program != NULL)
		fputs(program, stdout);
	return program != NULL;
}
