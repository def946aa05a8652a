package io.distributedlock.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.HeldLock;
import io.distributedlock.LockInspection;
import io.distributedlock.LockInspection.Holder;
import io.distributedlock.LockInspector;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LostLock;
import io.distributedlock.WaitingCaller;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/** Answers about the locks of one registry, and takes locks away. */
final class RegistryInspector implements LockInspector {

	private final Engine engine;

	RegistryInspector(Engine engine) {
		this.engine = engine;
	}

	@Override
	public String instance() {
		return this.engine.instance.requestIds().instance();
	}

	@Override
	public String instanceName() {
		return this.engine.queues.index.names.own();
	}

	@Override
	public LockInspection inspect(String name, String key) {
		LockKey lock = LockKeys.of(name, key);
		LockInspection found = ask("inspect", lock, (monitor) -> monitor.inspect(lock));
		Map<String, CompletableFuture<String>> names = new HashMap<>();
		found.holders().forEach((holder) -> names.computeIfAbsent(holder.instance(), this::nameOf));
		List<Holder> holders = found.holders()
			.stream()
			.map((holder) -> new Holder(holder.request(), Objects.requireNonNull(names.get(holder.instance())).join(),
					holder.fencingToken(), holder.remaining()))
			.toList();
		return new LockInspection(found.mode(), found.permits(), holders, found.holderCount(), found.waiting(),
				found.keptFor(), found.silentNodes());
	}

	/** Return the name of an instance; empty if it does not come in time. */
	private CompletableFuture<String> nameOf(String instance) {
		return this.engine.queues.index.names.find(instance)
			.completeOnTimeout("", this.engine.instance.commandTimeoutNanos(), TimeUnit.NANOSECONDS);
	}

	@Override
	public int forceRelease(String name, String key, @Nullable String request) {
		LockKey lock = LockKeys.of(name, key);
		RequestId only = (request != null) ? request(request) : null;
		int ended;
		try {
			ended = ask("take away", lock, (monitor) -> monitor.forceRelease(new ForceReleaseCommand(lock, only)));
		}
		catch (RuntimeException ex) {
			this.engine.ask(lock.encoded(), request);
			throw ex;
		}
		confirm(this.engine.ask(lock.encoded(), request));
		return ended;
	}

	/**
	 * Have the grants confirmed, so that this instance knows at once of its own losses.
	 */
	private void confirm(List<Grant> asked) {
		if (!asked.isEmpty()) {
			this.engine.queues.index.renewals.confirm(asked).join();
		}
	}

	private static RequestId request(String text) {
		if (!text.matches("[0-9a-f]{%d}".formatted(RequestId.LENGTH))) {
			throw new IllegalArgumentException(
					"A request is 32 hexadecimal digits in lower case, as an inspection gives it, but not '%s'"
						.formatted(DisplayText.value(text)));
		}
		return RequestId.parse(text);
	}

	@Override
	public List<HeldLock> held() {
		return new LocalLocks(this.engine.queues.index).held();
	}

	@Override
	public List<WaitingCaller> waiting() {
		return new LocalLocks(this.engine.queues.index).waiting();
	}

	@Override
	public List<LostLock> recentLosses() {
		return this.engine.queues.index.losses.all(this.engine.instance.now());
	}

	private <T> T ask(String what, LockKey key, Function<StoreMonitor, CompletableFuture<T>> command) {
		LockStore store = this.engine.instance.store;
		StoreMonitor monitor = store.monitor();
		if (monitor == null) {
			throw new UnsupportedOperationException(
					"%s can neither inspect locks nor take them away".formatted(store.getClass().getName()));
		}
		return answer(what, key, () -> command.apply(monitor));
	}

	private <T> T answer(String what, LockKey key, Supplier<CompletableFuture<T>> command) {
		Instance instance = this.engine.instance;
		if (instance.isAnsweredHere()) {
			throw Failure.answeredHere(what, List.of(key));
		}
		CompletableFuture<T> asked = null;
		try {
			asked = send(command);
			return asked.get(instance.commandTimeoutNanos(), TimeUnit.NANOSECONDS);
		}
		catch (InterruptedException ex) {
			asked.cancel(true);
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(key.name(), key.key(), ex);
		}
		catch (TimeoutException ex) {
			asked.cancel(true);
			throw Failure.ofStore(instance.store, what, List.of(key), null);
		}
		catch (ExecutionException ex) {
			LockStoreException failure = Failure.ofStore(instance.store, what, List.of(key), ex.getCause());
			throw Failure.ofStore(failure);
		}
	}

	private static <T> CompletableFuture<T> send(Supplier<CompletableFuture<T>> command) {
		try {
			return command.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

}
