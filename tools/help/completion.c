/* SPDX-License-Identifier: MIT
 * For each shell its own form: bash has functions that read tables, zsh takes a specification of each option, fish a
 * command for each word. */
#include "completion.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- what the tables say of words, and texts within quotes ---- */

/* Whether an option has a path for its value. */
static bool names_path(const char *value)
{
	static const char *const paths[] = {"FILE", "OUT", "DIR", "OTHER"};
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		if (value != NULL && strcmp(value, paths[i]) == 0)
			return true;
	}
	return false;
}

bool completion_runs_program(const struct command *command)
{
	return strstr(command->arguments, "COMMAND [ARG") != NULL;
}

static bool takes_files(const struct command *command)
{
	return strstr(command->arguments, "FILE") != NULL || strstr(command->arguments, "OLD...") != NULL;
}

struct words {
	const char *between;
	size_t count;
};

static void print_word(void *arg, const char *word, const char *help)
{
	struct words *words = arg;
	(void)help;
	printf("%s%s", words->count++ > 0 ? words->between : "", word);
}

/* Prints the words of an option's value with `between` two of them. Returns false if it has none. */
static bool print_words(const struct command *command, const struct option_row *row, const char *between)
{
	struct words words = {between, 0};
	command_each_choice(command, row, print_word, &words);
	return words.count > 0;
}

/* Prints the text within quotation marks of all three shells; `special` are the characters before which a backslash is
 * put, a quotation mark being one of them in any case. */
static void print_quoted(const char *text, const char *special)
{
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr(special, *text) != NULL)
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

/* ---- bash ---- */

static void print_bash_name(void *unused, const struct command *command, const struct option_row *row)
{
	(void)unused;
	(void)command;
	if (row->id < 128)
		printf(" -%c", row->id);
	printf(" --%s%s", row->name, row->value != NULL ? "=" : "");
}

/* The cases of one option: with '=', and without where the value may stand in a word of its own. */
static void print_bash_case(const struct command *command, const struct option_row *row)
{
	printf("\t%s:--%s=", command->name, row->name);
	if (row->value[0] != '[')
		printf(" | %s:--%s", command->name, row->name);
	if (row->value[0] != '[' && row->id < 128)
		printf(" | %s:-%c", command->name, row->id);
	fputs(") ", stdout);
}

static void print_bash_value(void *unused, const struct command *command, const struct option_row *row)
{
	(void)unused;
	if (row->value == NULL)
		return;
	print_bash_case(command, row);
	fputs("values=(", stdout);
	print_words(command, row, " ");
	printf(") has_value=1%s ;;\n", names_path(row->value) ? " is_path=1" : "");
}

static void print_bash_tables(const struct help_tables *tables)
{
	fputs("\tcase $command in\n", stdout);
	for (const struct command *const *command = tables->commands; *command != NULL; command++) {
		printf("\t%s) options='", (*command)->name);
		command_each_option(*command, print_bash_name, NULL);
		printf("'%s%s%s ;;\n", takes_files(*command) ? " takes_files=1" : "",
			completion_runs_program(*command) ? " runs_program=1" : "",
			(*command)->takes_commands ? " takes_commands=1" : "");
	}
	fputs("\tesac\n}\n\n# Sets what the value of option $1 of $command may be.\n_stmlog_value()\n{\n"
	      "\tvalues=() has_value= is_path=\n\tcase $command:$1 in\n",
		stdout);
	for (const struct command *const *command = tables->commands; *command != NULL; command++)
		command_each_option(*command, print_bash_value, NULL);
	fputs("\tesac\n}\n\n", stdout);
}

