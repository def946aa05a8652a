package io.distributedlock.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
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
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.history.Attempt;
import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Hold;
import io.distributedlock.history.Recorder;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;

/**
 * A thread that takes locks in every way there is, in an order that its seed decides, and
 * records the events.
 */
final class Worker extends Thread {

	private final LockRegistry registry;

	private final LockStore store;

	private final Recorder recorder;

	private final GuardedSection section;

	private final ScheduledExecutorService disturber;

	private final Random random;

	private final Wishes wishes;

	private final boolean holdsLong;

	private volatile boolean finishing;

	Worker(String name, LockRegistry registry, LockStore store, Recorder recorder, GuardedSection section,
			ScheduledExecutorService disturber, Random random, ChaosKeys keys, boolean holdsLong) {
		super(name);
		setDaemon(true);
		this.registry = registry;
		this.store = store;
		this.recorder = recorder;
		this.section = section;
		this.disturber = disturber;
		this.random = random;
		this.wishes = new Wishes(keys, random, store.capabilities());
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
					blocking(this.wishes.held(), GuardedSection.Length.LONG);
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

	private void work() throws IOException {
		int dice = this.random.nextInt(1000);
		if (dice < 600) {
			blocking(this.wishes.any());
		}
		else if (dice < 670) {
			blocking(this.wishes.any().waitFor(Duration.ZERO));
		}
		else if (dice < 730) {
			reentrant(this.wishes.busy());
		}
		else if (dice < 760) {
			downgraded(this.wishes.shared(LockMode.EXCLUSIVE));
		}
		else if (dice < 840) {
			future(this.wishes.any(), this.random.nextInt(3) == 0);
		}
		else if (dice < 900) {
			interrupted(this.wishes.any());
		}
		else if (dice < 940) {
			notRenewed(this.wishes.any());
		}
		else if (dice < 990) {
			several();
		}
		else {
			kept(this.wishes.busy());
		}
	}

	private void blocking(Wish wish) throws IOException {
		blocking(wish, GuardedSection.Length.SHORT);
	}

	private void blocking(Wish wish, GuardedSection.Length length) throws IOException {
		blocking(wish, length, false);
	}

	private void blocking(Wish wish, GuardedSection.Length length, boolean divided) throws IOException {
		List<Attempt> attempts = wish.ask(this.recorder, divided);
		Lease lease;
		try {
			lease = this.registry.acquire(wish.request());
		}
		catch (LockException ex) {
			refused(attempts, ex);
			return;
		}
		this.section.run(lease, begin(attempts, lease, wish), wish.mode(), length);
	}

	/** Only a busy lock is known not to have been got. */
	private static void refused(List<Attempt> attempts, LockException ex) {
		for (Attempt attempt : attempts) {
			if (ex instanceof LockNotAcquiredException) {
				attempt.fail("busy");
			}
			else {
				attempt.info(ex.getClass().getSimpleName());
			}
		}
		if (ex instanceof LockRegistryClosedException) {
			throw ex;
		}
	}

	private static List<Hold> begin(List<Attempt> attempts, Lease lease, Wish wish) {
		List<Hold> holds = new ArrayList<>();
		for (int i = 0; i < attempts.size(); i++) {
			Hold hold = attempts.get(i).ok(lease.fencingToken(wish.keys().get(i)), Recorder.validUntil(lease));
			lease.onLost(() -> hold.lost(lease));
			holds.add(hold);
		}
		return holds;
	}

	private void reentrant(Wish wish) throws IOException {
		Wish owned = wish.with(wish.request().ownedByCurrentThread());
		List<Attempt> attempts = owned.ask(this.recorder, false);
		Lease outer;
		try {
			outer = this.registry.acquire(owned.request());
		}
		catch (LockException ex) {
			refused(attempts, ex);
			return;
		}
		List<Hold> holds = begin(attempts, outer, owned);
		enterAgain(owned, holds.get(0));
		this.section.run(outer, holds, owned.mode(), GuardedSection.Length.SHORT);
	}

	/** If the lock was lost it is another request, which may wait. */
	private void enterAgain(Wish wish, Hold hold) throws IOException {
		List<Attempt> anew = wish.ask(this.recorder, false);
		Lease inner;
		try {
			inner = this.registry.acquire(wish.request());
		}
		catch (LockException ex) {
			refused(anew, ex);
			return;
		}
		if (inner.fencingToken() == hold.token()) {
			anew.forEach(Attempt::enteredAgain);
			hold.reentering();
			hold.reentered(inner.fencingToken(), Recorder.validUntil(inner));
			inner.close();
		}
		else {
			this.section.run(inner, begin(anew, inner, wish), wish.mode(), GuardedSection.Length.SHORT);
		}
	}

	/** Write, begin to read before the end of that, and read on after it. */
	private void downgraded(Wish wish) throws IOException {
		Wish owned = wish.with(wish.request().ownedByCurrentThread());
		List<Attempt> attempts = owned.ask(this.recorder, false);
		Lease outer;
		try {
			outer = this.registry.acquire(owned.request());
		}
		catch (LockException ex) {
			refused(attempts, ex);
			return;
		}
		List<Hold> written = begin(attempts, outer, owned);
		List<Attempt> reading = List.of(written.get(0).besides(Mode.R));
		Lease inner = null;
		try {
			inner = this.registry.acquire(owned.request().mode(LockMode.READ));
		}
		catch (LockException ex) {
			refused(reading, ex);
		}
		finally {
			List<Hold> read = (inner != null) ? begin(reading, inner, owned) : List.of();
			this.section.run(outer, written, owned.mode(), GuardedSection.Length.SHORT);
			if (inner != null) {
				this.section.run(inner, read, Mode.R, GuardedSection.Length.SHORT);
			}
		}
	}

	private void future(Wish wish, boolean cancel) throws IOException {
		List<Attempt> attempts = wish.ask(this.recorder, false);
		CompletableFuture<Lease> future = this.registry.acquireAsync(wish.request()).toCompletableFuture();
		ScheduledFuture<?> canceller = cancel ? later(() -> future.cancel(true)) : null;
		try {
			Lease lease = future.join();
			this.section.run(lease, begin(attempts, lease, wish), wish.mode(), GuardedSection.Length.SHORT);
		}
		catch (CancellationException ex) {
			attempts.get(0).info("cancelled");
		}
		catch (CompletionException ex) {
			if (!(ex.getCause() instanceof LockException failure)) {
				throw ex;
			}
			refused(attempts, failure);
		}
		finally {
			if (canceller != null) {
				canceller.cancel(false);
			}
		}
	}

	private void interrupted(Wish wish) throws IOException {
		ScheduledFuture<?> interrupter = later(this::interrupt);
		try {
			blocking(wish);
		}
		finally {
			interrupter.cancel(false);
			Thread.interrupted();
		}
	}

	private ScheduledFuture<?> later(Runnable action) {
		return this.disturber.schedule(action, this.random.nextInt(3000), TimeUnit.MICROSECONDS);
	}

	private void notRenewed(Wish wish) throws IOException {
		blocking(wish.with(wish.request().ttl(Duration.ofMillis(300)).renew(false).waitFor(this.wishes.upTo(1000))));
	}

	private void several() throws IOException {
		Wish pair = switch (this.random.nextInt(3)) {
			case 0 -> this.wishes.busyOnes();
			case 1 -> this.wishes.together();
			default -> this.wishes.parts();
		};
		if (isDivided(pair)) {
			// Others who want one of them alone would wait for who waits for the other.
			blocking(this.wishes.parts(), GuardedSection.Length.SHORT, true);
		}
		else {
			blocking(pair);
		}
	}

	private boolean isDivided(Wish wish) {
		return !this.store.takesTogether(wish.keys().stream().map((key) -> new LockKey("", key)).toList());
	}

	private void kept(Wish wish) throws IOException {
		Duration keepFor = this.wishes.upTo(50);
		List<Attempt> attempts = wish.ask(this.recorder, false);
		Lease lease;
		long until = System.nanoTime();
		try {
			lease = this.registry.acquire(wish.request().keepFor(keepFor));
			until = System.nanoTime() + keepFor.toNanos();
		}
		catch (LockException ex) {
			refused(attempts, ex);
			return;
		}
		this.section.runKept(lease, begin(attempts, lease, wish), until);
	}

}
