/* SPDX-License-Identifier: MIT
 * Text of any bytes in a picture. */
#include <stdlib.h>

#include "export_graph.h"
#include "test.h"

static char *text;
static size_t len;

static FILE *begin(void)
{
	FILE *out = open_memstream(&text, &len);
	assert_non_null(out);
	return out;
}

static void expect(FILE *out, const char *expected)
{
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

TEST(markup_stays_text)
{
	FILE *out = begin();
	graph_put(out, "a<b> && ]]>");
	expect(out, "a&lt;b&gt; &amp;&amp; ]]&gt;");
}

TEST(what_is_no_character_of_xml_is_replaced)
{
	FILE *out = begin();
	graph_put(out, "\x01\033[1m\n|\xff|\xef\xbf\xbe|\xef\xbf\xbf|\xef\xbf\xbd|\xc3\xa9");
	expect(out, "??[1m?|\xef\xbf\xbd|?|?|\xef\xbf\xbd|\xc3\xa9");
}

TEST(formatted_text_is_escaped_as_a_whole)
{
	FILE *out = begin();
	graph_say(out, "%s < %d", "<", 7);
	expect(out, "&lt; &lt; 7");
}

TEST(a_long_label_is_cut_between_characters_and_whole_in_its_title)
{
	FILE *out = begin();
	graph_label(out, 1, 2, " fill=\"red\"", "\xc3\xa9\xc3\xa9\xc3\xa9", 3);
	graph_label(out, 1, 2, "", "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 3);
	expect(out, "<text x=\"1.0\" y=\"2.0\" fill=\"red\">\xc3\xa9\xc3\xa9\xc3\xa9</text>\n"
		    "<text x=\"1.0\" y=\"2.0\"><title>\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9</title>"
		    "\xc3\xa9\xc3\xa9\xe2\x80\xa6</text>\n");
}
