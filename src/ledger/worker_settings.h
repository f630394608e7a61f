/*
 * worker_settings.h
 *		The settings that the ledger's worker runs with.
 */
#ifndef DP_LEDGER_WORKER_SETTINGS_H
#define DP_LEDGER_WORKER_SETTINGS_H

/*
 * What the server, the database or the superuser's role has as its settings
 * must neither stop a charge nor make it less than durable. A database's
 * owner, who may be anybody, can give it any setting that everybody may
 * change; these are all ignored, and of the server's those that matter. Called when
 * the worker has connected, and whenever the server's configuration was read.
 */
extern void dp_worker_settings_override(void);

#endif
