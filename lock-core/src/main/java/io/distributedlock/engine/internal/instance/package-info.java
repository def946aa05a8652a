/**
 * The parts that all locks of one instance have in common: its store, its identity, its
 * executors, its counters, the terms of requests, and the traffic of nodes in trouble. No
 * part knows of a lock that is held or waited for.
 */
@NullMarked
package io.distributedlock.engine.internal.instance;

import org.jspecify.annotations.NullMarked;
