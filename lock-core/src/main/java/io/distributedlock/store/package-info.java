/**
 * The interface between the engine and whatever keeps the locks. Stores answer single
 * commands; when to send one, and when again, is decided by the engine. A store has
 * threads or timers only where its client library or its quorum needs them.
 */
@NullMarked
package io.distributedlock.store;

import org.jspecify.annotations.NullMarked;