static const char bash_program[] =
	"_stmlog_files()\n"
	"{\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\tmapfile -t COMPREPLY < <(compgen -f -- \"$1\")\n"
	"}\n"
	"\n"
	"_stmlog_words()\n"
	"{\n"
	"\tmapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$2\")\n"
	"\tcase ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac\n"
	"}\n"
	"\n"
	"# Sets at to the position of the program to run; behind the word to complete if options go on there.\n"
	"_stmlog_program()\n"
	"{\n"
	"\tlocal values has_value is_path\n"
	"\tfor ((at = 2; at < COMP_CWORD; at++)); do\n"
	"\t\tcase ${COMP_WORDS[at]} in\n"
	"\t\t--) ((at++)); return ;;\n"
	"\t\t-*)\n"
	"\t\t\t_stmlog_value \"${COMP_WORDS[at]}\"\n"
	"\t\t\tif [[ ${COMP_WORDS[at + 1]-} == = ]]; then\n"
	"\t\t\t\t((at += 2))\n"
	"\t\t\telif [[ $has_value ]]; then\n"
	"\t\t\t\t((at++))\n"
	"\t\t\tfi ;;\n"
	"\t\t*) return ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"}\n"
	"\n"
	"_stmlog()\n"
	"{\n"
	"\tlocal current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]-} "
	"joined=\n"
	"\tlocal commands pages general options takes_files runs_program takes_commands values has_value is_path at=0\n"
	"\tCOMPREPLY=()\n"
	"\t_stmlog_command\n"
	"\tif ((COMP_CWORD == 1)); then\n"
	"\t\tcase $current in -*) _stmlog_words \"$general\" \"$current\" ;; *) _stmlog_words \"$commands\" "
	"\"$current\" ;; esac\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tif [[ $runs_program ]]; then\n"
	"\t\t_stmlog_program\n"
	"\t\tif ((at < COMP_CWORD)) && declare -F _command_offset >/dev/null; then\n"
	"\t\t\t_command_offset \"$at\"\n"
	"\t\t\treturn\n"
	"\t\telif ((at < COMP_CWORD)); then\n"
	"\t\t\t_stmlog_files \"$current\"\n"
	"\t\t\treturn\n"
	"\t\tfi\n"
	"\tfi\n"
	"\tif [[ $current == = ]]; then\n"
	"\t\t_stmlog_value \"$before=\"\n"
	"\t\tcurrent=\n"
	"\telif [[ $before == = ]]; then\n"
	"\t\t_stmlog_value \"${COMP_WORDS[COMP_CWORD - 2]}=\"\n"
	"\telif [[ $current == --*=* ]]; then\n"
	"\t\t_stmlog_value \"${current%%=*}=\"\n"
	"\t\tjoined=${current%%=*}= current=${current#*=}\n"
	"\telse\n"
	"\t\t_stmlog_value \"$before\"\n"
	"\tfi\n"
	"\tif [[ $is_path ]]; then\n"
	"\t\t_stmlog_files \"$current\"\n"
	"\telif [[ $has_value ]]; then\n"
	"\t\t_stmlog_words \"${values[*]-}\" \"$current\"\n"
	"\telif [[ $current == -* ]]; then\n"
	"\t\t_stmlog_words \"$options\" \"$current\"\n"
	"\telif [[ $takes_commands ]]; then\n"
	"\t\t_stmlog_words \"$commands$pages\" \"$current\"\n"
	"\telif [[ $takes_files || $runs_program ]]; then\n"
	"\t\t_stmlog_files \"$current\"\n"
	"\t\t[[ ! $runs_program ]] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -c -- \"$current\")\n"
	"\tfi\n"
	"\tCOMPREPLY=(\"${COMPREPLY[@]/#/$joined}\")\n"
	"}\n"
	"\n"
	"complete -F _stmlog stmlog\n";

static void print_bash_page(void *unused, const char *name, const char *title)
{
	(void)unused;
	(void)title;
	printf(" %s", name);
}

static void print_bash(const struct help_tables *tables)
{
	fputs("# Completes the words after stmlog in bash. Made by: stmlog help --completion=bash\n\n"
	      "# Sets what there is: commands, other pages of help, general options, the options of "
	      "$command.\n_stmlog_command()\n{\n"
	      "\tcommands='",
		stdout);
	for (const struct command *const *command = tables->commands; *command != NULL; command++)
		printf("%s%s", command != tables->commands ? " " : "", (*command)->name);
	fputs("' pages='", stdout);
	tables->each_page(print_bash_page, NULL);
	fputs("' general='", stdout);
	for (const struct option_row *row = tables->general; row->name != NULL; row++)
		printf("%s--%s", row != tables->general ? " " : "", row->name);
	fputs("' options= takes_files= runs_program= takes_commands=\n", stdout);
	print_bash_tables(tables);
	fputs(bash_program, stdout);
}

/* ---- zsh ---- */

/* What completes the value: its words, a file, or nothing but its name as a hint. */
static void print_zsh_value(const struct command *command, const struct option_row *row)
{
	bool is_optional = row->value[0] == '[';
	printf("%s", is_optional ? "::" : ":");
	if (names_path(row->value)) {
		fputs("file:_files", stdout);
		return;
	}
	fputs("value:(", stdout);
	print_words(command, row, " ");
	putchar(')');
}

static void print_zsh_option(void *unused, const struct command *command, const struct option_row *row)
{
	const char *equals = row->value == NULL ? "" : row->value[0] == '[' ? "=-" : "=";
	(void)unused;
	printf("\t\t\t'--%s%s[", row->name, equals);
	print_quoted(row->help, "[]:\\");
	putchar(']');
	if (row->value != NULL)
		print_zsh_value(command, row);
	fputs("' \\\n", stdout);
	if (row->id >= 128)
		return;
	printf("\t\t\t'-%c%s[", row->id, row->value != NULL ? "+" : "");
	print_quoted(row->help, "[]:\\");
	putchar(']');
	if (row->value != NULL)
		print_zsh_value(command, row);
	fputs("' \\\n", stdout);
}

static void print_zsh_arguments(const struct command *command)
{
	if (completion_runs_program(command))
		fputs("\t\t\t'(-)1:program: _command_names -e' '*::arguments: _normal'", stdout);
	else if (command->takes_commands)
		fputs("\t\t\t'1:command:->help'", stdout);
	else if (takes_files(command))
		fputs("\t\t\t'*:recording:_files'", stdout);
	else
		fputs("\t\t\t'*:argument: '", stdout);
}

