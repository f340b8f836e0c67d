/* SPDX-License-Identifier: MIT
 *
 * A text index: each document is put on a shelf, its words are hashed, and the posting list of each word gets the
 * document.
 */
#include "crew.h"

namespace
{

constexpr int Threads = CREW_THREADS(2), Words = 12, Letters = 24, Entries = 1 << 14, Shelves = 2;

struct Shelf {
	alignas(128) long documents;
	long last;
};

struct Posting {
	long document;
	long count;
};

Shelf shelves[Shelves];
alignas(128) Posting postings[Entries];

struct Document {
	long number;
	char words[Words][Letters];
	unsigned hashes[Words];
};

Document new_document(member *me)
{
	Document document;
	document.number = static_cast<long>(member_random(me, 1 << 20));
	for (auto &word : document.words)
		for (char &letter : word)
			letter = static_cast<char>('a' + member_random(me, 26));
	return document;
}

TM_SAFE void hash_words(Document *document)
{
	for (int i = 0; i < Words; i++) {
		unsigned hash = 2166136261u;
		for (int round = 0; round < 6; round++)
			for (char letter : document->words[i])
				hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619u;
		document->hashes[i] = hash;
	}
}

TM_SAFE void shelve(Shelf *shelf, const Document *document)
{
	shelf->documents++;
	shelf->last = document->number;
}

TM_SAFE void add_postings(const Document *document)
{
	for (unsigned hash : document->hashes) {
		Posting *posting = &postings[hash % Entries];
		posting->document = document->number;
		posting->count++;
	}
}

void index_document(member *me)
{
	Document document = new_document(me);
	Shelf *shelf = &shelves[member_random(me, Shelves)];
#ifdef FIXED
	hash_words(&document);
#endif
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
#ifdef FIXED
		add_postings(&document);
		shelve(shelf, &document);
#else
		shelve(shelf, &document);
		hash_words(&document);
		add_postings(&document);
#endif
		stamp_last();
	}
	stamp_after();
}

long look_up(member *me)
{
	Posting *posting = &postings[member_random(me, Entries)];
	long count;
	stamp_before();
	__transaction_atomic
	{
		stamp_first();
		count = posting->count;
		stamp_last();
	}
	stamp_after();
	return count;
}

void work(member *me)
{
	static long seen[Threads];
	while (is_open()) {
		index_document(me);
		for (int i = 0; i < 3; i++)
			seen[me->number] += look_up(me);
	}
}

} // namespace

int main(int argc, char **argv)
{
	return crew_run(argc, argv, Threads, work);
}
