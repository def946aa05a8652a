/**
 * Benchmarks of this library beside other libraries and raw commands, on Redis and on
 * PostgreSQL. Each workload runs its candidates in turn on one server. One main class
 * writes a table and a picture for each workload. Nothing here is published or asserted.
 */
@NullMarked
package io.distributedlock.benchmarks.comparison;

import org.jspecify.annotations.NullMarked;
