package io.distributedlock.sample.sale;

import java.io.IOException;
import java.time.Duration;

import io.distributedlock.embedded.RedisLink;
import org.jspecify.annotations.Nullable;

/** An instance that sells, with the faults that it may suffer. Thread-safe. */
public final class SaleInstance implements AutoCloseable {

	private final int number;

	private final InstanceProcess process;

	private final @Nullable RedisLink link;

	private final SaleObserver observer;

	private volatile Tally last = Tally.NONE;

	private volatile boolean killed;

	SaleInstance(int number, ProcessBuilder command, @Nullable RedisLink link, SaleObserver observer)
			throws IOException {
		this.number = number;
		this.link = link;
		this.observer = observer;
		this.process = InstanceProcess.start("instance-" + number, command, this::report);
	}

	private void report(Report report) {
		this.last = report.tally();
		this.observer.onReport(this.number, report);
	}

	void awaitReady(long nanos) throws InterruptedException {
		this.process.awaitReady(nanos);
	}

	void go() throws IOException {
		this.process.say(Protocol.GO);
	}

	Tally awaitTally(long nanos) throws InterruptedException {
		try {
			return this.process.awaitTally(nanos);
		}
		catch (IllegalStateException ex) {
			if (this.killed) {
				return this.last;
			}
			throw ex;
		}
	}

	/**
	 * The number of this instance.
	 * @return 1 for the first
	 */
	public int number() {
		return this.number;
	}

	/**
	 * Check whether its connection to Redis can be cut.
	 * @return {@code false} where Redis is not that of the sample
	 */
	public boolean hasLink() {
		return this.link != null;
	}

	/**
	 * Stop the next buyer in the middle of a purchase.
	 * @throws IOException if the instance is gone
	 */
	public void hold() throws IOException {
		this.process.say(Protocol.HOLD);
	}

	/**
	 * Let the stopped buyer go on.
	 * @throws IOException if the instance is gone
	 */
	public void proceed() throws IOException {
		this.process.say(Protocol.PROCEED);
	}

	/**
	 * Stop the process (SIGSTOP).
	 * @param longest the time after which it goes on by itself
	 * @throws IOException if the signal cannot be sent
	 */
	public void freeze(Duration longest) throws IOException {
		this.process.freeze(longest);
	}

	/**
	 * Let the process go on (SIGCONT).
	 * @throws IOException if the signal cannot be sent
	 */
	public void thaw() throws IOException {
		this.process.thaw();
	}

	/** End the process (SIGKILL). */
	public void kill() {
		this.killed = true;
		this.process.close();
	}

	/** Cut its connections to Redis. */
	public void cut() {
		if (this.link != null) {
			this.link.cut();
		}
	}

	/** Let it connect to Redis again. */
	public void reconnect() {
		if (this.link != null) {
			this.link.restore();
		}
	}

	@Override
	public void close() {
		this.process.close();
		if (this.link != null) {
			this.link.close();
		}
	}

}
