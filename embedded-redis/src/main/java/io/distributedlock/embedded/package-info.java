/**
 * Starts real redis-servers for tests, benchmarks and the sample: one in a container or
 * as a process, or a master with Sentinels, or a cluster; and a PostgreSQL, alone, with a
 * standby, or behind a PgBouncer. Not for production: no password, no persistence of
 * Redis unless asked for.
 */
@NullMarked
package io.distributedlock.embedded;

import org.jspecify.annotations.NullMarked;
