/* SPDX-License-Identifier: MIT
 * The program's labels. The agent has a function of its own for them, since the program may have a libstmlog as well.
 */
#include <stmlog/label.h>

STMLOG_API void stmlog_label_itm(const void *address, size_t size, const char *text)
{
	stmlog_label_on(address, size, text);
}
