/* SPDX-License-Identifier: MIT
 * For bash, without the functions of the package bash-completion. What is completed depends on words before: bash has
 * split them at '=', which is a word of its own then. */
#include <stddef.h>
#include <stdio.h>

#include "completion.h"

static void print_name(void *unused, const struct command *command, const struct option_row *row)
{
	(void)unused;
	(void)command;
	if (row->id < 128)
		printf(" -%c", row->id);
	printf(" --%s%s", row->name, row->value != NULL ? "=" : "");
}

/* The cases of one option: with '=', and without where the value may stand in a word of its own. */
static void print_case(const struct command *command, const struct option_row *row)
{
	printf("\t%s:--%s=", command->name, row->name);
	if (row->value[0] != '[')
		printf(" | %s:--%s", command->name, row->name);
	if (row->value[0] != '[' && row->id < 128)
		printf(" | %s:-%c", command->name, row->id);
	fputs(") ", stdout);
}

static void print_value(void *unused, const struct command *command, const struct option_row *row)
{
	(void)unused;
	if (row->value == NULL)
		return;
	print_case(command, row);
	fputs("values=(", stdout);
	completion_words(command, row, " ");
	printf(") has_value=1%s ;;\n", completion_is_path(row->value) ? " is_path=1" : "");
}

static void print_tables(const struct help_tables *tables)
{
	fputs("\tcase $command in\n", stdout);
	for (const struct command *const *command = tables->commands; *command != NULL; command++) {
		printf("\t%s) options='", (*command)->name);
		command_each_option(*command, print_name, NULL);
		printf("'%s%s%s ;;\n", completion_takes_files(*command) ? " takes_files=1" : "",
			completion_runs_program(*command) ? " runs_program=1" : "",
			(*command)->takes_commands ? " takes_commands=1" : "");
	}
	fputs("\tesac\n}\n\n# Sets what the value of option $1 of $command may be.\n_stmlog_value()\n{\n"
	      "\tvalues=() has_value= is_path=\n\tcase $command:$1 in\n",
		stdout);
	for (const struct command *const *command = tables->commands; *command != NULL; command++)
		command_each_option(*command, print_value, NULL);
	fputs("\tesac\n}\n\n", stdout);
}

static const char body[] =
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

static void print_page(void *unused, const char *name, const char *title)
{
	(void)unused;
	(void)title;
	printf(" %s", name);
}

void completion_bash(const struct help_tables *tables)
{
	fputs("# Completes the words after stmlog in bash. Made by: stmlog help --completion=bash\n\n"
	      "# Sets what there is: commands, other pages of help, general options, the options of "
	      "$command.\n_stmlog_command()\n{\n"
	      "\tcommands='",
		stdout);
	for (const struct command *const *command = tables->commands; *command != NULL; command++)
		printf("%s%s", command != tables->commands ? " " : "", (*command)->name);
	fputs("' pages='", stdout);
	tables->each_page(print_page, NULL);
	fputs("' general='", stdout);
	for (const struct option_row *row = tables->general; row->name != NULL; row++)
		printf("%s--%s", row != tables->general ? " " : "", row->name);
	fputs("' options= takes_files= runs_program= takes_commands=\n", stdout);
	print_tables(tables);
	fputs(body, stdout);
}
