package io.distributedlock.redis.internal.lettuce;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.distributedlock.redis.internal.driver.GatheredCall;
import io.distributedlock.redis.internal.driver.Gathering;
import io.distributedlock.redis.internal.driver.ScriptCall;

/**
 * Gathers calls while others are under way, and sends them as one, which costs the server
 * and the client less. While few are under way, calls go alone and do not come here:
 * their callers would wait for each other without gain. There is no thread for it:
 * callers send, and so does the thread that brings an answer (group commit; flat
 * combining, by Hendler, Incze, Shavit and Tzafrir). Nothing here blocks. Thread-safe.
 */
final class Gatherer {

	/**
	 * Maximum number of calls in one: they keep a server from others for about a
	 * millisecond, and more save hardly anything.
	 */
	static final int MOST_TOGETHER = 64;

	/**
	 * Maximum number of calls under way. Fewer would gather more, which is no faster with
	 * a near server, and slower with a distant one.
	 */
	static final int MOST_UNDER_WAY = 8;

	private final Consumer<ScriptCall> sender;

	private final Consumer<ScriptCall> resender;

	/** Calls that wait, in their order, since too many others are under way. */
	final Queue<ScriptCall> waiting = new ConcurrentLinkedQueue<>();

	/** Number of calls that were sent and have not ended; for a moment one more. */
	final AtomicInteger underWay = new AtomicInteger();

	/** Not zero while a thread sends gathered calls, also for other threads. */
	private final AtomicInteger wanted = new AtomicInteger();

	private volatile boolean closed;

	/**
	 * Create a gatherer.
	 * @param sender sends a call without blocking, and counts its end
	 * @param resender sends calls again that were refused together
	 */
	Gatherer(Consumer<ScriptCall> sender, Consumer<ScriptCall> resender) {
		this.sender = sender;
		this.resender = resender;
	}

	/** Send a call with others, or alone, now or when another one has ended. */
	void add(ScriptCall call) {
		this.waiting.add(call);
		sendWaiting();
	}

	/** Send the waiting calls; from now on no call waits. */
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
	 * Send the waiting calls, in one thread at a time. So a call that ends at once does
	 * not send the next one from within.
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

	/** Take waiting calls in their order, without those that have ended. */
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
			Gathering gathering = (calls.size() > 1) ? calls.get(0).gathering() : null;
			if (gathering != null) {
				this.sender.accept(GatheredCall.of(gathering, calls, this.resender));
				return;
			}
		}
		catch (Throwable ex) {
			this.underWay.decrementAndGet();
			calls.forEach((call) -> call.completeExceptionally(ex));
			return;
		}
		// Also if the server was found not to take calls together.
		this.underWay.addAndGet(calls.size() - 1);
		calls.forEach(this::send);
	}

	/** Send a call, and count it no more if that fails. */
	private void send(ScriptCall call) {
		try {
			this.sender.accept(call);
		}
		catch (Throwable ex) {
			this.underWay.decrementAndGet();
			call.completeExceptionally(ex);
		}
	}

}
