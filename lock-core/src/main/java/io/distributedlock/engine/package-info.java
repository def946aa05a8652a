/**
 * The registry of locks, written once for all stores, and its inspector. It connects the
 * rooms below {@code internal}, whose dependencies go in one direction: time, instance,
 * lease, report, renewal, line. Decisions take their time from a
 * {@link io.distributedlock.engine.internal.time.Ticker}, and run on the thread that
 * brings a call or an answer; only the registry owns threads.
 */
@NullMarked
package io.distributedlock.engine;

import org.jspecify.annotations.NullMarked;
