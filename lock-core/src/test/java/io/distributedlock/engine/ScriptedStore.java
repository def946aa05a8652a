package io.distributedlock.engine;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

import io.distributedlock.LockStoreException;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewAnswers;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;

/**
 * A store in memory that misbehaves as a test tells it to, one command of a kind after
 * the other. It answers a command without a script at once.
 */
final class ScriptedStore implements LockStore {

	enum Command {

		ACQUIRE, RENEW, EXTEND, RELEASE, ABANDON

	}

	private final MemoryLocks locks;

	private final LockStore delegate;

	private final Map<Command, Queue<Script>> next = new EnumMap<>(Command.class);

	private final Map<Command, AtomicInteger> sent = new EnumMap<>(Command.class);

	private final List<AcquireCommand> asked = Collections.synchronizedList(new ArrayList<>());

	private final List<RenewCommand> renewed = Collections.synchronizedList(new ArrayList<>());

	private final Map<Command, Script> standing = new ConcurrentHashMap<>();

	private volatile WakeUpListener listener;

	private volatile boolean deaf;

	private volatile boolean startRefused;

	private volatile boolean together;

	private final Set<StoreCapability> capabilities;

	private volatile UnaryOperator<String> nodes = (key) -> "";

	private volatile boolean nodesKnown = true;

	private volatile String silentNode;

	private volatile String refusedKey = "";

	private volatile String nullKey = "";

	private volatile Duration commandTimeout = Duration.ofSeconds(1);

	ScriptedStore() {
		this(new MemoryLocks());
	}

