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
import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockInspection;
import io.distributedlock.LockInspection.Holder;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LostLock;
import io.distributedlock.WaitingCaller;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/** What people ask a registry, or tell it, beside taking locks. */
abstract class InspectableRegistry implements LockRegistry {

	private static final int MOST_NAME = 200;

	abstract Engine engine();

	/**
	 * Say what this instance is called where other instances name a holder. The store
	 * remembers that for an hour; it is noted now, in the background, and every five
	 * minutes, by one command.
	 * @param name such as {@code orders@host-1 (4711)}, at most 200 characters, without
	 * control characters
	 * @throws InvalidSettingException if the name cannot be used
	 */
	public void announce(String name) {
		if (name.isBlank() || name.length() > MOST_NAME || name.chars().anyMatch(Character::isISOControl)) {
			throw new InvalidSettingException("instanceName", name,
					"instanceName must have 1 to %d characters, not only blanks and no control characters"
						.formatted(MOST_NAME));
		}
		engine().queues.names.announce(name);
	}

	/**
	 * The store, for monitoring. Locks that are taken there directly are not known here.
	 * @return the store
	 */
	public LockStore store() {
		return engine().instance.store;
	}

	@Override
	public String instance() {
		return engine().instance.requestIds().instance();
	}

	@Override
	public String instanceName() {
		return engine().queues.names.own();
	}

	@Override
	public LockInspection inspect(String name, String key) {
		LockKey lock = lockKey(name, key);
		LockInspection found = ask("inspect", lock, (store) -> store.inspect(lock));
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

	/** A name that does not come in time is not known. */
	private CompletableFuture<String> nameOf(String instance) {
		return engine().queues.names.find(instance)
			.completeOnTimeout("", engine().instance.commandTimeoutNanos(), TimeUnit.NANOSECONDS);
	}

	@Override
	public int forceRelease(String name, String key, @Nullable String request) {
		LockKey lock = lockKey(name, key);
		RequestId only = (request != null) ? request(request) : null;
		int ended;
		try {
			ended = ask("take away", lock, (store) -> store.forceRelease(new ForceReleaseCommand(lock, only)));
		}
		catch (RuntimeException ex) {
			engine().ask(lock.encoded(), request);
			throw ex;
		}
		confirm(engine().ask(lock.encoded(), request));
		return ended;
	}

	/** What this instance has taken away from itself is known to it at once. */
	private void confirm(List<Grant> asked) {
		if (!asked.isEmpty()) {
			engine().queues.renewals.confirm(asked).join();
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
		return new LocalLocks(engine().queues).held();
	}

	@Override
	public List<WaitingCaller> waiting() {
		return new LocalLocks(engine().queues).waiting();
	}

	@Override
	public List<LostLock> recentLosses() {
		return engine().queues.losses.all(engine().instance.now());
	}

	static LockKey lockKey(String name, String key) {
		return LockKeys.of(LockRequest.of(key).name(name)).get(0);
	}

	private <T> T ask(String what, LockKey key, Function<LockStore, CompletableFuture<T>> command) {
		LockStore store = engine().instance.store;
		if (!store.capabilities().contains(StoreCapability.INSPECTION)) {
			throw new UnsupportedOperationException(
					"%s can neither inspect locks nor take them away".formatted(store.getClass().getName()));
		}
		return answer(what, key, () -> command.apply(store));
	}

	private <T> T answer(String what, LockKey key, Supplier<CompletableFuture<T>> command) {
		Instance instance = engine().instance;
		if (instance.isAnsweredHere()) {
			throw Failure.answeredHere(what, List.of(key));
		}
		CompletableFuture<T> asked = null;
		try {
			asked = command.get();
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

}
