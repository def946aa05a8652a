package io.distributedlock.redis.driver;

import org.jspecify.annotations.Nullable;

/**
 * Why a driver cannot connect again, where the failures of its commands do not say it.
 */
public interface Reconnects extends AutoCloseable {

	/** A driver whose commands say it. */
	Reconnects TOLD_BY_COMMANDS = (server) -> null;

	/**
	 * What went wrong with the last attempt to connect, if there was no connection since.
	 * @param server the host and port that is concerned, or a text with those that may be
	 * @return host and port and what went wrong, or {@code null} if nothing is known
	 */
	@Nullable String failure(String server);

	@Override
	default void close() {
	}

}