	ScriptedStore(MemoryLocks locks) {
		this(locks, EnumSet.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD)));
	}

	/** A store that offers only these capabilities. */
	ScriptedStore(MemoryLocks locks, Set<StoreCapability> capabilities) {
		this.locks = locks;
		this.capabilities = capabilities;
		this.delegate = new MemoryLockStore(locks);
		for (Command command : Command.values()) {
			this.next.put(command, new ConcurrentLinkedQueue<>());
			this.sent.put(command, new AtomicInteger());
		}
	}

	MemoryLocks locks() {
		return this.locks;
	}

	ScriptedStore withCommandTimeout(Duration commandTimeout) {
		this.commandTimeout = commandTimeout;
		return this;
	}

	/** Take several keys at once from now on. */
	void takeTogether() {
		this.together = true;
	}

	/** Spread keys over nodes. */
	void nodes(UnaryOperator<String> nodes) {
		this.nodes = nodes;
	}

	/** Say no more where keys are. */
	void hideNodes() {
		this.nodesKnown = false;
	}

	/** Drop renewals at one node from now on. */
	void silenceNode(String node) {
		this.silentNode = node;
	}

	/** Return null in place of the answers to renewals of one key, as a mock does. */
	void returnNull(String key) {
		this.nullKey = key;
	}

	/** Refuse to renew one key from now on. */
	void refuse(String key) {
		this.refusedKey = key;
	}

	/** Answer the next command of a kind as usual, before the scripts that follow. */
	void pass(Command command) {
		this.next.get(command).add(Supplier::get);
	}

	/** Hold the next command of a kind until the test decides on its outcome. */
	Held hold(Command command) {
		Held held = new Held();
		this.next.get(command).add(held);
		return held;
	}

	/** Let the next command of a kind fail. */
	void fail(Command command, LockStoreException.Kind kind) {
		this.next.get(command).add(failing(kind));
	}

	/** Take the lock in the next attempt, and say that no replica has confirmed it. */
	void miss() {
		this.next.get(Command.ACQUIRE).add(ScriptedStore::missing);
	}

	/**
	 * Grant each attempt from now on, but answer that too few replicas have confirmed it.
	 */
	void missAll() {
		this.standing.put(Command.ACQUIRE, ScriptedStore::missing);
	}

	private static CompletableFuture<Object> missing(Supplier<CompletableFuture<Object>> attempt) {
		CompletableFuture<Object> answer = attempt.get();
		return (answer.join() instanceof AcquireOutcome.Granted) ? CompletableFuture.failedFuture(miss("taken"))
				: answer;
	}

	private static ReplicasNotAcknowledgedException miss(String what) {
		return new ReplicasNotAcknowledgedException(1, 0, "0 of 1 replicas confirmed what was " + what, null);
	}

	/** Throw an error instead of answering the next command of a kind. */
	void raise(Command command, Error error) {
		this.next.get(command).add((answer) -> {
			throw error;
		});
	}

	/** Return null for the next command of a kind, as a mock does. */
	void returnNull(Command command) {
		this.next.get(command).add((answer) -> null);
	}

	/** Drop all commands of a kind from now on: they are neither applied nor answered. */
	void silence(Command command) {
		this.standing.put(command, (answer) -> new CompletableFuture<>());
	}

	/** Let all commands of a kind fail from now on. */
	void failAll(Command command, LockStoreException.Kind kind) {
		this.standing.put(command, failing(kind));
	}

	/** Answer all commands as usual from now on. */
	void heal() {
		this.standing.clear();
		this.next.values().forEach(Queue::clear);
	}

	private static Script failing(LockStoreException.Kind kind) {
		return (answer) -> CompletableFuture.failedFuture(new LockStoreException(kind, kind + " says the store", null));
	}

	/** How many commands of a kind were sent. */
	int sent(Command command) {
		return this.sent.get(command).get();
	}

	void wakeUp(String key) {
		this.listener.wakeUp(new LockKey("", key).encoded());
	}

	/** Tell one request that it is its turn. */
	void wakeUp(String key, RequestId request) {
		this.listener.wakeUp(new LockKey("", key).encoded(), request.toString());
	}

	/** Tell one request that a release has given it a lock. */
	void claimed(String key, RequestId request, long token) {
		this.listener.claimed(new LockKey("", key).encoded(), request.toString(), token);
	}

	/** The attempts so far, the first one first. */
	List<AcquireCommand> asked() {
		return List.copyOf(this.asked);
	}

	/** The renewals so far, the first one first. */
	List<RenewCommand> renewed() {
		return List.copyOf(this.renewed);
	}

	/** Lose the messages of this instance from now on. */
	void deafen() {
		this.deaf = true;
	}

	/** Get messages again. */
	void hear() {
		this.deaf = false;
	}

	void wakeUpAll() {
		this.listener.wakeUpAll();
	}

	void wakeUpsLost() {
		this.listener.wakeUpsLost();
	}

	boolean isLocked(String key) {
		return this.locks.isLocked("", key);
	}

	@SuppressWarnings("unchecked")
	private <T> CompletableFuture<T> play(Command command, Supplier<CompletableFuture<T>> answer) {
		Script script = this.next.get(command).poll();
		if (script == null) {
			script = this.standing.getOrDefault(command, Supplier::get);
		}
		this.sent.get(command).incrementAndGet();
		return (CompletableFuture<T>) script.play(() -> (CompletableFuture<Object>) answer.get());
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		this.asked.add(command);
		return play(Command.ACQUIRE, () -> this.delegate.acquire(command));
	}

	@Override
	public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		this.renewed.addAll(commands);
		List<RenewCommand> arriving = commands.stream().filter((command) -> !isSilent(command.key())).toList();
		CompletableFuture<List<Ownership>> together = play(Command.RENEW,
				() -> CompletableFuture.completedFuture(RenewAnswers.join(this.delegate.renew(arriving))));
		Iterator<CompletableFuture<Ownership>> answers = RenewAnswers.apart(together, arriving.size()).iterator();
		List<CompletableFuture<Ownership>> all = new ArrayList<>();
		for (RenewCommand command : commands) {
			CompletableFuture<Ownership> answer = isSilent(command.key()) ? new CompletableFuture<>()
					: unlessRefused(command.key(), answers.next());
			all.add(command.key().key().equals(this.nullKey) ? null : answer);
		}
		return all;
	}

	@Override
	public CompletableFuture<Ownership> extend(ExtendCommand command) {
		return play(Command.EXTEND, () -> this.delegate.extend(command));
	}

	private <T> CompletableFuture<T> unlessRefused(LockKey key, CompletableFuture<T> answer) {
		return key.key().equals(this.refusedKey) ? CompletableFuture
			.failedFuture(new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "not this one", null)) : answer;
	}

	private boolean isSilent(LockKey key) {
		return this.nodes.apply(key.key()).equals(this.silentNode);
	}

	@Override
	public String nodeOf(LockKey key) {
		return this.nodesKnown ? this.nodes.apply(key.key()) : "";
	}

	@Override
	public Set<StoreCapability> capabilities() {
		return this.capabilities;
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return this.together;
	}

	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		return play(Command.RELEASE, () -> this.delegate.release(command));
	}

	@Override
	public CompletableFuture<Void> abandon(AbandonCommand command) {
		return play(Command.ABANDON, () -> this.delegate.abandon(command));
	}

	/** Fail to start from now on. */
	void refuseToStart() {
		this.startRefused = true;
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		if (this.startRefused) {
			throw new IllegalStateException("no start");
		}
		this.listener = listener;
		this.delegate.start(instance,
				(WakeUpListener) Proxy.newProxyInstance(getClass().getClassLoader(),
						new Class<?>[] { WakeUpListener.class },
						(proxy, method, values) -> this.deaf ? null : method.invoke(listener, values)));
	}

	@Override
	public Duration commandTimeout() {
		return this.commandTimeout;
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	/** Decides on the outcome of one command. */
	@FunctionalInterface
	private interface Script {

		CompletableFuture<Object> play(Supplier<CompletableFuture<Object>> answer);

	}

	/** A command that has reached the store and waits there. */
	static final class Held implements Script {

		private final CompletableFuture<Object> result = new CompletableFuture<>();

		private final CountDownLatch sent = new CountDownLatch(1);

		private volatile Supplier<CompletableFuture<Object>> answer;

		private Held() {
		}

		@Override
		public CompletableFuture<Object> play(Supplier<CompletableFuture<Object>> answer) {
			this.answer = answer;
			this.sent.countDown();
			return this.result;
		}

		/** Wait for the command. */
		Held awaitSent() throws InterruptedException {
			this.sent.await();
			return this;
		}

		boolean isSent() {
			return this.sent.getCount() == 0;
		}

		/** Apply and answer the command, on the calling thread. */
		void answer() {
			this.result.complete(this.answer.get().join());
		}

		/** Apply the command, on the calling thread; it is to be answered later. */
		void apply() {
			CompletableFuture<Object> applied = this.answer.get();
			this.answer = () -> applied;
		}

		/** Answer something else without applying the command. */
		void answer(Object outcome) {
			this.result.complete(outcome);
		}

		/** Say that no replica has confirmed the lock. */
		void miss() {
			this.result.completeExceptionally(ScriptedStore.miss("asked for"));
		}

		void fail(LockStoreException.Kind kind) {
			this.result.completeExceptionally(new LockStoreException(kind, kind + " says the store", null));
		}

	}

}
