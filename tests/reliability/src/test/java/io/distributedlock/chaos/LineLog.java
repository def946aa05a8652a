package io.distributedlock.chaos;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockMode;
import io.distributedlock.history.Event;
import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;
import io.distributedlock.history.Recorder;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;

/**
 * Writes down who is in line for locks at which order is promised, in the line of a store
 * or of one of several independent nodes.
 */
final class LineLog {

	private static final int REMEMBERED = 20_000;

	private final Recorder recorder;

	/** The node, or nothing. */
	private final String node;

	/** Requests that were made before. */
	private final Set<RequestId> known = remembering();

	/** Requests that are in line no more, though an answer may tell so. */
	private final Set<RequestId> left = remembering();

	/** Requests that may have the lock by the word of other nodes. */
	private final Set<RequestId> claimed = remembering();

	LineLog(Recorder recorder, String node) {
		this.recorder = recorder;
		this.node = node;
	}

	/** A set that forgets its eldest requests once it has too many. */
	private static Set<RequestId> remembering() {
		return Collections.synchronizedSet(Collections.newSetFromMap(new LinkedHashMap<>() {

			@Override
			protected boolean removeEldestEntry(Map.Entry<RequestId, Boolean> eldest) {
				return size() > REMEMBERED;
			}

		}));
	}

	/** A request asks for the lock, for the first time or again. */
	CompletableFuture<AcquireOutcome> asks(AcquireCommand command,
			Supplier<CompletableFuture<AcquireOutcome>> acquire) {
		List<LockKey> keys = keysOf(command);
		if (keys.isEmpty()) {
			return acquire.get();
		}
		if (this.known.add(command.request()) || !this.node.isEmpty()) {
			keys.forEach((key) -> record(key, command, Op.QUEUE, Phase.INVOKE));
		}
		long sentAt = System.nanoTime();
		CompletableFuture<AcquireOutcome> answer = acquire.get();
		CompletableFuture<AcquireOutcome> recorded = answer.thenApply((outcome) -> {
			keys.forEach((key) -> answered(key, command, outcome, sentAt));
			return outcome;
		});
		recorded.whenComplete((outcome, ex) -> {
			if (recorded.isCancelled()) {
				answer.cancel(true);
			}
		});
		return recorded;
	}

	/** A request is about to leave the line. An answer that comes after that is old. */
	synchronized void leaves(List<LockKey> keys, RequestId request) {
		this.left.add(request);
		keys.stream()
			.filter((key) -> ChaosKeys.isInLine(key.key()))
			.forEach((key) -> append(Event.of(Op.QUEUE, Phase.FAIL, key.key()), request));
	}

	/** A release has given the lock to a request that waited to have it alone. */
	synchronized void isGiven(LockKey key, RequestId request) {
		if (ChaosKeys.isInLine(key.key())) {
			append(Event.of(Op.SERVE, Phase.OK, key.key()).mode(Mode.X, 1), request);
		}
	}

	/**
	 * A request takes the lock by the word of others, and not because it was first here.
	 */
	void claims(AcquireCommand command) {
		this.claimed.add(command.request());
		leaves(command.keys(), command.request());
	}

	/** On nodes readers are in no line by themselves, but in that of all nodes. */
	private List<LockKey> keysOf(AcquireCommand command) {
		if (command.mode() == LockMode.SEMAPHORE || this.claimed.contains(command.request())
				|| (command.mode() == LockMode.READ && !this.node.isEmpty())) {
			return List.of();
		}
		return command.keys().stream().filter((key) -> ChaosKeys.isInLine(key.key())).toList();
	}

	private synchronized void answered(LockKey key, AcquireCommand command, AcquireOutcome outcome, long sentAt) {
		long waiting = command.waiting().toNanos();
		if (outcome instanceof AcquireOutcome.Granted) {
			record(key, command, Op.SERVE, Phase.OK);
		}
		else if (outcome instanceof AcquireOutcome.Busy busy && waiting > 0 && !this.left.contains(command.request())
				&& (!busy.ended() || waitsAsInstance(command))) {
			append(event(key, command, Op.QUEUE, busy.ended() ? Phase.INFO : Phase.OK)
				.validUntil(sentAt + waiting - waiting / 100)
				.values(sentAt, 0), command.request());
		}
		else {
			record(key, command, Op.QUEUE, Phase.FAIL);
		}
	}

	/**
	 * Return whether the waiter entry is that of the instance: if no majority grants the
	 * lock, the instance goes on with another request.
	 */
	private static boolean waitsAsInstance(AcquireCommand command) {
		return command.mode().isExclusive() && command.mode() != LockMode.FAIR;
	}

	private void record(LockKey key, AcquireCommand command, Op op, Phase phase) {
		append(event(key, command, op, phase), command.request());
	}

	private static Event event(LockKey key, AcquireCommand command, Op op, Phase phase) {
		Mode mode = switch (command.mode()) {
			case FAIR -> Mode.F;
			case READ -> Mode.R;
			default -> Mode.X;
		};
		return Event.of(op, phase, key.key()).mode(mode, 1);
	}

	private void append(Event event, RequestId request) {
		this.recorder.append(event.lease(request.toString(), 0).result(this.node, ""));
	}

}
