package io.distributedlock.redis.internal.driver;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * Combines calls for different locks while the connections of callers are in use. A
 * caller that gets a connection takes waiting calls along, and gives each its answer
 * (flat combining, by Hendler, Incze, Shavit and Tzafrir). Other callers wait a moment
 * for an answer or a connection. Then they leave their call to a thread of the driver,
 * which takes waiting calls along as well. Thread-safe.
 */
final class Combiner {

	/**
	 * Maximum number of calls in one: they keep a server from others for about a
	 * millisecond.
	 */
	static final int MOST_TOGETHER = 64;

	/**
	 * Longest wait of a caller: with a slower server the threads of the driver are as
	 * good.
	 */
	static final Duration LONGEST_WAIT = Duration.ofMillis(20);

	/**
	 * Minimum time of a caller that leads. With less, it would give up earlier than the
	 * others expect of a driver, and they would have to send again.
	 */
	private static final Duration SHORTEST_LEAD = Duration.ofMillis(50);

	private final @Nullable CallerLane lane;

	private final Consumer<WaitingCall> driver;

	private final Consumer<Runnable> background;

	private final Consumer<ScriptCall> resender;

	private final long longestWaitNanos;

	/** Waiting calls in their order. Some may have been taken. */
	private final Queue<WaitingCall> waiting = new ConcurrentLinkedQueue<>();

	/**
	 * Create a combiner.
	 * @param lane runs commands on threads of callers, or {@code null} for none
	 * @param driver runs calls on threads of the driver
	 * @param background runs tasks that may block on those threads
	 * @param resender sends calls again that were refused together
	 * @param longestWait the longest wait of a caller for a connection
	 */
	Combiner(@Nullable CallerLane lane, Consumer<WaitingCall> driver, Consumer<Runnable> background,
			Consumer<ScriptCall> resender, Duration longestWait) {
		this.lane = lane;
		this.driver = driver;
		this.background = background;
		this.resender = resender;
		this.longestWaitNanos = longestWait.toNanos();
	}

	/**
	 * Run a call on the thread of the caller, or let others do it.
	 * @param nanos how long the caller can wait
	 * @return {@code false} if a thread of the driver has to take it
	 */
	boolean run(WaitingCall own, long nanos) {
		CallerLane callers = (nanos >= SHORTEST_LEAD.toNanos()) ? this.lane : null;
		if (callers != null) {
			if (lead(callers, own, nanos)) {
				return true;
			}
			if (callers.wantsMore()) {
				this.background.accept(() -> open(callers));
			}
		}
		if (own.call.gathering() == null) {
			return false;
		}
		if (callers != null) {
			own.hold();
		}
		this.waiting.add(own);
		if (callers != null) {
			await(callers, own, nanos);
		}
		return own.isTaken();
	}

	private void open(CallerLane callers) {
		callers.open();
		wakeNext();
	}

	/**
	 * Wait for an answer or a connection. A caller that leaves wakes the next one, since
	 * it may have been woken for a connection.
	 */
	private void await(CallerLane callers, WaitingCall own, long nanos) {
		long start = System.nanoTime();
		long most = Math.min(nanos / 2, this.longestWaitNanos);
		long waited = 0;
		while (own.isHeld() && waited < most && callers.isInUse() && !Thread.currentThread().isInterrupted()) {
			if (own.isTaken() || !lead(callers, own, nanos - waited)) {
				LockSupport.parkNanos(this, most - waited);
			}
			waited = System.nanoTime() - start;
		}
		own.release();
		if (!own.isTaken()) {
			wakeNext();
		}
	}

	/**
	 * Run a call with others. Return {@code false} if there was no connection, or another
	 * thread had taken the call.
	 */
	private boolean lead(CallerLane callers, WaitingCall own, long nanos) {
		Batch batch = new Batch(own);
		try {
			Object answer = callers.run(batch, nanos);
			if (batch.hadConnection) {
				wakeNext();
			}
			ScriptCall sent = batch.sent;
			if (sent == null) {
				batch.calls.forEach((call) -> this.driver.accept(new WaitingCall(call)));
			}
			else if (answer != null) {
				sent.complete(answer);
			}
			else {
				this.driver.accept(new WaitingCall(sent));
			}
		}
		catch (Throwable ex) {
			batch.failed(ex);
		}
		batch.taken.forEach(WaitingCall::release);
		return !batch.taken.isEmpty();
	}

	/** Wake the next caller, since there is a connection, or there may be one. */
	void wakeNext() {
		for (WaitingCall next : this.waiting) {
			if (!next.isTaken() && next.isHeld()) {
				next.wake();
				return;
			}
		}
	}

	/**
	 * Take a call and those that may go with it. Their callers need not wait any longer.
	 * @return the call to send, or {@code null} if there is none
	 */
	@Nullable ScriptCall take(WaitingCall own) {
		Batch batch = new Batch(own);
		try {
			batch.gather();
		}
		catch (Throwable ex) {
			batch.failed(ex);
		}
		batch.taken.forEach(WaitingCall::release);
		return batch.sent;
	}

	/** A call and those that go with it, without those that have ended. */
	private final class Batch implements Supplier<@Nullable NumberedCommand> {

		private final WaitingCall own;

		private final List<WaitingCall> taken = new ArrayList<>();

		private final List<ScriptCall> calls = new ArrayList<>();

		private boolean hadConnection;

		private @Nullable ScriptCall sent;

		private Batch(WaitingCall own) {
			this.own = own;
		}

		@Override
		public @Nullable NumberedCommand get() {
			this.hadConnection = true;
			gather();
			return (this.sent != null) ? NumberedCommand.of(this.sent) : null;
		}

		private void gather() {
			if (!add(this.own)) {
				return;
			}
			Gathering gathering = this.own.call.gathering();
			while (gathering != null && this.calls.size() < MOST_TOGETHER && addNext()) {
				// Until there are enough.
			}
			if (this.calls.size() == MOST_TOGETHER) {
				wakeNext();
			}
			this.sent = (this.calls.size() > 1 && gathering != null)
					? GatheredCall.of(gathering, this.calls, Combiner.this.resender)
					: this.calls.isEmpty() ? null : this.calls.get(0);
		}

		/** Fail all calls: none was sent, or an answer could not be given. */
		private void failed(Throwable failure) {
			this.sent = null;
			this.calls.forEach((call) -> call.completeExceptionally(failure));
		}

		private boolean addNext() {
			WaitingCall next = Combiner.this.waiting.poll();
			if (next != null) {
				add(next);
			}
			return next != null;
		}

		private boolean add(WaitingCall next) {
			boolean got = next.take();
			if (got) {
				this.taken.add(next);
				if (!next.call.isDone()) {
					this.calls.add(next.call);
				}
			}
			return got;
		}

	}

}
