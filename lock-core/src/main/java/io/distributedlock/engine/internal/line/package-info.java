/**
 * The callers that wait for a lock in this instance, and the attempts for the first of
 * them. {@link io.distributedlock.engine.internal.line.Queues} lets callers in, and a
 * {@link io.distributedlock.engine.internal.line.KeyQueue} decides who has the lock.
 */
@NullMarked
package io.distributedlock.engine.internal.line;

import org.jspecify.annotations.NullMarked;
