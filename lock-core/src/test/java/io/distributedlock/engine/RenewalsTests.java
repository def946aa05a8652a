package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.engine.internal.lease.EndCommand;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.renewal.Renewals;
import io.distributedlock.event.LockEvent;
import io.distributedlock.store.AbandonCommand;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Renewals, losses and their consequences when the store or the owner misbehaves.
 */
class RenewalsTests {

	private static final LockRequest REQUEST = LockRequest.of("k").ttl(Duration.ofSeconds(3));

	private final ManualInstance instance = new ManualInstance();

	private final ScriptedStore store = this.instance.store;

	/**
	 * A wake-up that came between the end of a lease and its timer stranded the queue.
	 */
	@Test
	void waitersBehindALeaseThatRanOutAreServedWhenAWakeUpComesFirst() {
		Lease lost = this.instance.acquire(REQUEST.renew(false)).join();
		CompletableFuture<Lease> waiting = this.instance.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		this.instance.clock.advance(Duration.ofSeconds(4));
		this.store.wakeUpAll();
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(lost.isHeld()).isFalse();
		assertThat(waiting).isCompleted();
		assertThat(waiting.join().isHeld()).isTrue();
	}

	/**
	 * After a pause of the process, a holder that released before the timers ran removed
	 * the pending loss: the waiters were stuck, and the loss was not reported.
	 */
	@Test
	void waitersBehindAnExpiredLeaseAreServedByItsRelease() {
		Lease lost = this.instance.acquire(REQUEST.renew(false)).join();
		CompletableFuture<Lease> waiting = this.instance.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		this.instance.clock.advance(Duration.ofSeconds(4));
		lost.release();
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(waiting).isCompleted();
		assertThat(this.instance.events).hasAtLeastOneElementOfType(LockEvent.Lost.class);
		waiting.join().release();
		assertThat(this.instance.engine.instance.heldCount()).isZero();
	}

	/** It joined the queue, and was answered when all the others had been served. */
	@Test
	void singleAttemptBehindWaitersAtTheEndOfALeaseIsAnsweredAtOnce() {
		this.instance.acquire(REQUEST.renew(false)).join();
		this.instance.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		this.instance.clock.advance(Duration.ofSeconds(4));
		CompletableFuture<Lease> tried = this.instance.acquire(REQUEST.waitFor(Duration.ZERO));
		assertThat(ManualInstance.failure(tried)).isInstanceOf(LockNotAcquiredException.class);
	}

	/** The queue of such a lease was never forgotten. */
	@Test
	void queueOfALeaseThatRanOutIsForgottenWhenAWakeUpComesFirst() {
		this.instance.acquire(REQUEST.renew(false)).join();
		this.instance.clock.advance(Duration.ofSeconds(4));
		this.store.wakeUpAll();
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(this.instance.engine.queues.index.size()).isZero();
		assertThat(this.instance.engine.instance.heldCount()).isZero();
		assertThat(this.instance.engine.instance.timers.size()).isZero();
	}

	/** An error thrown by the store ended the engine's thread. */
	@Test
	void errorOfTheStoreDuringARenewalIsAFailedRenewal() {
		Lease lease = this.instance.acquire(REQUEST).join();
		this.store.raise(Command.RENEW, new StackOverflowError("thrown by the store"));
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(this.instance.events).hasAtLeastOneElementOfType(LockEvent.RenewalFailed.class);
		this.instance.advance(Duration.ofSeconds(8));
		assertThat(lease.isHeld()).isTrue();
	}

	/** The same with the thread that it ended. */
	@Test
	void registryWhenTheStoreThrowsAnErrorGoesOnRenewing() {
		ScriptedStore real = new ScriptedStore();
		try (DefaultLockRegistry registry = new DefaultLockRegistry(real)) {
			Lease lease = registry.acquire(LockRequest.of("k").ttl(Duration.ofSeconds(30)));
			for (int i = 1; i <= 4; i++) {
				int sent = i;
				real.raise(Command.RENEW, new StackOverflowError("thrown by the store"));
				registry.engine().wakeUpAll();
				await().until(() -> real.sent(Command.RENEW) >= sent);
			}
			long end = lease.remaining().toNanos() + System.nanoTime();
			registry.engine().wakeUpAll();
			await().until(() -> System.nanoTime() + lease.remaining().toNanos() > end);
			lease.close();
		}
	}

