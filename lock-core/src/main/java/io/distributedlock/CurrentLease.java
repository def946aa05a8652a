package io.distributedlock;

import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/** The leases of the guarded bodies that a thread runs, innermost first. */
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
			try (Carried carried = captured.carry()) {
				action.run();
			}
		};
	}

	static <T extends @Nullable Object> Supplier<T> wrap(Supplier<T> action) {
		CurrentLease captured = INNERMOST.get();
		return (captured == null) ? action : () -> {
			try (Carried carried = captured.carry()) {
				return action.get();
			}
		};
	}

	static <T extends @Nullable Object> Callable<T> wrap(Callable<T> action) {
		CurrentLease captured = INNERMOST.get();
		return (captured == null) ? action : () -> {
			try (Carried carried = captured.carry()) {
				return action.call();
			}
		};
	}

	/** Give the calling thread these leases until the result is closed. */
	private Carried carry() {
		Carried carried = new Carried(INNERMOST.get());
		INNERMOST.set(this);
		return carried;
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

	/** The leases that the thread had before. */
	private record Carried(@Nullable CurrentLease before) implements AutoCloseable {

		@Override
		public void close() {
			restore(this.before);
		}

	}

}
