package io.distributedlock.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.history.Attempt;
import io.distributedlock.history.Hold;
import io.distributedlock.history.Recorder;
import io.distributedlock.history.WitnessClient;

/**
 * One thread that takes locks in every way there is, in an order that its seed decides,
 * and records what it sees.
 */
final class Worker extends Thread {

	private static final Duration[] TTLS = { Duration.ofMillis(800), Duration.ofMillis(1200),
			ChaosSettings.LONGEST_TTL };

	private final LockRegistry registry;

	private final Recorder recorder;

	private final GuardedSection section;

	private final ScheduledExecutorService disturber;

	private final Random random;

	private final ChaosKeys keys;

	private final boolean holdsLong;

	private volatile boolean finishing;

	Worker(String name, LockRegistry registry, Recorder recorder, WitnessClient witness,
			ScheduledExecutorService disturber, Random random, ChaosKeys keys, boolean holdsLong) {
		super(name);
		setDaemon(true);
		this.registry = registry;
		this.recorder = recorder;
		this.section = new GuardedSection(witness, random);
		this.disturber = disturber;
		this.random = random;
		this.keys = keys;
		this.holdsLong = holdsLong;
	}

	void finish() {
		this.finishing = true;
	}

	@Override
	public void run() {
		try {
			while (!this.finishing) {
				if (this.holdsLong) {
					holdLong();
				}
				else {
					work();
				}
			}
		}
		catch (LockRegistryClosedException ex) {
			// The registry was closed before this thread had finished.
		}
		catch (IOException ex) {
			// The witness has gone, which ends the run.
		}
	}

	private void holdLong() throws IOException {
		String key = this.keys.held(number());
		blocking(request(key).waitFor(upTo(4000)), GuardedSection.Length.LONG);
	}

	private void work() throws IOException {
		int dice = this.random.nextInt(1000);
		if (dice < 600) {
			blocking(request(key()).waitFor(upTo(4000)), GuardedSection.Length.SHORT);
		}
		else if (dice < 680) {
			blocking(request(key()).waitFor(Duration.ZERO), GuardedSection.Length.SHORT);
		}
		else if (dice < 760) {
			reentrant(key());
		}
		else if (dice < 840) {
			future(request(key()).waitFor(upTo(4000)), this.random.nextInt(3) == 0);
		}
		else if (dice < 900) {
			interrupted(request(key()).waitFor(upTo(4000)));
		}
		else if (dice < 950) {
			blocking(request(key()).ttl(Duration.ofMillis(300)).renew(false).waitFor(upTo(1000)),
					GuardedSection.Length.SHORT);
		}
		else if (dice < 990) {
			several();
		}
		else {
			kept(key());
		}
	}

	private String key() {
		// A quarter of the work is on one key.
		return this.keys.busy((this.random.nextInt(4) == 0) ? 0 : number());
	}

	private int number() {
		return this.random.nextInt(this.keys.count());
	}

	private Duration upTo(int millis) {
		return Duration.ofMillis(1 + this.random.nextInt(millis));
	}

	private LockRequest request(String... keys) {
		return LockRequest.of(keys).ttl(TTLS[this.random.nextInt(TTLS.length)]);
	}

	private void blocking(LockRequest request, GuardedSection.Length length) throws IOException {
		String key = request.keys().get(0);
		Attempt attempt = this.recorder.acquire(key);
		Lease lease;
		try {
			lease = this.registry.acquire(request);
		}
		catch (LockException ex) {
			refused(attempt, ex);
			return;
		}
		this.section.run(key, lease, begin(attempt, lease, key), length);
	}

	/** Only a busy lock is known not to have been got. */
	private static void refused(Attempt attempt, LockException ex) {
		if (ex instanceof LockRegistryClosedException) {
			attempt.info("closed");
			throw ex;
		}
		if (ex instanceof LockNotAcquiredException) {
			attempt.fail("busy");
		}
		else {
			attempt.info(ex.getClass().getSimpleName());
		}
	}

	private static Hold begin(Attempt attempt, Lease lease, String key) {
		Hold hold = attempt.ok(lease.fencingToken(key), Recorder.validUntil(lease));
		lease.onLost(() -> hold.lost("told"));
		return hold;
	}

