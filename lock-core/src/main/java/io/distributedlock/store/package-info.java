/**
 * The interface between the engine and the stores that keep the locks. Stores answer
 * single commands; the engine decides when to send one, and when again. A store has
 * threads or timers only if its client library or its quorum needs them. The guide for
 * authors of stores is {@code tests/custom-store/README.md} in the repository.
 */
@NullMarked
package io.distributedlock.store;

import org.jspecify.annotations.NullMarked;
