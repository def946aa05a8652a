package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/**
 * Something that happens once, to the next reply that is meant. Thread-safe.
 */
public final class ReplyFault {

	private final Kind kind;

	private final Predicate<Exchange> meant;

	private final int bytes;

	private final Runnable changed;

	private final CompletableFuture<Exchange> happened = new CompletableFuture<>();

	private volatile boolean released;

	ReplyFault(Kind kind, Predicate<Exchange> meant, int bytes, Runnable changed) {
		this.kind = kind;
		this.meant = meant;
		this.bytes = bytes;
		this.changed = changed;
	}

	/**
	 * Wait until it has happened.
	 * @param patience how long to wait at most
	 * @return the exchange it happened to
	 */
	public Exchange await(Duration patience) {
		try {
			return this.happened.get(patience.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException ex) {
			throw new IllegalStateException("No such reply within " + patience, ex);
		}
		catch (ExecutionException | InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return whether it has happened.
	 * @return {@code true} if it has
	 */
	public boolean hasHappened() {
		return this.happened.isDone();
	}

	/** Let a held reply go, and those behind it; or hold none if none came yet. */
	public void release() {
		letGo();
		this.changed.run();
	}

	void letGo() {
		this.released = true;
	}

	boolean isReleased() {
		return this.released;
	}

	Kind kind() {
		return this.kind;
	}

	int bytes() {
		return this.bytes;
	}

	/** Return whether it happens to the reply of this exchange. */
	boolean strikes(Exchange exchange) {
		return !this.released && this.meant.test(exchange);
	}

	void happen(Exchange exchange) {
		this.happened.complete(exchange);
	}

	/** The effect on the reply. */
	enum Kind {

		CUT, DROP, HOLD

	}

}
