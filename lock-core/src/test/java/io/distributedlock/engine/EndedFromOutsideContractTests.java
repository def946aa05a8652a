package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockInspection;
import io.distributedlock.LockInspection.Holder;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.Patience;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.distributedlock.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A lock that is taken away from its holder, on every store: the next waiter gets it, in
 * whichever instance, though the lease would last for long. A caller that waits behind a
 * holder of its own instance got it when that was renewed, or when its lease had ended.
 */
public abstract class EndedFromOutsideContractTests extends TwoInstances {

	/** It ends, and is renewed, only after all that is waited for here. */
	private static final Duration ENDLESS = Duration.ofMinutes(10);

	/** Before the store is asked for a holder where messages come. */
	private static final Duration SOON = Duration.ofSeconds(40);

	private static final int TRIES = 5;

	private static final Duration SHORT_POLL = Duration.ofMillis(250);

	protected EndedFromOutsideContractTests(SharedLocks locks) {
		super(locks);
	}

	static Stream<Arguments> ways() {
		List<Arguments> all = new ArrayList<>();
		for (Way way : Way.values()) {
			for (boolean waiterHere : new boolean[] { true, false }) {
				for (boolean renewed : new boolean[] { true, false }) {
					all.add(arguments(way, waiterHere, renewed));
				}
			}
		}
		return all.stream();
	}