	/** An owner that could not be printed prevented the report of the loss. */
	@Test
	void lossWhenTheOwnerThrowsIsToldWithoutAskingIt() {
		AtomicInteger told = new AtomicInteger();
		RudeOwner owner = new RudeOwner();
		Lease lease = this.instance.acquire(REQUEST.renew(false).ownedBy(owner)).join();
		lease.onLost(told::incrementAndGet);
		CompletableFuture<Lease> waiting = this.instance.acquire(REQUEST.waitFor(Duration.ofHours(1)));
		this.instance.advance(Duration.ofSeconds(4));
		assertThat(owner.asked).isEmpty();
		assertThat(told).hasValue(1);
		assertThat(waiting).isCompleted();
		assertThat(this.instance.engine.instance.heldCount()).isOne();
	}

	/** A short lease in the same batch shortened the time-out for a long one. */
	@Test
	void renewalOfALongLeaseIsWaitedForAsLongAsIfItWereAlone() {
		this.instance.acquire(LockRequest.of("long").ttl(Duration.ofSeconds(30)));
		this.instance.advance(Duration.ofMillis(9900));
		this.instance.acquire(LockRequest.of("short").ttl(Duration.ofMillis(300)));
		this.store.silence(Command.RENEW);
		this.instance.advance(Duration.ofMillis(100));
		assertThat(this.store.sent(Command.RENEW)).isPositive();
		this.instance.advance(this.store.commandTimeout().minusMillis(1));
		assertThat(failedRenewals("short")).isPositive();
		assertThat(failedRenewals("long")).isZero();
		this.instance.advance(Duration.ofMillis(1));
		assertThat(failedRenewals("long")).isOne();
	}

	/**
	 * All renewals at once waited in the store beyond their time-out, and were then all
	 * sent again.
	 */
	@Test
	void renewalsOfMoreLeasesThanTheStoreAnswersWaitForTheirTurn() {
		int batches = 2 * Renewals.MOST_IN_FLIGHT;
		List<CompletableFuture<Lease>> leases = acquireInStep(batches * Renewals.BATCH_SIZE);
		List<ScriptedStore.Held> held = new ArrayList<>();
		for (int i = 0; i < batches; i++) {
			held.add(this.store.hold(Command.RENEW));
		}
		pause(Duration.ofSeconds(10));
		for (int i = 0; i < batches; i++) {
			assertThat(this.store.sent(Command.RENEW)).isEqualTo(Math.min(batches, i + Renewals.MOST_IN_FLIGHT));
			this.instance.advance(Duration.ofMillis(30));
			held.get(i).answer();
			this.instance.advance(Duration.ZERO);
		}
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(batches);
		assertThat(this.instance.events).noneMatch(LockEvent.RenewalFailed.class::isInstance);
		assertThat(leases).allMatch((lease) -> lease.join().remaining().compareTo(Duration.ofSeconds(27)) > 0);
	}

	@Test
	void renewalsThatWaitForTheirTurnAreSentOnceWhenOthersFail() {
		acquireInStep((Renewals.MOST_IN_FLIGHT + 2) * Renewals.BATCH_SIZE);
		this.store.silence(Command.RENEW);
		pause(Duration.ofSeconds(10));
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(Renewals.MOST_IN_FLIGHT);
		this.store.heal();
		this.instance.advance(this.store.commandTimeout());
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(2 * Renewals.MOST_IN_FLIGHT + 2);
		this.instance.advance(Duration.ofSeconds(5));
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(2 * Renewals.MOST_IN_FLIGHT + 2);
	}

	/**
	 * In each time-out of a command as many batches were sent as a node that answers has
	 * at a time. When it went on, it worked on all of them before those that counted.
	 */
	@Test
	void nodeThatHasStoppedToAnswerGetsOneBatchAtATime() {
		acquireInStep(2 * Renewals.MOST_IN_FLIGHT * Renewals.BATCH_SIZE);
		this.store.silence(Command.RENEW);
		pause(Duration.ofSeconds(10));
		for (int probes = 0; probes < 4; probes++) {
			assertThat(this.store.sent(Command.RENEW)).isEqualTo(Renewals.MOST_IN_FLIGHT + probes);
			this.instance.advance(this.store.commandTimeout());
		}
		this.store.heal();
		this.instance.advance(this.store.commandTimeout());
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(3 * Renewals.MOST_IN_FLIGHT + 4);
	}

