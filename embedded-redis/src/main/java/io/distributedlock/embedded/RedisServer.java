package io.distributedlock.embedded;

/**
 * A real Redis server that this JVM started and may torture. It ends with the JVM,
 * however that ends. Every failure is an {@link IllegalStateException}. Thread-safe.
 *
 * @since 0.1.0
 */
public interface RedisServer extends AutoCloseable {

	/**
	 * Where to connect to.
	 * @return the host
	 */
	String host();

	/**
	 * Where to connect to.
	 * @return the port, the same after a restart
	 */
	int port();

	/**
	 * Ask the server something, on a connection of its own.
	 * @param command the words of a command, such as {@code "CONFIG", "GET", "maxmemory"}
	 * @return a text, a number, a list of those, or {@code ""} where Redis says nil
	 * @throws IllegalStateException if there is no answer within seconds, or it is an
	 * error, which is the message then
	 */
	default Object ask(String... command) {
		try (RespConnection connection = RespConnection.open(this)) {
			return connection.ask(command);
		}
	}

	/**
	 * End the server like a power cut: what is not on its disk is lost. Nothing happens
	 * where it does not run.
	 */
	void kill();

	/**
	 * Start the server again on the same port with the data that is on its disk. Returns
	 * when it accepts connections. Nothing happens where it runs.
	 */
	void start();

	/**
	 * Freeze the server: connections stay open and nothing is answered.
	 */
	void pause();

	/**
	 * Let a frozen server go on.
	 */
	void resume();

	/**
	 * Delete what is on the disk of a server that does not run.
	 */
	void deleteData();

	/**
	 * Whether the server's process lives, frozen or not.
	 * @return whether it runs
	 */
	boolean isRunning();

	/**
	 * End the server and delete its data. It cannot be started again.
	 */
	@Override
	void close();

	/**
	 * A description of the server and its origin, for messages.
	 * @return such as {@code redis-server 7.0.15 (bundled binary) at 127.0.0.1:21234}
	 */
	String description();

}
