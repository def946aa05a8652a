package io.distributedlock.engine.internal.instance;

import java.util.function.LongUnaryOperator;

import io.distributedlock.engine.internal.time.EngineLoop;
import io.distributedlock.engine.internal.time.Ticker;
import io.distributedlock.engine.internal.time.WallClock;

/**
 * The parts that drive the engine: clock, timers, executors and randomness, real in the
 * registry and virtual in a simulation.
 *
 * @param ticker the clock
 * @param wallClock the clock that may raise doubt
 * @param loop the timers
 * @param executors the executors for code of users
 * @param jitter spreads a pause of so many nanoseconds
 * @param requestIds the identities of acquisitions
 */
public record EngineDrive(Ticker ticker, WallClock wallClock, EngineLoop loop, EngineExecutors executors,
		LongUnaryOperator jitter, RequestIds requestIds) {
}
