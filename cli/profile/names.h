/*
 * How many of a profile's frames have names: a part of how far it can be
 * trusted.
 */
#ifndef CLI_PROFILE_NAMES_H
#define CLI_PROFILE_NAMES_H

#include "cli/profile/profile.h"

/* Fills health.frames_named and frames_unnamed: frames as samples saw them,
 * without special ones. All frames must have their lines. */
void names_count(struct profile *profile);

#endif
