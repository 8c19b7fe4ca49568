/*
 * Wall time: on a CPU, on the run queue and blocked together, a thread's
 * whole life. Made from the three when it is asked for, stored nowhere.
 */
#ifndef CLI_PROFILE_WALL_H
#define CLI_PROFILE_WALL_H

#include "cli/profile/profile.h"

/* Gives the profile the value type "wall" and returns its index; PROFILE_NONE
 * where one of the three was not recorded, or there is no room for it. */
uint32_t wall_add(struct profile *profile);

#endif
