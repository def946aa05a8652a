package io.distributedlock.redis.driver;

import java.time.Duration;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * A connection that one thread has for itself. It never reconnects: WAIT on another
 * connection than the script's counts nothing, and would confirm what no replica has.
 */
public interface DedicatedConnection extends AutoCloseable {

	/**
	 * Send scripts one behind the other.
	 * @param calls the scripts
	 * @return what was said to each
	 * @throws RuntimeException if the connection failed
	 */
	List<Reply> run(List<? extends ScriptCall> calls);

	/**
	 * Wait until replicas have all that was written by this connection.
	 * @param count how many replicas
	 * @param timeout how long
	 * @return how many have it, also where those are fewer
	 * @throws RuntimeException if the connection failed
	 */
	long awaitReplicas(int count, Duration timeout);

	/** Give the connection back, or end it if it failed. */
	@Override
	void close();

	/**
	 * An answer or an error that the server gave.
	 *
	 * @param value the answer
	 * @param failure the error
	 */
	record Reply(@Nullable Object value, @Nullable Throwable failure) {
	}

}
