package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import org.jspecify.annotations.Nullable;

/** What is to be told of one lease. Guarded by the lease. */
final class LeaseActions {

	/** Those of a lease whose loss was told. */
	static final LeaseActions TOLD = new LeaseActions();

	private List<Runnable> whenLost = List.of();

	private List<Consumer<? super LockStoreException>> whenEndangered = List.of();

	/** What observes the hold, if anything does. */
	@Nullable ObservedHold observed;

	void onLost(Runnable action) {
		this.whenLost = with(action, this.whenLost);
	}

	void onEndangered(Consumer<? super LockStoreException> action) {
		this.whenEndangered = with(action, this.whenEndangered);
	}

	private static <T> List<T> with(T added, List<T> actions) {
		List<T> grown = actions.isEmpty() ? new ArrayList<>(1) : actions;
		grown.add(added);
		return grown;
	}

	/** What is to be run for an endangered lease. */
	List<Consumer<? super LockStoreException>> endangered() {
		return List.copyOf(this.whenEndangered);
	}

	/** The lease was lost. Nothing is registered any more by then. */
	void lost(Executor executor, LossReason reason, @Nullable LockStoreException cause) {
		ObservedHold hold = this.observed;
		if (hold != null) {
			executor.execute(() -> hold.lost(reason, cause));
		}
		this.whenLost.forEach(executor::execute);
	}

}
