package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.HeldLock;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRegistry;
import io.distributedlock.WaitingCaller;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.LeakTracker;
import io.distributedlock.engine.internal.lease.RenewalHistory;
import io.distributedlock.engine.internal.line.KeyQueue;
import io.distributedlock.engine.internal.line.QueueIndex;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The locks that one instance holds and waits for, as people see them. Nothing is noted
 * for it beforehand, except where watched leases were acquired. It reads each queue as it
 * is at that moment, and the stack of each thread once. An object serves one question.
 */
final class LocalLocks {

	/** Packages of the code between a caller and the application's own code. */
	private static final List<String> INFRASTRUCTURE = List.of("java.", "javax.", "jdk.", "sun.", "com.sun.",
			"org.springframework.", "org.aspectj.", "org.junit.", "reactor.", "kotlin", "io.netty.", "org.apache.",
			"redis.clients.");

	/** The prefix of all packages of this library. */
	private static final String LIBRARY = LockRegistry.class.getPackageName() + ".";

	/**
	 * Most stack frames to show: the first may be the application's own layer for locks.
	 */
	private static final int MOST_FRAMES = 3;

	private final QueueIndex queues;

	private final Instance instance;

	/**
	 * Stack frames by thread: a thread may hold many locks, and reading its stack costs.
	 */
	private final Map<Thread, Optional<String>> places = new IdentityHashMap<>();

	LocalLocks(QueueIndex queues) {
		this.queues = queues;
		this.instance = queues.instance;
	}

	List<HeldLock> held() {
		return this.queues.all().stream().flatMap((queue) -> queue.allHeld().stream()).map(this::held).toList();
	}

	private HeldLock held(Grant grant) {
		long now = this.instance.now();
		long left = grant.remainingNanos(now);
		RenewalHistory history = grant.renewals();
		Object owner = grant.owner();
		List<LockKey> keys = grant.keys();
		LeakTracker tracker = LeakTracker.of(grant);
		return new HeldLock(keys.get(0).name(), texts(keys), grant.mode(), grant.token(), grant.heldFor(now),
				Duration.ofNanos(left), isOverdue(grant, now), history.confirmed(), history.failed(), described(owner),
				(owner instanceof Thread thread) ? place(thread) : null, origin(tracker),
				tracker != null && tracker.isLeaked());
	}

	private static @Nullable String origin(@Nullable LeakTracker tracker) {
		return (tracker != null && !tracker.place().isEmpty()) ? tracker.place() : null;
	}

	/** Return whether more than half of a lease is over without a confirmed renewal. */
	static boolean isOverdue(Grant grant, long now) {
		return grant.wantsRenewal(now) && grant.remainingNanos(now) < grant.ttlNanos() / 2 && grant.isHeld(now);
	}

	private static String described(@Nullable Object owner) {
		return (owner instanceof Thread thread) ? "thread '" + thread.getName() + "'"
				: (owner instanceof LockOwner) ? "subscription" : (owner != null) ? owner.getClass().getName() : "";
	}

	List<WaitingCaller> waiting() {
		List<WaitingCaller> all = new ArrayList<>();
		for (KeyQueue queue : this.queues.all()) {
			queue.waiting()
				.stream()
				.filter((waiter) -> !waiter.isSettled())
				.map((waiter) -> waiting(queue, waiter))
				.forEach(all::add);
		}
		return all;
	}

	private WaitingCaller waiting(KeyQueue queue, Waiter waiter) {
		long now = this.instance.now();
		Thread thread = waiter.thread();
		Duration left = (waiter.deadline != Waiter.FOREVER) ? Duration.ofNanos(Math.max(0, waiter.deadline - now))
				: null;
		return new WaitingCaller(waiter.keys.get(0).name(), texts(waiter.keys), queue.mode(), waiter.waited(now), left,
				(thread != null) ? thread.getName() : "", (thread != null) ? place(thread) : null);
	}

	private static List<String> texts(List<LockKey> keys) {
		return keys.stream().map(LockKey::key).toList();
	}

	/**
	 * Return the stack frame of a thread in code that is neither a library's nor
	 * generated.
	 */
	private @Nullable String place(Thread thread) {
		return this.places.computeIfAbsent(thread, LocalLocks::look).orElse(null);
	}

	private static Optional<String> look(Thread thread) {
		return Stream.of(thread.getStackTrace())
			.filter((frame) -> isOfTheApplication(frame.getClassName()))
			.map(LocalLocks::text)
			.findFirst();
	}

	/**
	 * Return the first frames of the application on the stack of the calling thread, the
	 * innermost one first; empty if there are none.
	 */
	static String here() {
		return StackWalker.getInstance()
			.walk((frames) -> frames.filter((frame) -> isOfTheApplication(frame.getClassName()))
				.limit(MOST_FRAMES)
				.map((frame) -> text(frame.toStackTraceElement()))
				.collect(Collectors.joining(", from ")));
	}

	private static String text(StackTraceElement frame) {
		return "%s.%s(%s:%d)".formatted(frame.getClassName(), frame.getMethodName(), frame.getFileName(),
				frame.getLineNumber());
	}

	static boolean isOfTheApplication(String type) {
		return !type.contains("$$") && !type.startsWith(LIBRARY) && INFRASTRUCTURE.stream().noneMatch(type::startsWith);
	}

}
