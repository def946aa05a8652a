package io.distributedlock.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.HeldLock;
import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockInspection;
import io.distributedlock.LockInspection.Holder;
import io.distributedlock.LockInspector;
import io.distributedlock.LockOptions;
import io.distributedlock.LostLock;
import io.distributedlock.WaitingCaller;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/** Answers about the locks of one registry, and takes locks away. */
final class RegistryInspector implements LockInspector {

	private final Engine engine;

	private final StoreAnswers answers;

	RegistryInspector(Engine engine) {
		this.engine = engine;
		this.answers = new StoreAnswers(engine);
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
		StoreMonitor monitor = monitor();
		LockInspection found = this.answers.await("inspect", List.of(lock), () -> monitor.inspect(lock));
		Map<String, CompletableFuture<String>> names = new HashMap<>();
		found.holders().forEach((holder) -> names.computeIfAbsent(holder.instance(), this::nameOf));
		List<Holder> holders = found.holders()
			.stream()
			.map((holder) -> new Holder(holder.request(), Objects.requireNonNull(names.get(holder.instance())).join(),
					holder.fencingToken(), holder.remaining(), holder.permits()))
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
		ForceReleaseCommand command = new ForceReleaseCommand(lock, only);
		StoreMonitor monitor = monitor();
		return this.answers.awaitEnd("take away", List.of(lock), request, () -> monitor.forceRelease(command));
	}

	/** Set the number of permits of a semaphore, or remove it. */
	void setPermits(String name, String key, int permits) {
		LockKey lock = LockKeys.of(name, key);
		if (permits < 0 || permits > LockOptions.MAX_PERMITS) {
			throw new InvalidSettingException("permits", permits,
					"permits must be between 0 and %d but is %d; 0 removes the number that was set"
						.formatted(LockOptions.MAX_PERMITS, permits));
		}
		this.engine.instance.offer.require(StoreCapability.SEVERAL_PERMITS, List.of(lock), "set the permits of",
				"let all requests name the same number, or use another store");
		StoreMonitor monitor = monitor();
		this.answers.await("set the permits of", List.of(lock), () -> monitor.setPermits(lock, permits));
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

	@Override
	public boolean checksCommits() {
		return this.engine.instance.offer.commitCheck != null;
	}

	private StoreMonitor monitor() {
		LockStore store = this.engine.instance.store;
		StoreMonitor monitor = store.monitor();
		if (monitor == null) {
			throw new UnsupportedOperationException(
					"%s can neither inspect locks nor take them away".formatted(store.getClass().getName()));
		}
		return monitor;
	}

}
