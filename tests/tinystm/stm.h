/* SPDX-License-Identifier: MIT
 *
 * The part of TinySTM's public interface that the module uses, so that it can be tested without TinySTM. Written after
 * that interface's documentation; where the two differ, TinySTM is right.
 */
#ifndef STAND_IN_STM_H
#define STAND_IN_STM_H

struct stm_tx; /* the descriptor of a thread and the transaction it is in */

void stm_init(void);
struct stm_tx *stm_init_thread(void);
void stm_exit_thread(void);

/* Registers a module, of which there may be seven; 0: there is no room. Each callback may be NULL. */
int stm_register(void (*on_thread_init)(void *), void (*on_thread_exit)(void *), void (*on_start)(void *),
	void (*on_precommit)(void *), void (*on_commit)(void *), void (*on_abort)(void *), void *arg);

/* A key for data of transactions; -1: none is left. Any thread may set and read such data. */
int stm_create_specific(void);
void stm_set_specific(int key, void *data);
void stm_set_specific_tx(struct stm_tx *tx, int key, void *data);
void *stm_get_specific(int key);
void *stm_get_specific_tx(struct stm_tx *tx, int key);

/* Stores the value with that name in *value; 0: there is none. */
int stm_get_stats(const char *name, void *value);
int stm_get_parameter(const char *name, void *value);

#endif
