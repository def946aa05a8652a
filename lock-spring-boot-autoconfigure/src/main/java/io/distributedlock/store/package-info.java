/**
 * The interface between the engine and whatever keeps the locks. Stores answer single
 * commands and keep no threads, timers or retries for them; those are the engine's.
 */
@NullMarked
package io.distributedlock.store;

import org.jspecify.annotations.NullMarked;
