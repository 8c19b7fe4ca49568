#include "perfcore/branch_chain.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "perfcore/mem.h"

void branch_chain_destroy(struct branch_chain *chain)
{
	free(chain->addresses);
	*chain = (struct branch_chain){ 0 };
}

bool branch_chain_is_calls(uint64_t branch_sample_type)
{
	return branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK;
}

static void chain_add(struct branch_chain *chain, uint64_t address)
{
	chain->addresses =
		mem_grow(chain->addresses, chain->count, &chain->capacity,
			 sizeof(*chain->addresses));
	chain->addresses[chain->count++] = address;
}

/* A branch tells where the call stands; chains tell what is behind a call, and
 * their readers look 1 before it. */
void branch_chain_set(struct branch_chain *chain, struct sample *sample)
{
	if (!sample->n_branches)
		return;
	chain->count = 0;
	for (uint64_t i = 0; i < sample->n_callchain; i++) {
		if (sample->callchain[i] == (uint64_t)PERF_CONTEXT_USER)
			break;
		chain_add(chain, sample->callchain[i]);
	}
	chain_add(chain, (uint64_t)PERF_CONTEXT_USER);
	chain_add(chain, sample->mode == CPU_MODE_USER
				 ? sample->ip
				 : sample->branches[0].to);
	for (uint64_t i = 0; i < sample->n_branches; i++)
		chain_add(chain, sample->branches[i].from + 1);
	sample->callchain = chain->addresses;
	sample->n_callchain = chain->count;
}
