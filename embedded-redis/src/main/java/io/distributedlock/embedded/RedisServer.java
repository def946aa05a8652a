package io.distributedlock.embedded;

/**
 * A real Redis server that this JVM started, and may kill or freeze. It ends with the
 * JVM, even if the JVM is killed. Every failure is an {@link IllegalStateException}.
 * Thread-safe.
 *
 * @since 0.1.0
 */
public interface RedisServer extends AutoCloseable {

	/**
	 * The host to connect to.
	 * @return the host
	 */
	String host();

	/**
	 * The port to connect to.
	 * @return the port, the same after a restart
	 */
	int port();

	/**
	 * Send a command on a connection of its own, and wait for the answer.
	 * @param command the words of a command, such as {@code "CONFIG", "GET", "maxmemory"}
	 * @return a text, a number, a list of these, or {@code ""} for nil
	 * @throws IllegalStateException if there is no answer within ten seconds, or it is an
	 * error, whose text is the message then
	 */
	default Object ask(String... command) {
		try (RespConnection connection = RespConnection.open(this)) {
			return connection.ask(command);
		}
	}

	/**
	 * End the server like a power cut: data that is not on its disk is lost. Does nothing
	 * if the server does not run.
	 */
	void kill();

	/**
	 * Start the server again on the same port with the data that is on its disk. Returns
	 * when it accepts connections. Does nothing if the server runs.
	 */
	void start();

	/**
	 * Freeze the server: connections stay open, and commands get no answer.
	 */
	void pause();

	/**
	 * Let a frozen server go on.
	 */
	void resume();

	/**
	 * Delete the data on the disk of a server that does not run.
	 */
	void deleteData();

	/**
	 * Check whether the process of the server lives.
	 * @return {@code true} if it runs or is frozen
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
