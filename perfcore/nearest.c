#include "perfcore/nearest.h"

#include <ctype.h>
#include <string.h>

#define LENGTH_MAX 63

static unsigned int min3(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int least = a < b ? a : b;

	return least < c ? least : c;
}

static char folded(char byte)
{
	return (char)tolower((unsigned char)byte);
}

unsigned int nearest_distance(const char *a, const char *b)
{
	size_t n = strnlen(a, LENGTH_MAX), m = strnlen(b, LENGTH_MAX);
	unsigned int rows[3][LENGTH_MAX + 1];
	unsigned int *older = rows[0], *old = rows[1], *now = rows[2];

	for (size_t j = 0; j <= m; j++)
		old[j] = (unsigned int)j;
	for (size_t i = 1; i <= n; i++) {
		unsigned int *spare = older;

		now[0] = (unsigned int)i;
		for (size_t j = 1; j <= m; j++) {
			char x = folded(a[i - 1]), y = folded(b[j - 1]);

			now[j] = min3(old[j] + 1, now[j - 1] + 1,
				      old[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == folded(b[j - 2]) &&
			    y == folded(a[i - 2]) && older[j - 2] + 1 < now[j])
				now[j] = older[j - 2] + 1;
		}
		older = old;
		old = now;
		now = spare;
	}
	return old[m];
}

void nearest_offer(struct nearest *nearest, const char *name)
{
	unsigned int distance = nearest_distance(nearest->word, name);
	size_t limit = strlen(nearest->word) / 3;
	size_t at = nearest->count;

	if (distance > (limit > 2 ? limit : 2) || distance >= strlen(name))
		return;
	while (at > 0 && nearest->distances[at - 1] > distance)
		at--;
	if (at == NEAREST_MAX)
		return;
	if (nearest->count < NEAREST_MAX)
		nearest->count++;
	for (size_t i = nearest->count - 1; i > at; i--) {
		nearest->items[i] = nearest->items[i - 1];
		nearest->distances[i] = nearest->distances[i - 1];
	}
	nearest->items[at] = name;
	nearest->distances[at] = distance;
}
