/* SPDX-License-Identifier: MIT
 * Writes text with the marks of its meaning. */
#include "printer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report_memory.h"
#include "utf8.h"

void printer_text(const struct printer *printer, const char *text)
{
	printer->write(printer->arg, text, strlen(text));
}

void printer_format(const struct printer *printer, const char *format, ...)
{
	char few[256], *text = few;
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int len = vsnprintf(few, sizeof few, format, arguments);
	if (len >= (int)sizeof few) {
		text = memory_zeroed((size_t)len + 1, 1);
		vsnprintf(text, (size_t)len + 1, format, again);
	}
	va_end(again);
	va_end(arguments);
	printer_text(printer, text);
	if (text != few)
		memory_free(text);
}

void printer_bold(const struct printer *printer, const char *text)
{
	printer_text(printer, printer->is_coloured ? "\033[1m" : "");
	printer_text(printer, text);
	printer_text(printer, printer->is_coloured ? "\033[0m" : "");
}

static void mark(const struct printer *printer, enum printer_meaning meaning)
{
	if (printer->mark != NULL)
		printer->mark(printer, meaning);
}

void printer_marked(const struct printer *printer, enum printer_meaning meaning, const char *text)
{
	mark(printer, meaning);
	printer_text(printer, text);
	mark(printer, PRINTER_PLAIN);
}

void printer_place(const struct printer *printer, const char *name)
{
	mark(printer, PRINTER_PLACE);
	printer_name(printer, name);
	mark(printer, PRINTER_PLAIN);
}

void printer_spaces(const struct printer *printer, size_t count)
{
	while (count-- > 0)
		printer->write(printer->arg, " ", 1);
}

void printer_name(const struct printer *printer, const char *name)
{
	char *clean = utf8_clean(name, UTF8_HIDE_CONTROLS);
	printer_text(printer, clean);
	memory_free(clean);
}
