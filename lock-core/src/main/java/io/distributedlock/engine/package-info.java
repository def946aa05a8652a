/**
 * Waiting, re-entrance, renewal, loss, abandonment and shutdown, written once for all
 * stores. Decisions take their time from a
 * {@link io.distributedlock.engine.internal.time.Ticker}, and run on the thread that brings a
 * call or an answer; only the registry owns threads.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
