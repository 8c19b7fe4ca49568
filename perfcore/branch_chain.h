/*
 * Branch records as a callchain: a CPU that keeps its last branches in call
 * stack mode (perf record --call-graph lbr) tells the calls that have not
 * returned yet. They are the user's part of the chain, complete up to the
 * depth of the hardware (8 to 32 calls).
 */
#ifndef PERFCORE_BRANCH_CHAIN_H
#define PERFCORE_BRANCH_CHAIN_H

#include "perfcore/event.h"

struct branch_chain {
	uint64_t *addresses; /* released by branch_chain_destroy */
	size_t count, capacity;
};

void branch_chain_destroy(struct branch_chain *chain);

/* Whether branches recorded so are calls (PERF_SAMPLE_BRANCH_CALL_STACK). */
bool branch_chain_is_calls(uint64_t branch_sample_type);

/* Makes the sample's callchain of its kernel part and its branches, in chain,
 * where it is valid until the next call. Does nothing without branches. */
void branch_chain_set(struct branch_chain *chain, struct sample *sample);

#endif
