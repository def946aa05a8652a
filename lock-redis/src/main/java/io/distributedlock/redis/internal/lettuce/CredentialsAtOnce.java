package io.distributedlock.redis.internal.lettuce;

import io.distributedlock.redis.internal.driver.NodeServer;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;

import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.lettuce.RedisCredentialsProviderFactory;

/**
 * The login of a node, which Lettuce gets at once. With a later login Lettuce continues
 * in another thread, which races with the thread of the connection. The server's refusal
 * of the user may be lost then, and a connection may be given away before it takes
 * commands.
 */
record CredentialsAtOnce(RedisCredentials credentials) implements RedisCredentialsProviderFactory {

	static CredentialsAtOnce of(NodeServer server) {
		return new CredentialsAtOnce(RedisCredentials.just(server.configuration().getUsername(), server.password()));
	}

	@Override
	public RedisCredentialsProvider createCredentialsProvider(RedisConfiguration configuration) {
		return (ImmediateRedisCredentialsProvider) this::credentials;
	}

}
