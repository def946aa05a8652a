package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

import io.distributedlock.engine.timer.EngineLoop;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;

/**
 * What all parts of one instance share: its store, clock, timers and executors. A leaf:
 * it knows neither queues nor grants.
 */
final class Instance {

	/** How many poll intervals a waiter entry outlives the last attempt. */
	private static final int WAITING_POLLS = 3;

	final LockStore store;

	final Offer offer;

	/** Whether the store wants the threads of callers that wait for it. */
	final boolean lendsThreads;

	final EngineSettings settings;

	final EngineLoop loop;

	final EngineExecutors executors;

	final Quiescence quiescence;

	final Doubt doubt;

	/** Lifetime of the waiter entry left in the store. */
	final Duration entryTtl;

	private final LongUnaryOperator jitter;

	private final AtomicLong highestToken = new AtomicLong();

	Instance(LockStore store, EngineSettings settings, EngineDrive drive) {
		this.store = store;
		this.offer = new Offer(store);
		this.lendsThreads = store.capabilities().contains(StoreCapability.CALLER_THREAD);
		this.settings = settings;
		this.loop = drive.loop();
		this.executors = drive.executors();
		this.quiescence = new Quiescence(drive.ticker());
		this.doubt = new Doubt(drive, this.quiescence);
		this.entryTtl = settings.pollInterval().multipliedBy(WAITING_POLLS);
		this.jitter = drive.jitter();
	}

	long now() {
		return this.doubt.now();
	}

	/** A pause of about so many nanoseconds. */
	long jitter(long nanos) {
		return this.jitter.applyAsLong(nanos);
	}

	/** The largest fencing token that this instance has seen. */
	long highestToken() {
		return this.highestToken.get();
	}

	void sawToken(long token) {
		this.highestToken.accumulateAndGet(token, Math::max);
	}

	long commandTimeoutNanos() {
		return this.store.commandTimeout().toNanos();
	}

	boolean isStopped() {
		return this.quiescence.isStopped();
	}

}