	/** A late answer shows as well that the node works. */
	@Test
	void nodeThatAnswersLateGetsManyBatchesAtATime() {
		List<ScriptedStore.Held> late = holdRenewals(Renewals.MOST_IN_FLIGHT);
		List<CompletableFuture<Lease>> leases = acquireInStep(3 * Renewals.MOST_IN_FLIGHT * Renewals.BATCH_SIZE,
				REQUEST);
		pause(Duration.ofSeconds(1));
		this.store.silence(Command.RENEW);
		this.instance.advance(Duration.ofMillis(501));
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(Renewals.MOST_IN_FLIGHT + 1);
		late.get(0).answer();
		this.instance.advance(Duration.ZERO);
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(2 * Renewals.MOST_IN_FLIGHT);
		assertThat(leases).allMatch((lease) -> lease.join().isHeld());
	}

	/** It came behind all leases that had been due before, and was over by then. */
	@Test
	void leaseThatEndsFirstIsRenewedFirst() {
		acquireInStep(2 * Renewals.MOST_IN_FLIGHT * Renewals.BATCH_SIZE);
		this.instance.clock.advance(Duration.ofSeconds(8));
		this.instance.acquire(LockRequest.of("first").ttl(Duration.ofSeconds(9)));
		this.store.silence(Command.RENEW);
		pause(Duration.ofSeconds(2));
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(this.store.renewed()).anyMatch((command) -> command.key().key().equals("first"));
	}

	/**
	 * The time-outs of a process that had stood still came before the answers that lay in
	 * its socket, and all renewals were sent again.
	 */
	@Test
	void answersThatCameWhileTheProcessStoodStillCount() {
		List<ScriptedStore.Held> renewals = holdRenewals(1);
		Lease lease = this.instance.acquire(LockRequest.of("k").ttl(Duration.ofSeconds(30))).join();
		this.instance.advance(Duration.ofSeconds(10));
		pause(this.store.commandTimeout().plusMillis(200));
		renewals.get(0).answer();
		this.instance.advance(Duration.ofSeconds(2));
		assertThat(this.instance.events).noneMatch(LockEvent.RenewalFailed.class::isInstance);
		assertThat(lease.remaining()).isGreaterThan(Duration.ofSeconds(26));
		assertThat(this.store.sent(Command.RENEW)).isOne();
	}

	/** It waits no longer than the pause has lasted, nor than a command may take. */
	@Test
	void renewalThatIsNotAnsweredAfterAPauseOfTheProcessFails() {
		this.instance.acquire(LockRequest.of("k").ttl(Duration.ofSeconds(30)));
		this.store.silence(Command.RENEW);
		this.instance.advance(Duration.ofSeconds(10));
		pause(this.store.commandTimeout().plusMillis(200));
		this.instance.advance(Duration.ofMillis(199));
		assertThat(failedRenewals("k")).isZero();
		this.instance.advance(Duration.ofMillis(1));
		assertThat(failedRenewals("k")).isOne();
	}

	/** The next renewal was planned by the longer ttl, after the end of the lease. */
	@Test
	void leaseThatCouldNotBeLengthenedIsRenewedBeforeItEnds() {
		LockRequest request = REQUEST.ownedBy("owner");
		Lease lease = this.instance.acquire(request).join();
		List<ScriptedStore.Held> renewal = holdRenewals(1);
		this.instance.advance(Duration.ofSeconds(1));
		this.store.fail(Command.RENEW, LockStoreException.Kind.UNAVAILABLE);
		assertThat(this.instance.acquire(request.ttl(Duration.ofMinutes(1)))).isCompletedExceptionally();
		renewal.get(0).answer();
		this.instance.advance(Duration.ofSeconds(9));
		assertThat(lease.isHeld()).isTrue();
	}

	@Test
	void renewalsThatWaitForTheirTurnAreNotSentWhenTheirLeaseHasEnded() {
		List<CompletableFuture<Lease>> leases = acquireInStep((Renewals.MOST_IN_FLIGHT + 2) * Renewals.BATCH_SIZE);
		this.store.silence(Command.RENEW);
		pause(Duration.ofSeconds(10));
		leases.forEach((lease) -> lease.join().release());
		this.instance.advance(this.store.commandTimeout());
		assertThat(this.store.sent(Command.RENEW)).isEqualTo(Renewals.MOST_IN_FLIGHT);
	}

