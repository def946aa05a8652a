package io.distributedlock.engine;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.StoreCall;
import org.jspecify.annotations.Nullable;

/** Waits for answers to commands that are not about a lease of this instance. */
final class StoreAnswers {

	private final Engine engine;

	StoreAnswers(Engine engine) {
		this.engine = engine;
	}

	/**
	 * Send a command and wait for its answer, for a command's time-out at most.
	 * @param what the action, as a message names it
	 */
	<T> T await(String what, List<LockKey> keys, Supplier<CompletableFuture<T>> command) {
		Instance instance = this.engine.instance;
		if (instance.isAnsweredHere()) {
			throw Failure.answeredHere(what, keys);
		}
		CompletableFuture<T> asked = null;
		try {
			asked = StoreCall.send(command);
			return asked.get(instance.commandTimeoutNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			asked.cancel(true);
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(keys.get(0).name(), keys.get(0).key(), ex);
		}
		catch (TimeoutException ex) {
			asked.cancel(true);
			throw Failure.ofStore(instance.store, what, keys, null);
		}
		catch (ExecutionException ex) {
			LockStoreException failure = Failure.ofStore(instance.store, what, keys, ex.getCause());
			throw Failure.ofStore(failure);
		}
	}

	/**
	 * Send a command that may end requests of this instance, and wait until these are
	 * confirmed or lost here as well. If the command fails, they are only asked for.
	 * @param request the only request that it may end, or {@code null} for any
	 */
	<T> T awaitEnd(String what, List<LockKey> keys, @Nullable String request, Supplier<CompletableFuture<T>> command) {
		T answer;
		try {
			answer = await(what, keys, command);
		}
		catch (RuntimeException ex) {
			ask(keys, request);
			throw ex;
		}
		List<Grant> asked = ask(keys, request);
		if (!asked.isEmpty()) {
			this.engine.queues.index.renewals.confirm(asked).join();
		}
		return answer;
	}

	private List<Grant> ask(List<LockKey> keys, @Nullable String request) {
		return keys.stream().flatMap((key) -> this.engine.ask(key.encoded(), request).stream()).distinct().toList();
	}

}
