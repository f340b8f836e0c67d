/* SPDX-License-Identifier: MIT
 *
 * A stand-in's declarations: as much of TinySTM's public interface as the module uses, so
 * that it can be tested without TinySTM. Written from what that interface is documented to
 * do; where the two differ, the real one is right.
 */
#ifndef STAND_IN_STM_H
#define STAND_IN_STM_H

struct stm_tx; /* the descriptor of a thread and the transaction it is in */

void stm_init(void);
struct stm_tx *stm_init_thread(void);
void stm_exit_thread(void);

/* Up to seven modules; 0: no room. Any callback may be NULL. */
int stm_register(void (*on_thread_init)(void *), void (*on_thread_exit)(void *), void (*on_start)(void *),
	void (*on_precommit)(void *), void (*on_commit)(void *), void (*on_abort)(void *), void *arg);

/* A key for data of a transaction, -1: none left; such data may be set and read by any thread. */
int stm_create_specific(void);
void stm_set_specific(int key, void *data);
void stm_set_specific_tx(struct stm_tx *tx, int key, void *data);
void *stm_get_specific(int key);
void *stm_get_specific_tx(struct stm_tx *tx, int key);

/* By name into *value; 0: there is no such. */
int stm_get_stats(const char *name, void *value);
int stm_get_parameter(const char *name, void *value);

#endif