	/** A node that did not answer used up the limit of commands in flight for all. */
	@Test
	void renewalsOfANodeThatIsSilentDelayNoOthers() {
		this.store.nodes((key) -> key.startsWith("sick") ? "sick" : "well");
		List<CompletableFuture<Lease>> sick = acquireInStep("sick", 2 * Renewals.MOST_IN_FLIGHT * Renewals.BATCH_SIZE);
		List<CompletableFuture<Lease>> well = acquireInStep("well", 2 * Renewals.BATCH_SIZE);
		this.store.silenceNode("sick");
		pause(Duration.ofSeconds(10));
		assertThat(well).allMatch((lease) -> lease.join().remaining().compareTo(Duration.ofSeconds(29)) > 0);
		this.instance.advance(Duration.ofSeconds(19));
		assertThat(sick).allMatch((lease) -> lease.join().remaining().compareTo(Duration.ofSeconds(1)) < 0);
		assertThat(this.instance.events.stream().filter(LockEvent.RenewalFailed.class::isInstance))
			.allMatch((event) -> event.key().startsWith("sick"));
	}

	@Test
	void renewalWhenOthersOfItsBatchAreNotAnsweredCounts() {
		List<CompletableFuture<Lease>> leases = acquireInStep("sick", 2);
		leases.addAll(acquireInStep("well", 2));
		this.store.silenceNode("sick");
		this.store.nodes((key) -> key.startsWith("sick") ? "sick" : "well");
		this.store.hideNodes();
		this.instance.advance(Duration.ofSeconds(10));
		assertThat(leases.subList(2, 4))
			.allMatch((lease) -> lease.join().remaining().compareTo(Duration.ofSeconds(29)) > 0);
		assertThat(leases.subList(0, 2))
			.allMatch((lease) -> lease.join().remaining().compareTo(Duration.ofSeconds(20)) < 0);
		this.instance.advance(this.store.commandTimeout());
		assertThat(failedRenewals("sick0")).isOne();
		assertThat(failedRenewals("well0")).isZero();
	}

	@Test
	void renewalOfSeveralLocksWhenOneIsLostAndOneFailsIsALoss() {
		this.store.takeTogether();
		Lease lease = this.instance.acquire(LockRequest.ofAll("a", "b").ttl(Duration.ofSeconds(30))).join();
		this.store.silenceNode("a");
		this.store.nodes((key) -> key);
		this.store.hideNodes();
		this.store.locks().remove("", "b");
		this.instance.advance(Duration.ofSeconds(10));
		assertThat(lease.isHeld()).isTrue();
		this.instance.advance(this.store.commandTimeout());
		assertThat(lease.isHeld()).isFalse();
	}

	/** Timers that came due meanwhile come due at once. */
	private void pause(Duration pause) {
		this.instance.clock.advance(pause);
		this.instance.runDue();
	}

	private List<CompletableFuture<Lease>> acquireInStep(int count) {
		return acquireInStep("k", count);
	}

