/*
 * citus.h
 *		Where Citus distributes a statement.
 *
 * A backend that Citus opens for its own purposes has the settings of its
 * server, not those of the session that asked: noise would be drawn with
 * another epsilon than was asked for.
 */
#ifndef DP_SERVER_CITUS_H
#define DP_SERVER_CITUS_H

/*
 * Refuses to answer in such a backend, and on servers that Citus uses as
 * workers. In a database without the extension citus, which only superusers can
 * create, nothing is refused, whatever a session's application name. Error:
 * feature_not_supported.
 */
extern void dp_citus_refuse(void);

#endif
