/* SPDX-License-Identifier: MIT
 *
 * The rooms of the chat server. The names of users are in a std::map, which can be used in relaxed transactions only:
 * these are irrevocable. Fixed: they are in a table of arrays.
 */
#define CREW_PLUGIN
#include "plugin.h"

#include <map>
#include <string>

namespace
{

constexpr int Rooms = 500, Lines = 16, Users = 3000, Length = 24;

struct Room {
	alignas(64) long said;
	int users[Lines];
	long words[Lines];
};

struct Name {
	alignas(64) char letters[Length];
};

Room rooms[Rooms];

#ifdef FIXED
Name names[Users];
#else
std::map<int, std::string> names;
#endif

Name new_name(member *me)
{
	Name name{};
	for (int i = 0; i + 1 < Length; i++)
		name.letters[i] = static_cast<char>('a' + member_random(me, 26));
	return name;
}

void open_rooms()
{
	member random{};
	random.random = 88172645463325252u;
	for (int i = 0; i < Users; i++) {
#ifdef FIXED
		names[i] = new_name(&random);
#else
		names[i] = new_name(&random).letters;
#endif
	}
}

NOINLINE void say(Room *room, int user, long words)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		room->users[room->said % Lines] = user;
		room->words[room->said % Lines] = words;
		room->said++;
		stamp_last();
	}
	stamp_after();
	crew_count();
}

#ifdef FIXED
NOINLINE void rename_user(int user, const Name &name)
{
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		for (int i = 0; i < Length; i++)
			names[user].letters[i] = name.letters[i];
		stamp_last();
	}
	stamp_after();
}
#else
NOINLINE void rename_user(int user, const Name &name)
{
	stamp_before();
	__transaction_relaxed
	{
		stamp_first();
		names.erase(user);
		names[user] = name.letters;
		stamp_last();
	}
	stamp_after();
}
#endif

void serve(member *me)
{
	say(&rooms[member_random(me, Rooms)], static_cast<int>(member_random(me, Users)), 12);
}

void maintain(member *me)
{
	Name name = new_name(me);
	rename_user(static_cast<int>(member_random(me, Users)), name);
}

} // namespace

const struct plugin plugin = {open_rooms, serve, maintain};
