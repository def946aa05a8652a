package io.distributedlock.embedded;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A group of servers, with waits for their state.
 */
final class ServerGroup implements AutoCloseable {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final Duration POLL = Duration.ofMillis(20);

	private final List<RedisServer> servers = new ArrayList<>();

	private final List<PortReservation> ports = new ArrayList<>();

	/** Start another server of the group. */
	RedisServer start(ServerBinary binary, ServerArguments arguments) {
		RedisServer server = RedisProcess.start(binary, arguments);
		this.servers.add(server);
		return server;
	}

	/** Reserve a port beside those of the servers. */
	int port() {
		PortReservation reservation = FreePort.choose();
		this.ports.add(reservation);
		return reservation.port();
	}

	/**
	 * Send a command, and return the answer as text. It is empty after an error, or
	 * without an answer.
	 */
	static String info(RedisServer server, String... command) {
		try (RespConnection connection = RespConnection.open(server, Duration.ofSeconds(1))) {
			return connection.ask(command).toString();
		}
		catch (IllegalStateException ex) {
			return "";
		}
	}

	/** Wait until a condition is met, for a minute at most. */
	static void await(String what, BooleanSupplier condition) {
		find(what, () -> condition.getAsBoolean() ? Optional.of(true) : Optional.empty());
	}

	/** Wait until a search has a result, for a minute at most. */
	static <T> T find(String what, Supplier<Optional<T>> search) {
		long start = System.nanoTime();
		while (true) {
			Optional<T> found = search.get();
			if (found.isPresent()) {
				return found.get();
			}
			if (System.nanoTime() - start > PATIENCE.toNanos()) {
				throw new IllegalStateException("Not within " + PATIENCE + ": " + what);
			}
			LockSupport.parkNanos(POLL.toNanos());
		}
	}

	@Override
	public void close() {
		this.servers.forEach(RedisServer::close);
		this.ports.forEach(PortReservation::close);
	}

}