	/**
	 * Polls are of no help where a message is sent, and of no use where they come late.
	 */
	private void begin(Way way) {
		boolean polls = way == Way.DELETED || !hasWakeUps();
		EngineSettings settings = EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO)
			.withPollInterval(polls ? SHORT_POLL : EngineSettings.MAX_POLL_INTERVAL);
		closeRegistries();
		this.here = registry(settings);
		this.there = registry(settings);
	}

	private boolean hasWakeUps() {
		return this.here.store().capabilities().contains(StoreCapability.WAKE_UPS);
	}

	private LockRequest endless(boolean renewed, LockMode mode) {
		return request().mode(mode).ttl(ENDLESS).renew(renewed).waitFor(Patience.CEILING);
	}

	private CompletableFuture<Lease> waitFor(LockRequest wanted, boolean waiterHere) {
		DefaultLockRegistry waiting = waiterHere ? this.here : this.there;
		CompletableFuture<Lease> waiter = waiting.acquireAsync(wanted).toCompletableFuture();
		await().until(() -> !waiting.waiting().isEmpty());
		awaitWaiting(waiting, waiting.engine().queues.index.size());
		return waiter;
	}

	private static Lease got(CompletableFuture<Lease> waiter) throws Exception {
		return waiter.get(SOON.toMillis(), TimeUnit.MILLISECONDS);
	}

	@ParameterizedTest
	@MethodSource("ways")
	void exclusiveLockIsForTheNextWaiter(Way way, boolean waiterHere, boolean renewed) throws Exception {
		begin(way);
		Lease held = this.here.acquire(endless(renewed, LockMode.EXCLUSIVE));
		CompletableFuture<Boolean> lostFirst = new CompletableFuture<>();
		CompletableFuture<Lease> waiter = waitFor(request().waitFor(Patience.CEILING), waiterHere);
		waiter.thenRun(() -> lostFirst.complete(held.isLost()));
		end(way, waiter, List.of(this.key));
		assertThat(got(waiter).fencingToken()).isGreaterThan(held.fencingToken());
		if (waiterHere || way.here) {
			assertThat(held.isLost()).isTrue();
			awaitLoss(LossReason.NOT_OWNER);
		}
		if (waiterHere) {
			assertThat(lostFirst.join()).as("believed while another one had it").isTrue();
		}
	}

	@ParameterizedTest
	@MethodSource("ways")
	void lockOfAReaderIsForTheWriter(Way way, boolean waiterHere, boolean renewed) throws Exception {
		begin(way);
		Lease reader = this.here.acquire(endless(renewed, LockMode.READ));
		CompletableFuture<Lease> writer = waitFor(request().mode(LockMode.EXCLUSIVE).waitFor(Patience.CEILING),
				waiterHere);
		end(way, writer, List.of(this.key));
		Lease written = got(writer);
		assertHolderKnows(reader, way, waiterHere);
		close(written, way);
		assertThat(this.there.tryAcquire(once())).isPresent();
	}

	@ParameterizedTest
	@MethodSource("ways")
	void permitIsForTheNextWaiter(Way way, boolean waiterHere, boolean renewed) throws Exception {
		begin(way);
		Lease permit = this.here.acquire(endless(renewed, LockMode.SEMAPHORE).permits(1));
		CompletableFuture<Lease> waiter = waitFor(request().permits(1).waitFor(Patience.CEILING), waiterHere);
		end(way, waiter, List.of(this.key));
		got(waiter);
		// Who else has permits says nothing about this one.
		assertHolderKnows(permit, way, waiterHere && way != Way.DELETED && hasWakeUps());
	}

	@ParameterizedTest
	@MethodSource("ways")
	void queuedLockIsForTheNextInLine(Way way, boolean waiterHere, boolean renewed) throws Exception {
		begin(way);
		Lease held = this.here.acquire(endless(renewed, this.locks.queued()));
		CompletableFuture<Lease> waiter = waitFor(request().mode(this.locks.queued()).waitFor(Patience.CEILING),
				waiterHere);
		end(way, waiter, List.of(this.key));
		assertThat(got(waiter).fencingToken()).isGreaterThan(held.fencingToken());
		assertHolderKnows(held, way, waiterHere);
	}

	@ParameterizedTest
	@MethodSource("ways")
	void lockThatIsKeptIsForTheNextWaiter(Way way, boolean waiterHere, boolean renewed) throws Exception {
		begin(way);
		Lease held = this.here.acquire(endless(renewed, LockMode.EXCLUSIVE).keepFor(ENDLESS));
		CompletableFuture<Lease> waiter = waitFor(request().waitFor(Patience.CEILING), waiterHere);
		end(way, waiter, List.of(this.key));
		assertThat(got(waiter).fencingToken()).isGreaterThan(held.fencingToken());
		assertHolderKnows(held, way, waiterHere);
	}

	/** The rest of the set stays locked until its holder is done with it. */
	@ParameterizedTest
	@MethodSource("ways")
	void oneKeyOfASetIsForTheNextWaiter(Way way, boolean waiterHere, boolean renewed) throws Exception {
		begin(way);
		String other = this.key + "-2";
		Lease set = this.here.acquire(LockRequest.ofAll(this.key, other)
			.ttl(ENDLESS)
			.renew(renewed)
			.waitFor(Patience.CEILING)
			.ownedByCurrentThread());
		CompletableFuture<Lease> waiter = waitFor(request().waitFor(Patience.CEILING), waiterHere);
		end(way, waiter, List.of(this.key));
		got(waiter);
		assertHolderKnows(set, way, waiterHere);
		assertThat(this.there.tryAcquire(LockRequest.of(other).waitFor(Duration.ZERO))).isEmpty();
	}

	/** Two callers of one instance who want the same keys wait for each other there. */
	@ParameterizedTest
	@MethodSource("ways")
	void wholeSetIsForTheNextWaiter(Way way, boolean waiterHere, boolean renewed) throws Exception {
		begin(way);
		List<String> keys = List.of(this.key, this.key + "-2");
		LockRequest wanted = LockRequest.ofAll(keys).waitFor(Patience.CEILING);
		Lease set = this.here.acquire(wanted.ttl(ENDLESS).renew(renewed));
		CompletableFuture<Lease> waiter = waitFor(wanted, waiterHere);
		end(way, waiter, keys);
		got(waiter);
		assertHolderKnows(set, way, waiterHere);
	}

	/** It was refused, as one that still reads. */
	@ParameterizedTest
	@EnumSource(value = Way.class, names = "DELETED", mode = EnumSource.Mode.EXCLUDE)
	void readerThatWasForcedOutMayWrite(Way way) throws Exception {
		begin(way);
		Lease reader = this.here.acquire(endless(false, LockMode.READ).ownedByCurrentThread());
		if (!way.here) {
			listen(this.here);
		}
		way.end(this, this.key);
		if (!hasWakeUps()) {
			this.here.engine().wakeUpAll();
		}
		await().atMost(SOON).until(reader::isLost);
		Lease writer = this.here.acquire(request().mode(LockMode.EXCLUSIVE).waitFor(SOON).ownedByCurrentThread());
		assertThat(writer.isHeld()).isTrue();
	}

	/** Have a caller of an instance wait, so that it hears of events elsewhere. */
	private void listen(DefaultLockRegistry registry) {
		LockRequest busy = LockRequest.of(this.key + "-listen").waitFor(Patience.CEILING);
		Lease elsewhere = this.there.acquire(busy);
		CompletableFuture<Lease> waiter = registry.acquireAsync(busy).toCompletableFuture();
		awaitWaiting(registry, registry.engine().queues.index.size());
		waiter.cancel(true);
		elsewhere.close();
	}

	/** On a quorum a renewal that was on its way may restore a deleted key. */
	private void end(Way way, CompletableFuture<Lease> waiter, List<String> keys) {
		keys.forEach((each) -> way.end(this, each));
		for (int i = 0; i < TRIES && way == Way.DELETED && !isServedSoon(waiter); i++) {
			keys.forEach((each) -> way.end(this, each));
		}
	}

	private static boolean isServedSoon(CompletableFuture<Lease> waiter) {
		try {
			await().atMost(Duration.ofSeconds(5)).until(waiter::isDone);
			return true;
		}
		catch (ConditionTimeoutException ex) {
			return false;
		}
	}

	/** A deletion may have hit the lock that a waiter got while it was under way. */
	private void close(Lease got, Way way) {
		try {
			got.close();
		}
		catch (LockLostException ex) {
			assertThat(way == Way.DELETED && !this.locks.stealsAtOnce()).as(ex.getMessage()).isTrue();
		}
	}

	/** A holder and the next one in the same instance cannot both be right. */
	private void assertHolderKnows(Lease lease, Way way, boolean waiterHere) {
		if (way.here) {
			assertThat(lease.isLost()).as("after the call").isTrue();
		}
		else if (waiterHere) {
			await().atMost(SOON).until(lease::isLost);
		}
	}

	/** Others lose nothing. */
	@Test
	void holdersThatAreNotMeantKeepTheirLocks() {
		Lease reader = this.here.acquire(endless(false, LockMode.READ));
		Lease second = this.here.acquire(endless(false, LockMode.READ));
		Way.REQUEST_HERE.end(this, this.key);
		await().atMost(SOON).until(() -> reader.isLost() || second.isLost());
		this.here.engine().wakeUpAll();
		assertThat(Stream.of(reader, second).filter(Lease::isLost)).hasSize(1);
		assertThat(inspect(this.there, this.key).holderCount()).isEqualTo(1);
	}

	/** Inspects again while a node of a quorum is late, which might name a waiter. */
	private static LockInspection inspect(DefaultLockRegistry operator, String key) {
		return await().until(() -> operator.inspect("", key), (seen) -> seen.silentNodes().isEmpty());
	}

	/** How a lease comes to its end without its holder. */
	private enum Way {

		ALL_HERE(true), REQUEST_HERE(true), ALL_THERE(false), REQUEST_THERE(false), DELETED(false);

		private final boolean here;

		Way(boolean here) {
			this.here = here;
		}

		void end(EndedFromOutsideContractTests test, String key) {
			if (this == DELETED) {
				test.steal(key);
				return;
			}
			DefaultLockRegistry operator = this.here ? test.here : test.there;
			boolean one = this == REQUEST_HERE || this == REQUEST_THERE;
			List<Holder> holders = inspect(operator, key).holders();
			assertThat(operator.forceRelease("", key, one ? holders.get(0).request() : null))
				.isEqualTo(one ? 1 : holders.size());
		}

	}

}
