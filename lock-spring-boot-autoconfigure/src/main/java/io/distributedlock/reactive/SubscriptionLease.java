package io.distributedlock.reactive;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.TemplateLease;
import io.distributedlock.WhenLost;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * The lease of one subscription. It ends with the body or, where a transaction was open
 * as the lock was taken, with whichever of the two ends last. Whoever keeps it leaves
 * once, on whatever thread.
 */
final class SubscriptionLease {

	private static final Log logger = LogFactory.getLog(SubscriptionLease.class);

	private final Acquisition acquisition = new Acquisition();

	private final WhenLost whenLost;

	private final Scheduler scheduler;

	private final Supplier<? extends Mono<?>> elsewhere;

	private final AtomicInteger keepers = new AtomicInteger(1);

	private final AtomicBoolean bodyEnded = new AtomicBoolean();

	private final BodyEntry entry = new BodyEntry();

	private final AtomicBoolean transactionEnded = new AtomicBoolean();

	private volatile @Nullable Lease lease;

	private volatile @Nullable LockLostException loss;

	private volatile Runnable whenKept = () -> {
	};

	/**
	 * Create a lease that is still to be acquired.
	 * @param whenLost what a loss does
	 * @param scheduler where to go on once the lock is acquired or released
	 * @param elsewhere completes when no code of a body that was given up runs any more
	 * in other threads than the one that subscribes to it
	 */
	SubscriptionLease(WhenLost whenLost, Scheduler scheduler, Supplier<? extends Mono<?>> elsewhere) {
		this.whenLost = whenLost;
		this.scheduler = scheduler;
		this.elsewhere = elsewhere;
	}

	Mono<Lease> acquire(LockRegistry registry, LockRequest request) {
		return this.acquisition.start(registry, request)
			.doOnNext((acquired) -> this.lease = acquired)
			.publishOn(this.scheduler);
	}

	/**
	 * Subscribe to the body, unless the subscription was cancelled before. Whatever ends
	 * the body, or one around it, while this thread is in it waits for the thread with
	 * the release. A cancel refuses those inside first, so they enter in the other order.
	 */
	<T> Flux<T> enter(Supplier<? extends Publisher<T>> body, List<BodyEntry> around) {
		return Flux.from((subscriber) -> {
			List<BodyEntry> entered = around.stream().filter(BodyEntry::enter).toList();
			try {
				subscribe(body, subscriber);
			}
			finally {
				entered.forEach(BodyEntry::leave);
			}
		});
	}

	private <T> void subscribe(Supplier<? extends Publisher<T>> body, Subscriber<? super T> subscriber) {
		if (!this.entry.enter()) {
			Operators.complete(subscriber);
			return;
		}
		try {
			Flux.defer(body).subscribe(subscriber);
		}
		finally {
			this.entry.leave();
		}
	}

	/** The bodies that a body inside this one is in. */
	List<BodyEntry> entries(List<BodyEntry> around) {
		return Stream.concat(Stream.of(this.entry), around.stream()).toList();
	}

	/**
	 * Let a loss cancel the body at once, if that is the policy. The loss ends the body
	 * like an early completion, because the operator does not cancel it for an error.
	 */
	<T> Flux<T> cancelWhenLost(Flux<T> body, Lease held) {
		if (this.whenLost != WhenLost.INTERRUPT) {
			return body;
		}
		AtomicBoolean completed = new AtomicBoolean();
		AtomicReference<@Nullable LockLostException> told = new AtomicReference<>();
		Sinks.Empty<Void> lost = Sinks.empty();
		held.onLost(() -> {
			told.set(Losses.of(held));
			lost.tryEmitEmpty();
		});
		return body.doOnComplete(() -> completed.set(true)).takeUntilOther(lost.asMono()).concatWith(Mono.defer(() -> {
			LockLostException loss = told.get();
			return (loss != null) ? Mono.error(Losses.told(loss, completed.get())) : Mono.empty();
		}));
	}

	/** The body has completed: release, unless a transaction keeps the lease. */
	<T> Mono<T> complete() {
		return ended(true, () -> {
			if (leave()) {
				return end().then(Mono.empty());
			}
			LockLostException lost = leaveToTransaction();
			return (lost != null) ? Mono.error(Losses.told(lost, true)) : Mono.empty();
		});
	}

