package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;

import io.distributedlock.Lease;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistryClosedException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.Patience;
import io.distributedlock.engine.internal.instance.GuardedObserver;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.event.LockObserver;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/** The waits and holds that an observer is told of. */
class LockObserverTests {

	private static final LockRequest REQUEST = LockRequest.of("stock", "a").waitFor(Duration.ofSeconds(30));

	private final MemoryLocks locks = new MemoryLocks();

	private final DefaultLockRegistry there = new DefaultLockRegistry(new MemoryLockStore(this.locks));

	private final Recorder recorder = new Recorder();

	private final DefaultLockRegistry here = observed(this.recorder);

	private DefaultLockRegistry observed(LockObserver observer) {
		return observed(new MemoryLockStore(this.locks), observer);
	}

	private static DefaultLockRegistry observed(LockStore store, LockObserver observer) {
		return new DefaultLockRegistry(store, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO).withLeakDetection(LeakDetection.DISABLED),
				null, observer);
	}

	@AfterEach
	void close() {
		this.here.close();
		this.there.close();
	}

	@Test
	void holderThatClosesIsAWaitAndAHold() {
		Lease lease = this.here.acquire(REQUEST);
		assertThat(this.recorder.told).containsExactly("wait stock [a] EXCLUSIVE", "acquired " + lease.fencingToken());
		lease.close();
		assertThat(this.recorder.told).endsWith("released").hasSize(3);
		lease.close();
		assertThat(this.recorder.told).hasSize(3);
	}

	@Test
	void futureIsObservedFromTheCallOn() {
		Lease lease = this.here.acquireAsync(REQUEST).toCompletableFuture().join();
		assertThat(this.recorder.told).containsExactly("wait stock [a] EXCLUSIVE", "acquired " + lease.fencingToken());
		lease.release().toCompletableFuture().join();
		assertThat(this.recorder.told).endsWith("released").hasSize(3);
	}

	@Test
	void leaseThatIsDiscardedIsReleased() {
		((GrantLease) this.here.acquire(REQUEST)).discard().toCompletableFuture().join();
		assertThat(this.recorder.told).endsWith("released").hasSize(3);
	}

	@Test
	void leaseThatIsDiscardedIsReleasedWhenTheStoreHasAnswered() {
		ScriptedStore store = new ScriptedStore(this.locks);
		try (DefaultLockRegistry registry = observed(store, this.recorder)) {
			GrantLease lease = (GrantLease) registry.acquire(REQUEST);
			ScriptedStore.Held command = store.hold(ScriptedStore.Command.ABANDON);
			CompletableFuture<Void> discarded = lease.discard().toCompletableFuture();
			assertThat(this.recorder.told).hasSize(2);
			command.fail(LockStoreException.Kind.UNAVAILABLE);
			discarded.join();
			assertThat(this.recorder.told).endsWith("unconfirmed").hasSize(3);
		}
	}

	/** A confirmed release became unconfirmed when a renewal failed late. */
	@Test
	void renewalThatFailsAfterTheReleaseChangesNothing() {
		Lease lease = this.here.acquire(REQUEST);
		Grant grant = ((GrantLease) lease).hold.grant;
		grant.markRenewal(this.here.engine().instance.now());
		CompletableFuture<Void> released = ((GrantLease) lease).end(true);
		released.join();
		grant.renewalFailed(new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "late", null));
		((GrantLease) lease).await(released);
		assertThat(this.recorder.told).endsWith("released").hasSize(3);
	}

	/** It was reported as unconfirmed, though nothing had to be released yet. */
	@Test
	void outerLeaseThatClosesFirstAfterAFailedRenewalIsReleased() {
		LockRequest owned = REQUEST.ownedBy("owner");
		Lease outer = this.here.acquire(owned);
		try (Lease inner = this.here.acquire(owned)) {
			Grant grant = ((GrantLease) outer).hold.grant;
			grant.markRenewal(this.here.engine().instance.now());
			grant.renewalFailed(new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "silent", null));
			outer.close();
			assertThat(this.recorder.told).endsWith("released");
			assertThat(inner.isHeld()).isTrue();
		}
	}

	@Test
	void holdThatBeginsWhileItsFutureIsCancelledEnds() {
		Lease held = this.there.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.here.acquireAsync(REQUEST).toCompletableFuture();
		this.recorder.whenAcquired = () -> waiting.cancel(false);
		held.close();
		await().untilAsserted(() -> assertThat(this.recorder.told).endsWith("released").hasSize(3));
	}

	@Test
	void waitEndsWhereTheFutureIsCompletedBeforeItsDelivery() {
		ManualInstance manual = new ManualInstance();
		LockTerms terms = LockTerms.of(LockProfiles.DEFAULTS, REQUEST.name(), REQUEST.options());
		long now = manual.engine.instance.now();
		Acquisition keys = new Acquisition(manual.engine, REQUEST, terms, now, Waiter.deadline(now, terms.waitFor));
		AsyncAcquisition future = new AsyncAcquisition(manual.engine, keys, REQUEST);
		future.observed = ObservedCall.begin(new GuardedObserver(this.recorder), REQUEST, terms, now);
		manual.listening = () -> {
			assertThat(manual.store.sent(ScriptedStore.Command.ACQUIRE)).isOne();
			future.completeExceptionally(new TimeoutException());
			return true;
		};
		future.start();
		assertThat(this.recorder.told).containsExactly("wait stock [a] EXCLUSIVE", "CancellationException");
		assertThat(manual.store.locks().isLocked("stock", "a")).isFalse();
	}

	@Test
	void setOfWhichTheOwnerHasAPartIsAHoldOfTheRest() {
		Lease part = this.here.acquire(REQUEST.ownedByCurrentThread());
		Lease set = this.here.acquire(LockRequest.ofAll("a", "b").name("stock").ownedByCurrentThread());
		assertThat(this.recorder.told).endsWith("acquired " + set.fencingToken("b")).hasSize(4);
		set.close();
		assertThat(this.recorder.told).endsWith("released").hasSize(5);
		part.close();
		assertThat(this.recorder.told).hasSize(6);
	}

	@Test
	void lockOfAThreadIsObservedAndItsSecondEntryIsNoHold() {
		this.here.getLock("stock", "a").lock();
		this.here.getLock("stock", "a").lock();
		this.here.getLock("stock", "a").unlock();
		assertThat(this.recorder.told).endsWith("reentered").hasSize(4);
		this.here.getLock("stock", "a").unlock();
		assertThat(this.recorder.told).endsWith("released").hasSize(5);
	}

	@Test
	void severalKeysAreOneWaitAndOneHold() {
		LockRequest both = LockRequest.ofAll("a", "b").name("stock").mode(LockMode.READ);
		this.here.acquire(both).close();
		assertThat(this.recorder.told).satisfiesExactly((wait) -> assertThat(wait).isEqualTo("wait stock [a, b] READ"),
				(acquired) -> assertThat(acquired).startsWith("acquired"),
				(end) -> assertThat(end).isEqualTo("released"));
	}

	@Test
	void waitThatEndsWithoutALockHasItsReason() {
		Lease held = this.there.acquire(REQUEST);
		assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> this.here.acquire(REQUEST.waitFor(Duration.ofMillis(10))));
		assertThat(this.recorder.told).endsWith("LockNotAcquiredException");
		Thread.currentThread().interrupt();
		assertThatExceptionOfType(LockInterruptedException.class).isThrownBy(() -> this.here.acquire(REQUEST));
		assertThat(Thread.interrupted()).isTrue();
		assertThat(this.recorder.told).endsWith("InterruptedException");
		this.here.acquireAsync(REQUEST).toCompletableFuture().cancel(false);
		assertThat(this.recorder.told).endsWith("CancellationException").hasSize(6);
		held.close();
	}

	@Test
	void waitThatIsEndedByTheShutdownHasItsReason() {
		Lease held = this.there.acquire(REQUEST);
		CompletableFuture<Lease> waiting = this.here.acquireAsync(REQUEST).toCompletableFuture();
		this.here.close();
		assertThat(waiting).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withCauseInstanceOf(LockRegistryClosedException.class);
		assertThat(this.recorder.told).endsWith("LockRegistryClosedException").hasSize(2);
		held.close();
	}

	@Test
	void holdThatIsLostEndsOnce() {
		Lease lease = this.here.acquire(REQUEST);
		this.here.restored();
		await().untilAsserted(() -> assertThat(this.recorder.told).endsWith("lost " + LossReason.RESTORED));
		lease.release().toCompletableFuture().exceptionally((ex) -> null).join();
		assertThat(this.recorder.told).hasSize(3);
	}

	@Test
	void nothingIsToldWhileNothingObserves() {
		this.recorder.observing = false;
		this.here.acquire(REQUEST).close();
		this.here.acquire(LockRequest.ofAll("a", "b")).close();
		this.here.acquireAsync(REQUEST).toCompletableFuture().join().close();
		assertThat(this.recorder.told).isEmpty();
	}

	@Test
	void observerThatFailsCostsNoLock() {
		try (DefaultLockRegistry registry = observed((name, keys, mode) -> {
			throw new IllegalStateException("broken");
		})) {
			registry.acquire(REQUEST).close();
		}
		this.recorder.broken = true;
		Lease lease = this.here.acquire(REQUEST);
		assertThat(lease.isHeld()).isTrue();
		lease.close();
	}

	private static final class Recorder implements LockObserver, LockObserver.Wait, LockObserver.Hold {

		private final List<String> told = new CopyOnWriteArrayList<>();

		private volatile boolean observing = true;

		private volatile boolean broken;

		private volatile Runnable whenAcquired = () -> {
		};

		@Override
		public boolean isObserving() {
			return this.observing;
		}

		private void tell(String text) {
			this.told.add(text);
			if (this.broken) {
				throw new IllegalStateException("broken");
			}
		}

		@Override
		public Wait waiting(String name, List<String> keys, LockMode mode) {
			this.told.add("wait " + name + " " + keys + " " + mode);
			return this;
		}

		@Override
		public Hold acquired(long token) {
			tell("acquired " + token);
			this.whenAcquired.run();
			return this;
		}

		@Override
		public void reentered() {
			tell("reentered");
		}

		@Override
		public void failed(Throwable reason) {
			tell(reason.getClass().getSimpleName());
		}

		@Override
		public void released() {
			tell("released");
		}

		@Override
		public void releaseFailed(Throwable failure) {
			tell("unconfirmed");
		}

		@Override
		public void lost(LossReason reason, Throwable cause) {
			tell("lost " + reason);
		}

	}

}
