/**
 * The clocks and timers of the engine, which are no part of the API. Nothing here knows
 * of locks or has a thread: the driver of an
 * {@link io.distributedlock.engine.internal.EngineLoop} brings thread and time.
 */
@NullMarked
package io.distributedlock.engine.internal;

import org.jspecify.annotations.NullMarked;
