package io.distributedlock.faults;

import java.time.Duration;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import org.springframework.data.redis.connection.RedisConnectionFactory;

/** A server of its own that a test may torture, and instances of an application on it. */
final class FaultyRedis extends Instances {

	final RedisServer server;

	private final RedisClient admin;

	FaultyRedis(String... settings) {
		this.server = RedisServers.start(settings);
		this.admin = RedisClient.create(RedisURI.create(this.server.host(), this.server.port()));
	}

	/** A new instance of an application. */
	DefaultLockRegistry instance() {
		return instance(Driver.LETTUCE.connect(this.server.host(), this.server.port()));
	}

	/** The same, whose commands have another time. */
	DefaultLockRegistry instance(Duration commandTimeout) {
		RedisConnectionFactory factory = Driver.LETTUCE.connect(this.server.host(), this.server.port());
		return instance(factory, withCommandTimeout(commandTimeout));
	}

	/** A new instance of an application behind a proxy. */
	DefaultLockRegistry instance(Driver driver, FaultProxy proxy) {
		return instance(driver.connect(proxy.host(), proxy.port()));
	}

	/** The same, whose commands have another time. */
	DefaultLockRegistry instance(Driver driver, FaultProxy proxy, Duration commandTimeout) {
		return instance(driver.connect(proxy.host(), proxy.port()), withCommandTimeout(commandTimeout));
	}

	/** A proxy in front of the server, which ends after the instances. */
	FaultProxy proxy() {
		FaultProxy proxy = new FaultProxy(this.server.host(), this.server.port());
		this.closeables.add(proxy);
		return proxy;
	}

	/** A connection for the test itself; it comes back by itself after a restart. */
	RedisCommands<String, String> admin() {
		return this.admin.connect().sync();
	}

	/** Let the server do nothing for a while; the answer comes after that. */
	RedisFuture<String> stall(Duration duration) {
		return this.admin.connect()
			.async()
			.dispatch(CommandType.DEBUG, new StatusOutput<>(StringCodec.UTF8),
					new CommandArgs<>(StringCodec.UTF8).add("SLEEP").add(duration.toSeconds()));
	}

	@Override
	public void close() throws Exception {
		super.close();
		this.admin.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		this.server.close();
	}

}
