/**
 * This library beside other libraries and beside raw commands, each workload on one
 * server with all candidates by turns. One main class writes a table and a picture for
 * each workload. Nothing here is published or asserted.
 */
@NullMarked
package io.distributedlock.benchmarks.comparison;

import org.jspecify.annotations.NullMarked;
