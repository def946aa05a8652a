/**
 * Starts a real redis-server for tests, benchmarks and the sample, in a container or as a
 * process. Not for production: no password, no persistence unless asked for.
 */
@NullMarked
package io.distributedlock.embedded;

import org.jspecify.annotations.NullMarked;
