/*
 * Lists of numbers as users write them: "1,5-7".
 */
#ifndef CLI_PROFILE_NUMBER_LIST_H
#define CLI_PROFILE_NUMBER_LIST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Is number in the list? Returns false too where the list is malformed; ask
 * number_list_is_valid first. Ranges include both ends.
 */
bool number_list_has(const char *list, uint32_t number);
bool number_list_is_valid(const char *list);

#endif