	private void reentrant(String key) throws IOException {
		LockRequest request = request(key).waitFor(upTo(2000)).ownedByCurrentThread();
		Attempt attempt = this.recorder.acquire(key);
		Lease outer;
		try {
			outer = this.registry.acquire(request);
		}
		catch (LockException ex) {
			refused(attempt, ex);
			return;
		}
		Hold hold = begin(attempt, outer, key);
		enterAgain(request, hold);
		this.section.run(key, outer, hold, GuardedSection.Length.SHORT);
	}

	/**
	 * Recorded when its outcome is known: it is decided here, unless the lock was lost.
	 */
	private void enterAgain(LockRequest request, Hold hold) throws IOException {
		String key = request.keys().get(0);
		Lease inner;
		try {
			inner = this.registry.acquire(request);
		}
		catch (LockException ex) {
			if (ex instanceof LockRegistryClosedException) {
				throw ex;
			}
			return;
		}
		if (inner.fencingToken() == hold.token()) {
			hold.reentering();
			hold.reentered(inner.fencingToken(), Recorder.validUntil(inner));
			inner.close();
		}
		else {
			Attempt anew = this.recorder.acquire(key);
			this.section.run(key, inner, begin(anew, inner, key), GuardedSection.Length.SHORT);
		}
	}

	private void future(LockRequest request, boolean cancel) throws IOException {
		String key = request.keys().get(0);
		Attempt attempt = this.recorder.acquire(key);
		CompletableFuture<Lease> future = this.registry.acquireAsync(request).toCompletableFuture();
		ScheduledFuture<?> canceller = cancel ? later(() -> future.cancel(true)) : null;
		try {
			Lease lease = future.join();
			this.section.run(key, lease, begin(attempt, lease, key), GuardedSection.Length.SHORT);
		}
		catch (CancellationException ex) {
			attempt.info("cancelled");
		}
		catch (CompletionException ex) {
			if (!(ex.getCause() instanceof LockException failure)) {
				throw ex;
			}
			refused(attempt, failure);
		}
		finally {
			if (canceller != null) {
				canceller.cancel(false);
			}
		}
	}

	private void interrupted(LockRequest request) throws IOException {
		ScheduledFuture<?> interrupter = later(this::interrupt);
		try {
			blocking(request, GuardedSection.Length.SHORT);
		}
		finally {
			interrupter.cancel(false);
			Thread.interrupted();
		}
	}

	private ScheduledFuture<?> later(Runnable action) {
		return this.disturber.schedule(action, this.random.nextInt(3000), TimeUnit.MICROSECONDS);
	}

	private void several() throws IOException {
		int first = number();
		int second = (first + 1 + this.random.nextInt(this.keys.count() - 1)) % this.keys.count();
		List<String> keys = List.of(this.keys.busy(Math.min(first, second)), this.keys.busy(Math.max(first, second)));
		Attempt one = this.recorder.acquire(keys.get(0));
		Attempt two = this.recorder.acquire(keys.get(1));
		Lease lease;
		try {
			lease = this.registry.acquire(request(keys.toArray(String[]::new)).waitFor(upTo(4000)));
		}
		catch (LockException ex) {
			both(one, two, ex);
			return;
		}
		this.section.run(keys, lease, List.of(begin(one, lease, keys.get(0)), begin(two, lease, keys.get(1))));
	}

	private static void both(Attempt one, Attempt two, LockException ex) {
		try {
			refused(one, ex);
		}
		finally {
			refused(two, ex);
		}
	}

	private void kept(String key) throws IOException {
		Duration keepFor = upTo(50);
		Attempt attempt = this.recorder.acquire(key);
		Lease lease;
		long until = System.nanoTime();
		try {
			lease = this.registry.acquire(request(key).waitFor(upTo(1000)).keepFor(keepFor));
			until = System.nanoTime() + keepFor.toNanos();
		}
		catch (LockException ex) {
			refused(attempt, ex);
			return;
		}
		this.section.runKept(key, lease, begin(attempt, lease, key), until);
	}

}
