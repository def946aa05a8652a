package io.distributedlock.limits;

import java.time.Duration;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;

/** The counters of the server. */
final class Server implements AutoCloseable {

	private final RedisClient client;

	private final RedisCommands<String, String> commands;

	Server(String host, int port) {
		this.client = RedisClient.create(RedisURI.create(host, port));
		this.commands = this.client.connect().sync();
	}

	/** How many scripts were run. */
	long scripts() {
		return statistic("calls=");
	}

	/** How long scripts have run, in microseconds. */
	long scriptMicros() {
		return statistic("usec=");
	}

	private long statistic(String name) {
		String line = this.commands.info("commandstats")
			.lines()
			.filter((each) -> each.startsWith("cmdstat_evalsha:"))
			.findAny()
			.orElseThrow();
		int begin = line.indexOf(name) + name.length();
		return Long.parseLong(line.substring(begin, line.indexOf(',', begin)));
	}

	long keys() {
		return this.commands.dbsize();
	}

	long channels() {
		return this.commands.pubsubChannels("*").size();
	}

	@Override
	public void close() {
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
	}

}
