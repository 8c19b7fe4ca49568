#include "cli/profile/number_list.h"

#include <ctype.h>
#include <stdlib.h>

/* Reads one "7" or "5-7" at *list and what separates it from the next. */
static bool take_range(const char **list, uint64_t *low, uint64_t *high)
{
	char *end;

	if (!isdigit((unsigned char)**list))
		return false;
	*low = *high = strtoull(*list, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return false;
		*high = strtoull(end + 1, &end, 10);
	}
	if (*low > *high || *high > UINT32_MAX)
		return false;
	if (*end == ',' && end[1])
		end++;
	else if (*end)
		return false;
	*list = end;
	return true;
}

bool number_list_has(const char *list, uint32_t number)
{
	uint64_t low, high;

	while (*list && take_range(&list, &low, &high))
		if (low <= number && number <= high)
			return true;
	return false;
}

bool number_list_is_valid(const char *list)
{
	uint64_t low, high;

	if (!*list)
		return false;
	while (*list)
		if (!take_range(&list, &low, &high))
			return false;
	return true;
}
