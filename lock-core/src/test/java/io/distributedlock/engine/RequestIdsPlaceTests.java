package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.internal.instance.RequestIds;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Requests that may be under way for one lock at once have different places, and give
 * them back whatever becomes of them.
 */
class RequestIdsPlaceTests {

	private static final Duration TTL = Duration.ofSeconds(9);

	private static final int MANY = 20;

	private static final int THREADS = 8;

	private static final int MANY_REQUESTS = 100_000;

	private final ManualInstance instance = new ManualInstance();

	@AfterEach
	void placesAreFree() {
		this.instance.store.heal();
		this.instance.advance(TTL.multipliedBy(3));
		assertThat(taken()).isZero();
	}

	private int taken() {
		return this.instance.engine.instance.requestIds().taken();
	}

	private static LockRequest request(LockMode mode) {
		LockRequest request = LockRequest.of("k").mode(mode).ttl(TTL);
		return (mode == LockMode.SEMAPHORE) ? request.permits(MANY) : request;
	}

	@Test
	void requestsForSingleExclusiveLocksTakeNoPlace() {
		Lease lease = this.instance.acquire(request(LockMode.EXCLUSIVE)).join();
		assertThat(taken()).isZero();
		lease.close();
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "SEMAPHORE" })
	void sharersHaveDifferentPlacesThatTheirReleasesFree(LockMode mode) {
		List<Lease> leases = new ArrayList<>();
		for (int i = 0; i < MANY; i++) {
			leases.add(this.instance.acquire(request(mode)).join());
		}
		assertThat(taken()).isEqualTo(MANY);
		leases.forEach(Lease::close);
		assertThat(taken()).isZero();
	}

	@Test
	void setsOfLocksAndThoseThatWaitForThemGiveTheirPlacesBack() {
		LockRequest set = LockRequest.ofAll("a", "b").ttl(TTL).waitFor(Duration.ofMinutes(1));
		Lease first = this.instance.acquire(set).join();
		CompletableFuture<Lease> second = this.instance.acquire(set);
		first.close();
		this.instance.advance(Duration.ofSeconds(2));
		second.join().close();
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIR", "READ", "SEMAPHORE" })
	void requestsThatTimeOutOrAreCancelledGiveTheirPlacesBack(LockMode mode) {
		Lease held = this.instance.another()
			.acquire(single((mode == LockMode.SEMAPHORE) ? mode : LockMode.EXCLUSIVE))
			.join();
		LockRequest waiting = single(mode).waitFor(Duration.ofSeconds(2));
		CompletableFuture<Lease> late = this.instance.acquire(waiting);
		this.instance.acquire(waiting).cancel(false);
		CompletableFuture<Lease> once = this.instance.acquire(waiting.waitFor(Duration.ZERO));
		this.instance.advance(Duration.ofSeconds(3));
		assertThat(ManualInstance.failure(late)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(ManualInstance.failure(once)).isInstanceOf(LockNotAcquiredException.class);
		assertThat(taken()).isZero();
		held.close();
	}

	private static LockRequest single(LockMode mode) {
		return (mode == LockMode.SEMAPHORE) ? request(mode).permits(1) : request(mode);
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIR", "READ", "SEMAPHORE" })
	void requestsThatFailKeepTheirPlacesUntilTheyHaveEnded(LockMode mode) {
		this.instance.store.failAll(Command.ACQUIRE, LockStoreException.Kind.UNAVAILABLE);
		this.instance.store.failAll(Command.ABANDON, LockStoreException.Kind.UNAVAILABLE);
		CompletableFuture<Lease> failed = this.instance.acquire(request(mode).waitFor(Duration.ofSeconds(1)));
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(ManualInstance.failure(failed)).isInstanceOf(LockStoreException.class);
		assertThat(taken()).as("the store may have it").isOne();
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIR", "READ", "SEMAPHORE" })
	void leasesThatAreLostGiveTheirPlacesBackOnce(LockMode mode) {
		Lease lost = this.instance.acquire(request(mode)).join();
		this.instance.store.locks().remove("", "k");
		this.instance.advance(TTL.dividedBy(2));
		assertThat(lost.isLost()).isTrue();
		Lease next = this.instance.acquire(request(mode)).join();
		assertThatThrownBy(lost::close);
		assertThat(taken()).as("that of the next one").isOne();
		next.close();
	}

	/**
	 * The next request in the place of a lost one found its lock held, for up to a whole
	 * ttl.
	 */
	@ParameterizedTest
	@EnumSource(names = { "READ", "SEMAPHORE" })
	void leasesThatAreLostKeepTheirPlacesAsLongAsTheStoreHasThem(LockMode mode) {
		Lease lost = loseWithTheAnswerToARenewal(mode);
		Lease next = this.instance.acquire(request(mode).waitFor(Duration.ZERO)).join();
		assertThat(next.isHeld()).isTrue();
		assertThat(taken()).isEqualTo(2);
		assertThatThrownBy(lost::close);
		assertThat(taken()).as("that of the next one").isOne();
		next.close();
	}

	@Test
	void leasesThatAreLostAndNeverClosedFreeTheirPlacesAtLast() {
		Lease lost = loseWithTheAnswerToARenewal(LockMode.READ);
		this.instance.advance(TTL);
		assertThat(taken()).as("a renewal may have come late").isOne();
		this.instance.advance(this.instance.store.commandTimeout());
		assertThat(taken()).isZero();
		Lease next = this.instance.acquire(request(LockMode.READ)).join();
		assertThatThrownBy(lost::close);
		assertThat(taken()).as("that of the next one").isOne();
		next.close();
	}

	/** The store has renewed the lock, and this instance does not know. */
	private Lease loseWithTheAnswerToARenewal(LockMode mode) {
		Lease lost = this.instance.acquire(request(mode)).join();
		ScriptedStore.Held renewal = this.instance.store.hold(Command.RENEW);
		this.instance.store.silence(Command.RENEW);
		this.instance.advance(TTL.dividedBy(2));
		renewal.answer();
		this.instance.advance(TTL.dividedBy(2));
		assertThat(lost.isLost()).isTrue();
		assertThat(this.instance.store.isLocked("k")).isTrue();
		this.instance.store.heal();
		return lost;
	}

	@Test
	void setsOfWhichOneLockIsLostKeepTheirPlacesUntilReleased() {
		this.instance.store.takeTogether();
		Lease lost = this.instance.acquire(LockRequest.ofAll("a", "b").ttl(TTL)).join();
		this.instance.store.locks().remove("", "a");
		this.instance.advance(TTL.dividedBy(2));
		assertThat(lost.isLost()).isTrue();
		assertThat(taken()).isOne();
		assertThatThrownBy(lost::close);
		assertThat(taken()).isZero();
	}

	@Test
	void leasesWhoseReleaseFailsKeepTheirPlacesUntilItIsDone() {
		Lease lease = this.instance.acquire(request(LockMode.READ)).join();
		lease.checkHeld();
		this.instance.store.failAll(Command.RELEASE, LockStoreException.Kind.UNAVAILABLE);
		lease.close();
		assertThat(taken()).isOne();
	}

	@Test
	void requestWithoutAPlaceFailsAndIsToldWhy() {
		RequestIds ids = this.instance.engine.instance.requestIds();
		List<RequestId> all = IntStream.range(0, RequestId.LAST_PLACE).mapToObj((i) -> ids.nextBeside()).toList();
		assertThat(all).extracting(RequestId::place).doesNotHaveDuplicates().doesNotContain(0);
		CompletableFuture<Lease> refused = this.instance.acquire(request(LockMode.READ));
		assertThat(ManualInstance.failure(refused))
			.isInstanceOfSatisfying(LockStoreException.class,
					(failure) -> assertThat(failure.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE))
			.hasMessageContaining("65535 requests of this instance");
		assertThat(this.instance.engine.queues.index.size()).isZero();
		ids.ended(all.get(7));
		this.instance.acquire(request(LockMode.READ)).join().close();
		all.forEach(ids::ended);
	}

	@Test
	void numbersGrowInEveryPlace() {
		RequestIds ids = new RequestIds();
		RequestId first = ids.nextBeside();
		ids.ended(first);
		RequestId second = ids.nextBeside();
		assertThat(second.isOfSameContender(first)).isTrue();
		assertThat(second.number()).isGreaterThan(first.number());
		ids.ended(first);
		assertThat(ids.taken()).as("that of the second one").isOne();
	}

	/** A number was drawn before its place, which another request had meanwhile. */
	@Test
	void numbersGrowInEveryPlaceWhileThreadsCompeteForIt() throws Exception {
		RequestIds ids = new RequestIds();
		AtomicLongArray last = new AtomicLongArray(THREADS + 1);
		AtomicInteger smaller = new AtomicInteger();
		List<Thread> threads = Stream.generate(() -> new Thread(() -> {
			for (int i = 0; i < MANY_REQUESTS; i++) {
				RequestId id = ids.nextBeside();
				if (last.getAndSet(id.place(), id.number()) > id.number()) {
					smaller.incrementAndGet();
				}
				ids.ended(id);
			}
		})).limit(THREADS).toList();
		threads.forEach(Thread::start);
		for (Thread thread : threads) {
			thread.join();
		}
		assertThat(smaller).hasValue(0);
	}

}
