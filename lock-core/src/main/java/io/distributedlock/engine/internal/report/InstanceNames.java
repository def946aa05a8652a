package io.distributedlock.engine.internal.report;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.time.HeapTimer;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * The names of instances, for people. The timer notes the name of this one in the store
 * now and then. The name of another one is looked up when a caller here first finds a
 * lock busy with it, and remembered. If this instance has no name, neither happens.
 */
public final class InstanceNames extends HeapTimer {

	/** The time for which the store remembers a name. */
	static final Duration LIFETIME = Duration.ofHours(1);

	private static final long PAUSE_NANOS = Duration.ofMinutes(5).toNanos();

	/** Pause after further failures, as while the store is not there yet. */
	private static final long SHORT_PAUSE_NANOS = Duration.ofSeconds(10).toNanos();

	/** Pause after the first failure, when the application may still be starting. */
	private static final long SHORTEST_PAUSE_NANOS = Duration.ofSeconds(1).toNanos();

	private static final int MOST = 1_024;

	private static final LockLog logger = LockLog.of(InstanceNames.class);

	private final Instance instance;

	private final Map<String, String> known = new ConcurrentHashMap<>();

	private volatile String own = "";

	private volatile boolean failed;

	public InstanceNames(Instance instance) {
		this.instance = instance;
	}

	/** The name of this instance, or an empty text. */
	public String own() {
		return this.own;
	}

	/** Set the name of this instance, and note it soon. */
	public void announce(String name) {
		this.own = name;
		announce();
	}

	/** Note the name soon, as this instance may have another identity. */
	public void announce() {
		if (!this.own.isEmpty()) {
			this.instance.timers.schedule(this, 0);
		}
	}

	@Override
	public void fire(long now) {
		String name = this.own;
		StoreMonitor monitor = this.instance.store.monitor();
		if (monitor == null || name.isEmpty() || this.instance.isClosed()) {
			return;
		}
		this.instance.timers.schedule(this, now + PAUSE_NANOS);
		try {
			monitor.announce(this.instance.requestIds().instance(), name, LIFETIME)
				.whenComplete((nothing, failure) -> noted(failure));
		}
		catch (Throwable ex) {
			noted(ex);
		}
	}

	private void noted(@Nullable Throwable failure) {
		if (failure != null && !this.instance.isClosed()) {
			logger.debug("The name of this instance was not noted", failure);
			this.instance.timers.schedule(this,
					this.instance.now() + (this.failed ? SHORT_PAUSE_NANOS : SHORTEST_PAUSE_NANOS));
		}
		this.failed = failure != null;
	}

	/** Look up the name of an instance that a caller waits for, if it is not known. */
	public void met(@Nullable AcquireOutcome outcome) {
		if (!this.own.isEmpty() && outcome instanceof AcquireOutcome.Busy busy && !busy.holder().isEmpty()
				&& !this.known.containsKey(busy.holder())) {
			// Looked up once, even if there is no answer.
			remember(busy.holder(), "");
			find(busy.holder());
		}
	}

	/** Return the name of an instance, and ask the store unless it is known. */
	public CompletableFuture<String> find(String other) {
		boolean itself = other.equals(this.instance.requestIds().instance());
		String name = itself ? this.own : this.known.getOrDefault(other, "");
		try {
			StoreMonitor monitor = this.instance.store.monitor();
			if (monitor == null || !name.isEmpty()) {
				return CompletableFuture.completedFuture(name);
			}
			return monitor.nameOf(other).exceptionally((failure) -> "").thenApply((found) -> {
				remember(other, found);
				return found;
			});
		}
		catch (Throwable ex) {
			return CompletableFuture.completedFuture("");
		}
	}

	private void remember(String other, String name) {
		if (this.known.size() >= MOST) {
			this.known.clear();
		}
		this.known.put(other, name);
	}

	/** Return the instance, with its name if that is known. */
	public String described(String other) {
		String name = this.known.getOrDefault(other, "");
		return name.isEmpty() ? other : "%s (%s)".formatted(other, name);
	}

}
