#include "perfcore/process_store.h"

#include <stdlib.h>

#include "perfcore/mem.h"

static uint32_t pool_put(struct pool *pool, void *item)
{
	uint32_t slot;

	if (pool->n_free) {
		slot = pool->free_slots[--pool->n_free];
	} else {
		pool->items = mem_grow(pool->items, pool->count,
				       &pool->capacity, sizeof(*pool->items));
		slot = (uint32_t)pool->count++;
	}
	pool->items[slot] = item;
	return slot;
}

static void pool_drop(struct pool *pool, uint32_t slot)
{
	pool->items[slot] = NULL;
	pool->free_slots =
		mem_grow(pool->free_slots, pool->n_free, &pool->free_capacity,
			 sizeof(*pool->free_slots));
	pool->free_slots[pool->n_free++] = slot;
}

static void pool_destroy(struct pool *pool)
{
	free(pool->items);
	free(pool->free_slots);
}

void process_store_init(struct process_store *store)
{
	*store = (struct process_store){ 0 };
	idmap_init(&store->by_pid);
	idmap_init(&store->by_tid);
}

struct instance *instance_find(const struct process_store *store, uint32_t pid)
{
	uint32_t slot = idmap_get(&store->by_pid, pid, 0);

	return slot == IDMAP_NONE ? NULL : store->instances.items[slot];
}

struct thread_entry *entry_at(const struct process_store *store, uint32_t tid)
{
	uint32_t slot = idmap_get(&store->by_tid, tid, 0);

	return slot == IDMAP_NONE ? NULL : store->threads.items[slot];
}

struct thread_entry *entry_find(const struct process_store *store,
				const struct instance *instance, uint32_t tid)
{
	struct thread_entry *entry = entry_at(store, tid);

	return entry && entry->instance == instance ? entry : NULL;
}

static void entry_free(struct process_store *store, struct thread_entry *entry)
{
	if (entry->next)
		entry->next->previous = entry->previous;
	if (entry->previous)
		entry->previous->next = entry->next;
	else
		entry->instance->threads = entry->next;
	/* Its tid may belong to another thread by now. */
	if (entry_at(store, entry->thread.tid) == entry)
		idmap_remove(&store->by_tid, entry->thread.tid, 0);
	pool_drop(&store->threads, entry->slot);
	free(entry);
}

static void instance_free(struct process_store *store,
			  struct instance *instance)
{
	while (instance->threads)
		entry_free(store, instance->threads);
	if (instance_find(store, instance->process.pid) == instance)
		idmap_remove(&store->by_pid, instance->process.pid, 0);
	pool_drop(&store->instances, instance->slot);
	maps_free(instance->process.maps);
	free(instance->image_path);
	free(instance);
}

void process_store_destroy(struct process_store *store)
{
	for (size_t i = 0; i < store->instances.count; i++) {
		if (store->instances.items[i])
			instance_free(store, store->instances.items[i]);
	}
	pool_destroy(&store->instances);
	pool_destroy(&store->threads);
	idmap_destroy(&store->by_pid);
	idmap_destroy(&store->by_tid);
}

static bool is_expired(const struct process_store *store, uint64_t end_ns)
{
	return store->now > end_ns && store->now - end_ns > PROCESS_KEEP_NS;
}

void entry_reap(struct process_store *store, struct instance *instance)
{
	struct thread_entry *entry;

	while ((entry = instance->ended_head) &&
	       is_expired(store, entry->end_ns)) {
		instance->ended_head = entry->next_ended;
		if (!instance->ended_head)
			instance->ended_tail = NULL;
		entry_free(store, entry);
	}
}

static void queue_ended(struct process_store *store, struct instance *instance)
{
	instance->is_queued = true;
	instance->next_ended = NULL;
	if (store->ended_tail)
		store->ended_tail->next_ended = instance;
	else
		store->ended_head = instance;
	store->ended_tail = instance;
}

void instance_reap(struct process_store *store)
{
	struct instance *instance;

	while ((instance = store->ended_head) &&
	       (!instance->process.has_ended ||
		is_expired(store, instance->process.end_ns))) {
		store->ended_head = instance->next_ended;
		if (!store->ended_head)
			store->ended_tail = NULL;
		instance->is_queued = false;
		/* One that exec brought back to life stays. */
		if (instance->process.has_ended)
			instance_free(store, instance);
	}
}

void entry_end(struct thread_entry *entry, uint64_t time)
{
	struct instance *instance = entry->instance;

	if (entry->has_ended)
		return;
	entry->has_ended = true;
	entry->end_ns = time;
	entry->next_ended = NULL;
	instance->n_alive--;
	if (instance->ended_tail)
		instance->ended_tail->next_ended = entry;
	else
		instance->ended_head = entry;
	instance->ended_tail = entry;
}

void instance_end(struct process_store *store, struct instance *instance,
		  uint64_t time)
{
	if (instance->process.has_ended)
		return;
	for (struct thread_entry *entry = instance->threads; entry;
	     entry = entry->next)
		entry_end(entry, time);
	instance->process.has_ended = true;
	instance->process.end_ns = time;
	if (!instance->is_queued)
		queue_ended(store, instance);
}

void instance_revive(struct instance *instance)
{
	instance->process.has_ended = false;
	instance->process.end_ns = 0;
	instance->has_main_ended = false;
}

struct instance *instance_add(struct process_store *store, uint32_t pid,
			      const char *comm, const char *exe)
{
	struct instance *instance = instance_find(store, pid);

	if (instance)
		instance_end(store, instance, store->now);
	instance = mem_calloc(1, sizeof(*instance));
	instance->process = (struct process){
		.pid = pid,
		.number = ++store->last_number,
		.uid = PROCESS_NO_TAG,
		.comm = comm,
		.exe = exe,
		.maps = maps_new(),
	};
	instance->slot = pool_put(&store->instances, instance);
	*idmap_at(&store->by_pid, pid, 0) = instance->slot;
	return instance;
}

struct thread_entry *entry_add(struct process_store *store,
			       struct instance *instance, uint32_t tid,
			       const char *comm)
{
	struct thread_entry *entry = entry_at(store, tid);

	if (entry)
		entry_end(entry, store->now);
	entry = mem_calloc(1, sizeof(*entry));
	entry->thread = (struct thread){ .process = &instance->process,
					 .tid = tid,
					 .comm = comm,
					 .tag = PROCESS_NO_TAG };
	entry->instance = instance;
	entry->next = instance->threads;
	if (entry->next)
		entry->next->previous = entry;
	instance->threads = entry;
	instance->n_alive++;
	entry->slot = pool_put(&store->threads, entry);
	*idmap_at(&store->by_tid, tid, 0) = entry->slot;
	return entry;
}