	/** The body has failed, or there never was a lease. What it failed with wins. */
	Mono<Void> fail(Throwable failure) {
		return ended(false, () -> {
			if (leave()) {
				return end().onErrorResume((ex) -> Mono.fromRunnable(() -> Losses.suppress(failure, ex)));
			}
			LockLostException lost = leaveToTransaction();
			return Mono.fromRunnable(() -> Losses.suppress(failure, lost));
		});
	}

	/** The subscription was cancelled, perhaps while it waited. */
	Mono<Void> cancel() {
		return ended(false, () -> Mono.fromRunnable(() -> {
			if (leave()) {
				giveBack();
			}
			else {
				becomeKept();
			}
		}));
	}

	/**
	 * Once, and while the lock is held not before the body's thread has come back, nor
	 * before its code elsewhere has ended if it was given up: then in any case, even if
	 * the subscriber does not wait for it any more.
	 */
	private <T> Mono<T> ended(boolean completed, Supplier<Mono<T>> then) {
		return Mono.defer(() -> {
			if (!this.bodyEnded.compareAndSet(false, true)) {
				return Mono.empty();
			}
			this.entry.refuse();
			boolean occupied = this.entry.isOccupied();
			if (!mayBeHeld() || (completed && !occupied)) {
				return then.get();
			}
			Mono<Void> left = occupied ? this.entry.left() : Mono.empty();
			Mono<?> ended = completed ? left : left.then(Mono.defer(this.elsewhere));
			return ended.then(Mono.defer(then)).cache();
		});
	}

	/** Also while it is in doubt. */
	private boolean mayBeHeld() {
		Lease held = this.lease;
		return held != null && !held.isLost();
	}

	private boolean leave() {
		return this.keepers.decrementAndGet() == 0;
	}

	private Mono<Void> end() {
		return Mono.fromCompletionStage(giveBack()).publishOn(this.scheduler);
	}

	private CompletionStage<Void> giveBack() {
		return this.acquisition.end(this.entry.wasEntered());
	}

	/** A loss is remembered for the commit, in case nobody minds the body's failure. */
	private @Nullable LockLostException leaveToTransaction() {
		becomeKept();
		Lease held = this.lease;
		if (held != null && this.whenLost != WhenLost.IGNORE && held.isLost()) {
			this.loss = Losses.of(held);
		}
		return this.loss;
	}

	/** Whoever waits for the lock in the same transaction enters it from here on. */
	private void becomeKept() {
		this.whenKept.run();
		if (this.lease instanceof TemplateLease held) {
			held.ownersChanged();
		}
	}

	/**
	 * A transaction keeps the lease from here on.
	 * @param whenKept what to do when the body has ended before the transaction
	 * @return false if the body was cancelled: then there is nothing to keep
	 */
	boolean keep(Runnable whenKept) {
		this.whenKept = whenKept;
		return this.keepers.compareAndSet(1, 2);
	}

	/** Registered with the transaction, unless that has ended without being seen. */
	void kept() {
		if (this.bodyEnded.get()) {
			transactionCompleted(true).subscribe();
		}
	}

	/** On a thread that may block, if the lease is in doubt and has to be confirmed. */
	Mono<Void> beforeCommit() {
		return Mono.defer(() -> {
			LockLostException known = this.loss;
			Lease held = this.lease;
			if (known != null) {
				return Mono.error(known);
			}
			if (held == null || this.whenLost == WhenLost.IGNORE || held.isHeld()) {
				return Mono.empty();
			}
			Mono<Void> check = Mono.fromRunnable(held::checkHeld);
			return held.isLost() ? check : check.subscribeOn(Schedulers.boundedElastic());
		});
	}

	Mono<Void> transactionCompleted(boolean rolledBack) {
		return Mono.defer(() -> {
			if (!this.transactionEnded.compareAndSet(false, true) || !leave()) {
				return Mono.empty();
			}
			return end().onErrorResume((ex) -> {
				if (!rolledBack) {
					logger.warn("A transaction was completed although its lock was lost: " + ex.getMessage());
				}
				return Mono.empty();
			});
		});
	}

}
