package io.distributedlock.redis.internal.lettuce;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.distributedlock.redis.internal.driver.ScriptCall;

/**
 * Lets calls gather while others are on their way to the server, and sends them as one:
 * that costs the server and the client less than one each. A few calls go alone, since
 * those that make them would wait for each other without gain; they do not come here.
 * There is no thread for it: callers send, and so does what brings an answer (group
 * commit; flat combining, by Hendler, Incze, Shavit and Tzafrir). Nothing here blocks.
 * Thread-safe.
 */
final class Gatherer {

	/**
	 * How many go together: they keep a server from others for about a millisecond, and
	 * more of them save hardly anything.
	 */
	static final int MOST_TOGETHER = 64;

	/**
	 * How many calls are on their way at a time. Fewer would gather more, which is no
	 * faster where the server is near, and slower where it is far away.
	 */
	static final int MOST_UNDER_WAY = 8;

	private final Consumer<ScriptCall> sender;

	/** Calls behind each other, for which there is no place yet. */
	final Queue<ScriptCall> waiting = new ConcurrentLinkedQueue<>();

	/** Calls that were sent and have not ended; for a moment one more. */
	final AtomicInteger underWay = new AtomicInteger();

	/** Not zero while a thread sends what has gathered, for others as well. */
	private final AtomicInteger wanted = new AtomicInteger();

	private volatile boolean closed;

	/**
	 * Create it, with nothing on its way.
	 * @param sender sends a call without blocking, and counts its end
	 */
	Gatherer(Consumer<ScriptCall> sender) {
		this.sender = sender;
	}

	/** Send a call with others, or alone, now or when another one has ended. */
	void add(ScriptCall call) {
		this.waiting.add(call);
		sendWaiting();
	}

	/** From now on nothing waits. */
	void close() {
		this.closed = true;
		sendWaiting();
	}

	private boolean isFull() {
		return this.underWay.get() >= MOST_UNDER_WAY && !this.closed;
	}

	private boolean enters() {
		while (!isFull()) {
			int now = this.underWay.get();
			if ((now < MOST_UNDER_WAY || this.closed) && this.underWay.compareAndSet(now, now + 1)) {
				return true;
			}
		}
		return false;
	}

	/**
	 * One thread at a time, so that a call that ends at once sends the next one from here
	 * and not from within.
	 */
	void sendWaiting() {
		if (this.waiting.isEmpty() || isFull() || this.wanted.getAndIncrement() != 0) {
			return;
		}
		int done = 1;
		do {
			while (!this.waiting.isEmpty() && enters()) {
				sendTogether(gathered());
			}
			done = this.wanted.addAndGet(-done);
		}
		while (done != 0);
	}

	/** In their order, without those that are not waited for any more. */
	private List<ScriptCall> gathered() {
		List<ScriptCall> calls = new ArrayList<>();
		ScriptCall next = this.waiting.poll();
		while (next != null) {
			if (!next.isDone()) {
				calls.add(next);
			}
			next = (calls.size() < MOST_TOGETHER) ? this.waiting.poll() : null;
		}
		return calls;
	}

	private void sendTogether(List<ScriptCall> calls) {
		try {
			ScriptCall.Gathering gathering = (calls.size() > 1) ? calls.get(0).gathering() : null;
			if (gathering != null) {
				this.sender.accept(gathering.together(calls));
				return;
			}
		}
		catch (Throwable ex) {
			this.underWay.decrementAndGet();
			calls.forEach((call) -> call.failed(ex));
			return;
		}
		// Also where the server was found not to take them together.
		this.underWay.addAndGet(calls.size() - 1);
		calls.forEach(this::send);
	}

	/** What could not be sent leaves its place. */
	private void send(ScriptCall call) {
		try {
			this.sender.accept(call);
		}
		catch (Throwable ex) {
			this.underWay.decrementAndGet();
			call.failed(ex);
		}
	}

}
