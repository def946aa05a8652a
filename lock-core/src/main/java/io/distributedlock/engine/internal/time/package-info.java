/**
 * The clocks and timers of the engine. Nothing here knows of locks or has a thread: the
 * driver of an {@link io.distributedlock.engine.internal.time.EngineLoop} brings thread
 * and time.
 */
@NullMarked
package io.distributedlock.engine.internal.time;

import org.jspecify.annotations.NullMarked;