static void print_zsh_page(void *unused, const char *name, const char *title)
{
	(void)unused;
	printf("\t\t'%s:", name);
	print_quoted(title, ":\\");
	fputs("'\n", stdout);
}

static void print_zsh(const struct help_tables *tables)
{
	fputs("#compdef stmlog\n# Completes the words after stmlog in zsh. Made by: stmlog help --completion=zsh\n\n"
	      "_stmlog()\n{\n\tlocal curcontext=\"$curcontext\" state line\n\tlocal -A opt_args\n\tlocal -a commands "
	      "pages\n"
	      "\tcommands=(\n",
		stdout);
	for (const struct command *const *command = tables->commands; *command != NULL; command++) {
		printf("\t\t'%s:", (*command)->name);
		print_quoted((*command)->summary, ":\\");
		fputs("'\n", stdout);
	}
	fputs("\t)\n\tpages=(\n", stdout);
	tables->each_page(print_zsh_page, NULL);
	fputs("\t)\n\t_arguments -C \\\n", stdout);
	for (const struct option_row *row = tables->general; row->name != NULL; row++)
		printf("\t\t'(- *)--%s[%s]' \\\n", row->name, row->help);
	fputs("\t\t'1:command:->command' '*::argument:->argument'\n\tcase $state in\n"
	      "\tcommand) _describe command commands ;;\n\targument)\n\t\tcase $words[1] in\n",
		stdout);
	for (const struct command *const *command = tables->commands; *command != NULL; command++) {
		printf("\t\t%s)\n\t\t\t_arguments -S \\\n", (*command)->name);
		command_each_option(*command, print_zsh_option, NULL);
		print_zsh_arguments(*command);
		fputs(" ;;\n", stdout);
	}
	fputs("\t\tesac\n\t\t[[ $state != help ]] || _describe 'command or page' commands -- pages "
	      ";;\n\tesac\n}\n\n_stmlog \"$@\"\n",
		stdout);
}

/* ---- fish: a command `complete` for each word that can be completed ---- */

static void print_fish_option(void *unused, const struct command *command, const struct option_row *row)
{
	(void)unused;
	printf("complete -c stmlog -n '__fish_seen_subcommand_from %s' -l %s", command->name, row->name);
	if (row->id < 128)
		printf(" -s %c", row->id);
	if (row->value != NULL && names_path(row->value)) {
		fputs(" -r -F", stdout);
	} else if (row->value != NULL && row->value[0] != '[') {
		fputs(" -x -a '", stdout);
		print_words(command, row, " ");
		putchar('\'');
	}
	fputs(" -d '", stdout);
	print_quoted(row->help, "\\");
	fputs("'\n", stdout);
}

static void print_fish_page(void *arg, const char *name, const char *title)
{
	const struct command *command = arg;
	printf("complete -c stmlog -n '__fish_seen_subcommand_from %s' -f -a %s -d '", command->name, name);
	print_quoted(title, "\\");
	fputs("'\n", stdout);
}

static void print_fish_arguments(const struct help_tables *tables, const struct command *command)
{
	const char *what = completion_runs_program(command) ? "(__fish_complete_subcommand --fcs-skip=2)" : "";
	if (what[0] == '\0' && !takes_files(command))
		printf("complete -c stmlog -n '__fish_seen_subcommand_from %s' -f\n", command->name);
	if (what[0] != '\0')
		printf("complete -c stmlog -n '__fish_seen_subcommand_from %s' -a '%s'\n", command->name, what);
	for (size_t i = 0; command->takes_commands && tables->commands[i] != NULL; i++)
		printf("complete -c stmlog -n '__fish_seen_subcommand_from %s' -f -a %s\n", command->name,
			tables->commands[i]->name);
	if (command->takes_commands)
		tables->each_page(print_fish_page, (void *)command);
}

static void print_fish(const struct help_tables *tables)
{
	fputs("# Completes the words after stmlog in fish. Made by: stmlog help --completion=fish\n\n", stdout);
	for (const struct option_row *row = tables->general; row->name != NULL; row++)
		printf("complete -c stmlog -n __fish_use_subcommand -l %s -d '%s'\n", row->name, row->help);
	for (const struct command *const *command = tables->commands; *command != NULL; command++) {
		printf("complete -c stmlog -n __fish_use_subcommand -f -a %s -d '", (*command)->name);
		print_quoted((*command)->summary, "\\");
		fputs("'\n", stdout);
		command_each_option(*command, print_fish_option, NULL);
		print_fish_arguments(tables, *command);
	}
}

/* ---- the table of shells ---- */

static const struct {
	const char *name;
	void (*print)(const struct help_tables *tables);
} shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};

bool completion_print(const struct help_tables *tables, const char *shell)
{
	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].print(tables);
			return true;
		}
	}
	return false;
}
