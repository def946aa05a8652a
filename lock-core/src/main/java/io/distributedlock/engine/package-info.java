/**
 * Waiting, re-entrance, renewal, loss, abandonment and shutdown, written once for all
 * stores. The decisions take their time from a
 * {@link io.distributedlock.engine.internal.Ticker} and run on whatever thread brings the
 * news; only the registry owns threads.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