	private List<CompletableFuture<Lease>> acquireInStep(String prefix, int count) {
		List<CompletableFuture<Lease>> leases = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			leases.add(this.instance.acquire(LockRequest.of(prefix + i).ttl(Duration.ofSeconds(30))));
		}
		return leases;
	}

	private long failedRenewals(String key) {
		return this.instance.events.stream()
			.filter((event) -> event instanceof LockEvent.RenewalFailed && event.key().equals(key))
			.count();
	}

	/** Answers later than a sixth of the ttl were thrown away: taken, but never kept. */
	@Test
	void leaseWhenEveryAnswerTakesAFifthOfItsTtlIsKept() {
		List<ScriptedStore.Held> renewals = holdRenewals(100);
		Lease lease = this.instance.acquire(REQUEST).join();
		Deque<Long> sentAt = new ArrayDeque<>();
		int answered = 0;
		for (int i = 0; i < 300; i++) {
			this.instance.advance(Duration.ofMillis(50));
			while (answered + sentAt.size() < this.store.sent(Command.RENEW)) {
				sentAt.add(this.instance.clock.quietly());
			}
			while (!sentAt.isEmpty() && sentAt.peek() <= this.instance.clock.quietly() - 600_000_000) {
				sentAt.remove();
				renewals.get(answered++).answer();
			}
		}
		assertThat(lease.isHeld()).isTrue();
		assertThat(answered).isBetween(15, 40);
	}

	private List<ScriptedStore.Held> holdRenewals(int count) {
		return Stream.generate(() -> this.store.hold(Command.RENEW)).limit(count).toList();
	}

	@Test
	void lateAnswerCountsFromItsSendTimeOnly() {
		ScriptedStore.Held late = holdRenewals(1).get(0);
		this.store.silence(Command.RENEW);
		Lease lease = this.instance.acquire(REQUEST).join();
		this.instance.advance(Duration.ofMillis(1900));
		Duration before = lease.remaining();
		late.answer();
		assertThat(lease.remaining().minus(before)).isEqualTo(Duration.ofSeconds(1));
	}

	/** It was thrown away as well, and the holder believed on. */
	@Test
	void lateAnswerThatSaysNotYoursIsALoss() {
		ScriptedStore.Held late = holdRenewals(1).get(0);
		this.store.silence(Command.RENEW);
		Lease lease = this.instance.acquire(REQUEST).join();
		this.store.locks().remove("", "k");
		this.instance.advance(Duration.ofMillis(1900));
		assertThat(lease.isHeld()).isTrue();
		late.answer();
		assertThat(lease.isHeld()).isFalse();
	}

	/** The others of its batch were told that they had failed, too. */
	@Test
	void renewalForWhichTheStoreReturnsNullFailsAlone() {
		Lease other = this.instance.acquire(LockRequest.of("other").ttl(Duration.ofSeconds(30))).join();
		Lease lease = this.instance.acquire(LockRequest.of("k").ttl(Duration.ofSeconds(30))).join();
		this.store.returnNull("k");
		this.instance.advance(Duration.ofSeconds(12));
		assertThat(other.remaining()).isGreaterThan(Duration.ofSeconds(25));
		assertThat(lease.remaining()).isLessThan(Duration.ofSeconds(19));
	}

	/** Renewals that a silent node leaves behind end with the time-out of a command. */
	@Test
	void renewalsOfASilentStoreAreBounded() {
		this.store.withCommandTimeout(Duration.ofSeconds(2));
		List<CompletableFuture<Lease>> leases = acquireInStep((Renewals.MOST_IN_FLIGHT + 8) * Renewals.BATCH_SIZE,
				REQUEST);
		this.store.silence(Command.RENEW);
		this.instance.advance(Duration.ofMillis(2900));
		assertThat(this.store.sent(Command.RENEW)).isLessThanOrEqualTo(6 * (Renewals.MOST_IN_FLIGHT + 8));
		this.instance.advance(Duration.ofSeconds(4));
		assertThat(leases).noneMatch((lease) -> lease.join().isHeld());
		assertThat(this.instance.engine.instance.timers.size()).isZero();
	}

	private List<CompletableFuture<Lease>> acquireInStep(int count, LockRequest like) {
		return IntStream.range(0, count)
			.mapToObj((i) -> this.instance.acquire(LockRequest.of("k" + i).ttl(like.options().ttl())))
			.toList();
	}

	/** A time-out that fired after the answer sent the command once more. */
	@Test
	void timeOutOfABackgroundCommandThatWasAnsweredSendsNothing() {
		Grant grant = ((GrantLease) this.instance.acquire(LockRequest.of("k")).join()).hold.grant;
		ScriptedStore.Held abandon = this.store.hold(Command.ABANDON);
		EndCommand command = new EndCommand(grant, new AbandonCommand(grant.keys(), grant.request()), false, -1, false,
				(late, failure) -> {
				});
		command.start();
		abandon.answer();
		command.fire(this.instance.clock.quietly());
		assertThat(this.store.sent(Command.ABANDON)).isEqualTo(1);
		grant.lose(LossReason.SHUTDOWN);
		this.instance.runDue();
		assertThat(this.instance.engine.instance.backgroundCount()).isZero();
		assertThat(this.instance.engine.instance.timers.size()).isZero();
	}

	/** An owner whose methods throw, as those of a detached entity do. */
	private static final class RudeOwner {

		private final List<String> asked = new ArrayList<>();

		private RuntimeException asked(String method) {
			this.asked.add(method);
			return new IllegalStateException(method);
		}

		@Override
		public boolean equals(Object other) {
			throw asked("equals");
		}

		@Override
		public int hashCode() {
			throw asked("hashCode");
		}

		@Override
		public String toString() {
			throw asked("toString");
		}

	}

}
