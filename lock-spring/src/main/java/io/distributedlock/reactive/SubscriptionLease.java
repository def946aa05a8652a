package io.distributedlock.reactive;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.TemplateLease;
import io.distributedlock.WhenLost;
import io.distributedlock.reactive.LeaseState.Event;
import io.distributedlock.text.LockLog;
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
 * when the lock was taken, with the later of the two. Completion, failure, cancellation
 * and the end of the transaction come on any thread and in any order; {@link LeaseState}
 * has the transition for each. A loss is not an event of its own: depending on the policy
 * it ends the body, or is found when the body or the transaction ends.
 */
final class SubscriptionLease {

	private static final LockLog logger = LockLog.of(SubscriptionLease.class);

	private final AtomicReference<LeaseState> state = new AtomicReference<>(LeaseState.RUNNING);

	private final SubscriptionRequest request = new SubscriptionRequest();

	private final BodyEntry entry = new BodyEntry();

	private final WhenLost whenLost;

	/** Continues the sequence once the lock is acquired or released. */
	private final Scheduler scheduler;

	/** Completes when no code of a failed or cancelled body runs on other threads. */
	private final Supplier<? extends Mono<?>> elsewhere;

	/** The loss that was found at the end of the body, for the commit. */
	private volatile @Nullable LockLostException loss;

	private volatile Runnable whenKept = () -> {
	};

	SubscriptionLease(WhenLost whenLost, Scheduler scheduler, Supplier<? extends Mono<?>> elsewhere) {
		this.whenLost = whenLost;
		this.scheduler = scheduler;
		this.elsewhere = elsewhere;
	}

	/**
	 * Change the state. No other method does.
	 * @return the new state, or {@code null} if the event came too late
	 */
	private @Nullable LeaseState on(Event event) {
		LeaseState before = this.state.getAndUpdate((state) -> state.after(event));
		LeaseState after = before.after(event);
		return (after != before) ? after : null;
	}

	Mono<Lease> acquire(LockRegistry registry, LockRequest request) {
		return this.request.start(registry, request).publishOn(this.scheduler);
	}

	/**
	 * Subscribe to the body, unless the subscription was cancelled before. While this
	 * thread is in the body, neither this lease nor one around it is released. A
	 * cancellation refuses inner bodies first, so this thread enters the outer ones
	 * first.
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

	/** The bodies around a body inside this one, innermost first. */
	List<BodyEntry> entries(List<BodyEntry> around) {
		return Stream.concat(Stream.of(this.entry), around.stream()).toList();
	}

	/**
	 * Let a loss cancel the body at once, if that is the policy. The loss ends the body
	 * like an early completion, because {@code takeUntilOther} does not cancel it for an
	 * error.
	 */
	<T> Flux<T> cancelWhenLost(Flux<T> body, Lease held) {
		if (this.whenLost != WhenLost.INTERRUPT) {
			return body;
		}
		AtomicBoolean completed = new AtomicBoolean();
		AtomicReference<@Nullable LockLostException> found = new AtomicReference<>();
		Sinks.Empty<Void> lost = Sinks.empty();
		held.onLost(() -> {
			found.set(lossOf(held));
			lost.tryEmitEmpty();
		});
		return body.doOnComplete(() -> completed.set(true)).takeUntilOther(lost.asMono()).concatWith(Mono.defer(() -> {
			LockLostException loss = found.get();
			return (loss != null) ? Mono.error(reported(loss, completed.get())) : Mono.empty();
		}));
	}

	/** End the lease of a completed body. Fails if the lease was lost. */
	<T> Mono<T> complete() {
		return endBody(true).onErrorMap(LockLostException.class, (loss) -> reported(loss, true)).then(Mono.empty());
	}

	/** End the lease of a failed body, or a request that failed. That failure wins. */
	Mono<Void> fail(Throwable failure) {
		return endBody(false).onErrorResume((ex) -> Mono.fromRunnable(() -> suppress(failure, ex)));
	}

	/** End the lease of a cancelled subscription, which may still wait for it. */
	Mono<Void> cancel() {
		return endBody(false).onErrorComplete();
	}

