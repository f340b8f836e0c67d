/* SPDX-License-Identifier: MIT
 *
 * A chat server: its rooms are in a plugin. Its threads pass on what users say; now and then a user changes his name.
 */
#include "plugin.h"

namespace
{

const struct plugin *chat;

void talk(member *me)
{
	while (is_open()) {
		if (member_random(me, 4) == 0)
			chat->maintain(me);
		else
			chat->serve(me);
		idle(8000);
	}
}

} // namespace

int main(int argc, char **argv)
{
	chat = plugin_load(argv[0]);
	return crew_run(argc, argv, crew_twice(), talk);
}
