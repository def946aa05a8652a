/**
 * What the protocol between locks and Redis costs: commands, bytes, processor time of the
 * server, throughput beside raw commands, and crowds. One main class prints one table for
 * each. Uses only the public interface of the library, so that the same command measures
 * any version of it. Nothing here is published or asserted.
 */
@NullMarked
package io.distributedlock.benchmarks.protocol;

import org.jspecify.annotations.NullMarked;
