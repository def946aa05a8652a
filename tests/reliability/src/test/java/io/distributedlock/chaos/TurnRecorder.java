package io.distributedlock.chaos;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.history.Event;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;
import io.distributedlock.history.Recorder;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockStore;
import io.distributedlock.test.store.DelegatingLockStore;

/**
 * Records when a process asks for tokens by which its callers hand a lock on among
 * themselves, and which it gets.
 */
final class TurnRecorder extends DelegatingLockStore {

	private final Recorder recorder;

	private final AtomicLong numbers = new AtomicLong();

	TurnRecorder(LockStore delegate, Recorder recorder) {
		super(delegate);
		this.recorder = recorder;
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		if (command.spareTokens() == 0) {
			return super.acquire(command);
		}
		Event turn = Event.of(Op.TURN, Phase.INVOKE, command.keys().get(0).key())
			.lease("turn-" + this.recorder.proc() + "-" + this.numbers.incrementAndGet(), 0);
		this.recorder.append(turn);
		CompletableFuture<AcquireOutcome> answer = super.acquire(command);
		CompletableFuture<AcquireOutcome> recorded = answer
			.whenComplete((outcome, ex) -> this.recorder.append(ended(turn, command, outcome)));
		recorded.whenComplete((outcome, ex) -> {
			if (recorded.isCancelled()) {
				answer.cancel(true);
			}
		});
		return recorded;
	}

	private static Event ended(Event turn, AcquireCommand command, AcquireOutcome outcome) {
		return (outcome instanceof AcquireOutcome.Granted granted) ? turn.as(Op.TURN, Phase.OK)
			.lease(turn.request(), granted.token())
			.values(0, granted.token() + command.spareTokens()) : turn.as(Op.TURN, Phase.FAIL);
	}

}
