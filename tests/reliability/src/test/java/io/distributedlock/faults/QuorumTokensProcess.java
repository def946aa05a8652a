package io.distributedlock.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redlock.RedlockLockStore;
import io.distributedlock.redlock.RedlockSettings;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.test.store.DelegatingLockStore;

/**
 * Takes locks on a quorum of servers one after the other, in turn by two instances that
 * know nothing of each other's tokens, and counts those that are out of order.
 */
final class QuorumTokensProcess extends OtherProcess {

	private static final int KEYS = 8;

	/** How often a machine may stand still for longer than a command may take. */
	private static final int MOST_FAILURES = 50;

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final AtomicLong SEQUENCE = new AtomicLong();

	/**
	 * Start.
	 * @param jvmOptions that let the process see the servers' clocks
	 * @param singleRound whether tokens are not written back to a majority
	 * @param acquisitions how many, on all keys together
	 * @param ports of the servers
	 */
	QuorumTokensProcess(List<String> jvmOptions, boolean singleRound, int acquisitions, List<Integer> ports)
			throws IOException {
		super(jvmOptions, QuorumTokensProcess.class, arguments(singleRound, acquisitions, ports));
	}

	private static String[] arguments(boolean singleRound, int acquisitions, List<Integer> ports) {
		List<String> arguments = new ArrayList<>(
				List.of(Boolean.toString(singleRound), Integer.toString(acquisitions)));
		ports.forEach((port) -> arguments.add(port.toString()));
		return arguments.toArray(String[]::new);
	}

	int outOfOrder() throws IOException {
		String answer = answer("out of order: ");
		if (!answer.chars().allMatch(Character::isDigit)) {
			throw new IllegalStateException(answer);
		}
		return Integer.parseInt(answer);
	}

	public static void main(String[] args) {
		try {
			System.out.println("out of order: " + run(args));
		}
		catch (Throwable ex) {
			System.out.println("out of order: " + ex);
		}
		Runtime.getRuntime().halt(0);
	}

	private static int run(String[] args) throws Exception {
		boolean singleRound = Boolean.parseBoolean(args[0]);
		int perKey = Integer.parseInt(args[1]) / KEYS;
		List<RedisNodeAddress> addresses = new ArrayList<>();
		for (String port : List.of(args).subList(2, args.length)) {
			addresses.add(new RedisNodeAddress("127.0.0.1", Integer.parseInt(port), 0, null, null, null));
		}
		List<RedlockLockStore> stores = List.of(store(addresses, singleRound, 1), store(addresses, singleRound, 2));
		ExecutorService threads = Executors.newFixedThreadPool(KEYS);
		List<Future<Integer>> counts = new ArrayList<>();
		for (int i = 0; i < KEYS; i++) {
			LockKey key = new LockKey("tokens", "key" + i);
			counts.add(threads.submit(() -> outOfOrder(stores, key, perKey)));
		}
		int outOfOrder = 0;
		for (Future<Integer> count : counts) {
			outOfOrder += count.get();
		}
		return outOfOrder;
	}

	private static RedlockLockStore store(List<RedisNodeAddress> addresses, boolean singleRound, long instance) {
		List<? extends QuorumNode> nodes = RedisQuorumNode.connect(addresses, RedisStoreSettings.DEFAULTS,
				Duration.ZERO);
		RedlockLockStore store = new RedlockLockStore(
				singleRound ? nodes.stream().map(Pretending::new).toList() : nodes, RedlockSettings.DEFAULTS);
		store.start(new RequestId(instance, 0).instance(), new Sleepers());
		return store;
	}

	private static int outOfOrder(List<RedlockLockStore> stores, LockKey key, int acquisitions) {
		int outOfOrder = 0;
		int failures = 0;
		long last = 0;
		for (int granted = 0; granted < acquisitions;) {
			int instance = granted % stores.size();
			RequestId request = RequestId.of(instance + 1, 0, SEQUENCE.incrementAndGet(), 0);
			try {
				if (acquire(stores.get(instance), key, request) instanceof Granted grant) {
					granted++;
					outOfOrder += (grant.token() <= last) ? 1 : 0;
					last = Math.max(last, grant.token());
					stores.get(instance).release(new ReleaseCommand(key, request)).join();
				}
			}
			catch (CompletionException ex) {
				// Too few nodes answered in time, and the leases they granted run out.
				if (++failures > MOST_FAILURES) {
					throw ex;
				}
				stores.get(instance).abandon(new AbandonCommand(key, request));
			}
		}
		return outOfOrder;
	}

	private static AcquireOutcome acquire(RedlockLockStore store, LockKey key, RequestId request) {
		return store.acquire(new AcquireCommand(key, request, TTL, Duration.ZERO, Duration.ZERO)).join();
	}

	/** There are no waiters to wake. */
	private static final class Sleepers implements WakeUpListener {

		@Override
		public void wakeUp(String encodedKey) {
		}

		@Override
		public void wakeUpAll() {
		}

	}

	/** Says that it has raised tokens and has not. */
	private static final class Pretending extends DelegatingLockStore implements QuorumNode {

		private final QuorumNode node;

		Pretending(QuorumNode node) {
			super(node);
			this.node = node;
		}

		@Override
		public CompletableFuture<Boolean> raise(RaiseCommand command) {
			return CompletableFuture.completedFuture(true);
		}

		@Override
		public String name() {
			return this.node.name();
		}

	}

}
