package io.distributedlock.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.PastFault;

/**
 * Asks all servers again and again, past the proxies, so that it is known when one of
 * them stood still or was replaced without a fault of the run.
 */
final class ServerWatch implements AutoCloseable {

	private static final Duration INTERVAL = Duration.ofMillis(100);

	private final List<Thread> threads = new ArrayList<>();

	private volatile boolean closed;

	/** Begin to ask. */
	ServerWatch(List<RedisServer> servers, Judge judge) {
		for (RedisServer server : servers) {
			Thread thread = new Thread(() -> ask(server, judge), "watch");
			thread.setDaemon(true);
			this.threads.add(thread);
			thread.start();
		}
	}

	private void ask(RedisServer server, Judge judge) {
		while (!this.closed) {
			long sent = System.nanoTime();
			try {
				List<?> role = (List<?>) server.ask("ROLE");
				judge.answered(server, sent, role.get(0).equals("master"));
			}
			catch (IllegalStateException ex) {
				// It does not run, or was told to close its connections.
			}
			LockSupport.parkNanos(INTERVAL.toNanos());
		}
	}

	/** Ask no more, with all connections closed. */
	@Override
	public void close() throws InterruptedException {
		this.closed = true;
		for (Thread thread : this.threads) {
			thread.join();
		}
	}

	/** Decides which faults the answers mean for the locks. Thread-safe. */
	interface Judge {

		/**
		 * A server has answered.
		 * @param sent when it was asked
		 * @param isMaster whether it says that it is the master
		 */
		void answered(RedisServer server, long sent, boolean isMaster);

		/** Return the faults that it has seen so far. */
		List<PastFault> faults();

	}

}