	/**
	 * End the body. While the lock is held, this waits until no thread is inside the
	 * body, and after a failure or cancellation also until {@link #elsewhere} has
	 * completed. It goes on even if the subscriber no longer waits.
	 */
	private Mono<Void> endBody(boolean completed) {
		return Mono.defer(() -> {
			if (on(Event.BODY_ENDED) == null) {
				return Mono.empty();
			}
			this.entry.refuse();
			boolean occupied = this.entry.isOccupied();
			if (!mayBeHeld() || (completed && !occupied)) {
				return leave();
			}
			Mono<Void> left = occupied ? this.entry.left() : Mono.empty();
			Mono<?> ended = completed ? left : left.then(Mono.defer(this.elsewhere)).onErrorComplete();
			return ended.then(Mono.defer(this::leave)).cache();
		});
	}

	/** Return whether the lock is held or in doubt. */
	private boolean mayBeHeld() {
		Lease held = this.request.lease();
		return held != null && !held.isLost();
	}

	/** Release, or leave the lease to the transaction. Fails if the lease was lost. */
	private Mono<Void> leave() {
		if (on(Event.BODY_LEFT) == LeaseState.RELEASED) {
			return release();
		}
		this.whenKept.run();
		Lease held = this.request.lease();
		if (held instanceof TemplateLease owned) {
			owned.ownersChanged();
		}
		if (held == null || this.whenLost == WhenLost.IGNORE || !held.isLost()) {
			return Mono.empty();
		}
		LockLostException lost = lossOf(held);
		this.loss = lost;
		return Mono.error(lost);
	}

	private Mono<Void> release() {
		return Mono.fromCompletionStage(this.request.end(this.entry.wasEntered())).publishOn(this.scheduler);
	}

	/**
	 * Let a transaction keep the lease, unless the body has ended already. The action
	 * runs when the body has left, if the transaction has not completed before.
	 */
	boolean keep(Runnable whenKept) {
		this.whenKept = whenKept;
		return on(Event.KEEP) != null;
	}

	/**
	 * Called after the registration with the transaction. If the body has ended
	 * meanwhile, it has not run, and the transaction may have completed before the
	 * registration. So its part ends here.
	 */
	void registered() {
		if (Objects.requireNonNull(this.state.get()).hasBodyEnded()) {
			transactionCompleted(true).subscribe();
		}
	}

	/**
	 * Fail if the lease was lost. A lease in doubt is confirmed on a thread that may
	 * block.
	 */
	Mono<Void> beforeCommit() {
		return Mono.defer(() -> {
			LockLostException known = this.loss;
			Lease held = this.request.lease();
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
		return Mono.defer(() -> (on(Event.TRANSACTION_ENDED) == LeaseState.RELEASED) ? release() : Mono.empty())
			.onErrorResume((ex) -> {
				if (!rolledBack) {
					logger.warn("A transaction was completed although its lock was lost: " + ex.getMessage());
				}
				return Mono.empty();
			});
	}

	/** The loss of a lease whose body still runs. */
	private static LockLostException lossOf(Lease lost) {
		try {
			lost.checkHeld();
		}
		catch (LockLostException ex) {
			return ex;
		}
		catch (IllegalStateException ignored) {
			// Closed meanwhile: the subscriber has gone.
		}
		return new LockLostException(lost.name(), lost.keys().get(0), LossReason.EXPIRED, false);
	}

	private static LockLostException reported(LockLostException loss, boolean bodyCompleted) {
		return (loss.isBodyCompleted() == bodyCompleted) ? loss : new LockLostException(loss.getName(), loss.getKey(),
				loss.getReason(), bodyCompleted, loss.getCause());
	}

	/** Add the failure of the release, except a loss that has ended the body already. */
	private static void suppress(Throwable failure, Throwable atRelease) {
		boolean known = failure instanceof LockLostException first && atRelease instanceof LockLostException second
				&& first.getKey().equals(second.getKey());
		if (!known && failure != atRelease) {
			failure.addSuppressed((atRelease instanceof LockLostException loss) ? reported(loss, false) : atRelease);
		}
	}

}
