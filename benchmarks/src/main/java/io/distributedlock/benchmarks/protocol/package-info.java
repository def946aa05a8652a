/**
 * Benchmarks of the protocol between locks and Redis: commands, bytes, processor time of
 * the server, memory of the process, and crowds. One main class prints the tables. The
 * benchmarks use only the public interface of the library, so that the same command
 * measures any version of it. Nothing here is published or asserted.
 */
@NullMarked
package io.distributedlock.benchmarks.protocol;

import org.jspecify.annotations.NullMarked;
