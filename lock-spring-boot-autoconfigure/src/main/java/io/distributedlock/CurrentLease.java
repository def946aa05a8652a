package io.distributedlock;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/** The leases whose guarded bodies a thread runs, innermost first. */
final class CurrentLease implements AutoCloseable {

	private static final ThreadLocal<@Nullable CurrentLease> INNERMOST = new ThreadLocal<>();

	private final LeaseScope scope;

	private final @Nullable CurrentLease outer;

	private CurrentLease(LeaseScope scope, @Nullable CurrentLease outer) {
		this.scope = scope;
		this.outer = outer;
	}

	static @Nullable Lease get() {
		CurrentLease current = INNERMOST.get();
		return (current != null) ? current.scope.lease() : null;
	}

	static void forEach(Consumer<LeaseScope> action) {
		for (CurrentLease current = INNERMOST.get(); current != null; current = current.outer) {
			action.accept(current.scope);
		}
	}

	static CurrentLease enter(LeaseScope scope) {
		CurrentLease entered = new CurrentLease(scope, INNERMOST.get());
		INNERMOST.set(entered);
		return entered;
	}

	static Runnable wrap(Runnable action) {
		CurrentLease captured = INNERMOST.get();
		return (captured == null) ? action : () -> {
			CurrentLease before = INNERMOST.get();
			INNERMOST.set(captured);
			try {
				action.run();
			}
			finally {
				restore(before);
			}
		};
	}

	@Override
	public void close() {
		restore(this.outer);
	}

	private static void restore(@Nullable CurrentLease before) {
		if (before != null) {
			INNERMOST.set(before);
		}
		else {
			INNERMOST.remove();
		}
	}

}
