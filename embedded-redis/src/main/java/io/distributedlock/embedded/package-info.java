/**
 * Starts real redis-servers for tests, benchmarks and the sample: one in a container or
 * as a process, or a master with Sentinels, or a cluster. Not for production: no
 * password, no persistence unless asked for.
 */
@NullMarked
package io.distributedlock.embedded;

import org.jspecify.annotations.NullMarked;
