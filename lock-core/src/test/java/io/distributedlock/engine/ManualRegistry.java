package io.distributedlock.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.internal.time.Ticker;

/**
 * The registry of an instance without threads, for tests of other packages: the test
 * moves its clock, fires its timers and breaks its store. Requests do not block.
 */
public final class ManualRegistry implements LockRegistry {

	private final ManualInstance instance;

	public ManualRegistry() {
		this(new ManualInstance());
	}

	private ManualRegistry(ManualInstance instance) {
		this.instance = instance;
	}

	/**
	 * Create the registry of another instance.
	 * @return a registry on the same locks and clock, whose store behaves
	 */
	public ManualRegistry another() {
		return new ManualRegistry(this.instance.another());
	}

	public Ticker ticker() {
		return this.instance.clock::quietly;
	}

	/**
	 * Move the clock, and fire no timer.
	 * @param by the time
	 */
	public void pause(Duration by) {
		this.instance.clock.advance(by);
	}

	/**
	 * Move the wall clock alone.
	 * @param time the time
	 */
	public void suspend(Duration time) {
		this.instance.clock.suspend(time);
	}

	/** Fire the timers that are due now. */
	public void runDue() {
		this.instance.runDue();
	}

	/** Let every command fail from now on, as in an outage. */
	public void fail() {
		for (Command command : Command.values()) {
			this.instance.store.failAll(command, Kind.UNAVAILABLE);
		}
	}

	/** Refuse attempts from now on, as a server does that is set up wrongly. */
	public void refuse() {
		this.instance.store.failAll(Command.ACQUIRE, Kind.MISCONFIGURED);
	}

	/** Answer all commands as usual from now on. */
	public void heal() {
		this.instance.store.heal();
	}

	/**
	 * Hold the next attempt at the store.
	 * @return applies and answers it
	 */
	public Runnable holdAttempt() {
		return this.instance.store.hold(Command.ACQUIRE)::answer;
	}

	/** Hand out no more locks, as the close of a registry. */
	public void close() {
		this.instance.engine.stopHandingOut();
	}

	/**
	 * Take a lock from its holder without a notification, as a flush would.
	 * @param name the name
	 * @param key the key
	 */
	public void steal(String name, String key) {
		this.instance.store.locks().remove(name, key);
	}

	/**
	 * Return whether a lock is held by any instance.
	 * @param name the name
	 * @param key the key
	 * @return {@code true} if it is
	 */
	public boolean isLocked(String name, String key) {
		return this.instance.store.locks().isLocked(name, key);
	}

	/**
	 * Return the number of attempts.
	 * @return the number so far
	 */
	public int attempts() {
		return this.instance.store.sent(Command.ACQUIRE);
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockRequest request) {
		return this.instance.acquire(request);
	}

	@Override
	public LeaseLock getLock(String name, String key) {
		throw new UnsupportedOperationException("Nothing here blocks");
	}

	@Override
	public Lease acquire(LockRequest request) {
		throw new UnsupportedOperationException("Nothing here blocks");
	}

	@Override
	public Optional<Lease> tryAcquire(LockRequest request) {
		throw new UnsupportedOperationException("Nothing here blocks");
	}

}
