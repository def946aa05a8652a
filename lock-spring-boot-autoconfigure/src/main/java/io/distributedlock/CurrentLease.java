package io.distributedlock;

import org.jspecify.annotations.Nullable;

/** The leases whose guarded bodies a thread runs, innermost first. */
final class CurrentLease implements AutoCloseable {

	private static final ThreadLocal<@Nullable CurrentLease> INNERMOST = new ThreadLocal<>();

	private final Lease lease;

	private final @Nullable CurrentLease outer;

	private CurrentLease(Lease lease, @Nullable CurrentLease outer) {
		this.lease = lease;
		this.outer = outer;
	}

	static @Nullable Lease get() {
		CurrentLease current = INNERMOST.get();
		return (current != null) ? current.lease : null;
	}

	static CurrentLease enter(Lease lease) {
		CurrentLease entered = new CurrentLease(lease, INNERMOST.get());
		INNERMOST.set(entered);
		return entered;
	}

	@Override
	public void close() {
		if (this.outer != null) {
			INNERMOST.set(this.outer);
		}
		else {
			INNERMOST.remove();
		}
	}

}
