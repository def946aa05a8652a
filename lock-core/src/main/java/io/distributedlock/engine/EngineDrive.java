package io.distributedlock.engine;

import java.util.function.LongUnaryOperator;

import io.distributedlock.engine.internal.EngineLoop;
import io.distributedlock.engine.internal.Ticker;
import io.distributedlock.engine.internal.WallClock;

/**
 * What makes the engine run: clock, timers, executor and chance. Real in the registry,
 * virtual in a simulation.
 *
 * @param ticker the clock
 * @param wallClock what may raise doubt of the clock
 * @param loop the timers
 * @param executors where code of users runs
 * @param jitter spreads a pause of so many nanoseconds
 * @param requestIds the identities of acquisitions
 */
record EngineDrive(Ticker ticker, WallClock wallClock, EngineLoop loop, EngineExecutors executors,
		LongUnaryOperator jitter, RequestIds requestIds) {
}
