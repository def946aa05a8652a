package io.distributedlock.chaos;

import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.history.Event;
import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;
import io.distributedlock.history.Recorder;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;

/**
 * Records who is in line for locks at which order is promised, which happens out of sight
 * of those who wait. Everything is passed on.
 */
final class LineRecorder implements LockStore {

	private static final int REMEMBERED = 20_000;

	private final LockStore delegate;

	private final Recorder recorder;

	/** Requests that were made before, until there are too many. */
	private final Set<RequestId> known = Collections.synchronizedSet(new LinkedHashSet<>());

	LineRecorder(LockStore delegate, Recorder recorder) {
		this.delegate = delegate;
		this.recorder = recorder;
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		List<LockKey> keys = command.keys().stream().filter((key) -> ChaosKeys.isInLine(key.key())).toList();
		if (keys.isEmpty() || command.mode() == LockMode.SEMAPHORE) {
			return this.delegate.acquire(command);
		}
		if (isNew(command.request())) {
			keys.forEach((key) -> record(key, command, Op.QUEUE, Phase.INVOKE, 0));
		}
		long sentAt = System.nanoTime();
		return this.delegate.acquire(command).thenApply((outcome) -> {
			keys.forEach((key) -> answered(key, command, outcome, sentAt));
			return outcome;
		});
	}

	private boolean isNew(RequestId request) {
		synchronized (this.known) {
			if (this.known.size() > REMEMBERED) {
				this.known.remove(this.known.iterator().next());
			}
			return this.known.add(request);
		}
	}

	private void answered(LockKey key, AcquireCommand command, AcquireOutcome outcome, long sentAt) {
		if (outcome instanceof AcquireOutcome.Granted) {
			record(key, command, Op.SERVE, Phase.OK, 0);
		}
		else if (!(outcome instanceof AcquireOutcome.Busy busy) || busy.ended()) {
			record(key, command, Op.QUEUE, Phase.FAIL, 0);
		}
		else if (command.mode() != LockMode.EXCLUSIVE && !command.waiting().isZero()) {
			long waiting = command.waiting().toNanos();
			record(key, command, Op.QUEUE, Phase.OK, sentAt + waiting - waiting / 100);
		}
	}

	private void record(LockKey key, AcquireCommand command, Op op, Phase phase, long until) {
		Mode mode = switch (command.mode()) {
			case FAIR -> Mode.F;
			case READ -> Mode.R;
			default -> Mode.X;
		};
		this.recorder.append(
				Event.of(op, phase, key.key()).lease(command.request().toString(), 0).mode(mode, 1).validUntil(until));
	}

	@Override
	public CompletableFuture<Void> abandon(List<LockKey> keys, RequestId request) {
		keys.stream()
			.filter((key) -> ChaosKeys.isInLine(key.key()))
			.forEach((key) -> this.recorder
				.append(Event.of(Op.QUEUE, Phase.FAIL, key.key()).lease(request.toString(), 0)));
		return this.delegate.abandon(keys, request);
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return this.delegate.takesTogether(keys);
	}

	@Override
	public List<CompletableFuture<Boolean>> renew(List<RenewCommand> commands) {
		return this.delegate.renew(commands);
	}

	@Override
	public String nodeOf(LockKey key) {
		return this.delegate.nodeOf(key);
	}

	@Override
	public CompletableFuture<Boolean> release(List<LockKey> keys, RequestId request) {
		return this.delegate.release(keys, request);
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		this.delegate.start(instance, listener);
	}

	@Override
	public Duration commandTimeout() {
		return this.delegate.commandTimeout();
	}

	@Override
	public void close() {
		this.delegate.close();
	}

}
