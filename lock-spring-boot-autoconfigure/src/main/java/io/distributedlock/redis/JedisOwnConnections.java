package io.distributedlock.redis;

import java.time.Duration;
import java.util.Optional;

import javax.net.ssl.HostnameVerifier;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocketFactory;

import org.apache.commons.pool2.impl.GenericObjectPoolConfig;

import org.springframework.data.redis.connection.jedis.JedisClientConfigBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientBuilderCustomizer;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;

/**
 * What the application has configured for Jedis, with a pool of the locks alone, which
 * the application cannot exhaust, and with short time-outs.
 *
 * @param application what the application has configured
 * @param timeout how long opening a connection and reading an answer may take
 */
record JedisOwnConnections(JedisClientConfiguration application, Duration timeout) implements JedisClientConfiguration {

	/** For each node; more than the threads that use one at the same time. */
	private static final int MOST_CONNECTIONS = 16;

	@Override
	public boolean isUsePooling() {
		return true;
	}

	@Override
	public Optional<GenericObjectPoolConfig<?>> getPoolConfig() {
		GenericObjectPoolConfig<?> pool = new GenericObjectPoolConfig<>();
		pool.setMaxTotal(MOST_CONNECTIONS);
		pool.setMaxIdle(MOST_CONNECTIONS);
		pool.setMaxWait(this.timeout);
		return Optional.of(pool);
	}

	@Override
	public Duration getConnectTimeout() {
		return least(this.application.getConnectTimeout());
	}

	@Override
	public Duration getReadTimeout() {
		return least(this.application.getReadTimeout());
	}

	/** None means to wait without end. */
	private Duration least(Duration chosen) {
		return (!chosen.isZero() && chosen.compareTo(this.timeout) < 0) ? chosen : this.timeout;
	}

	/** All that Spring Data Redis before 4.1 asks for. */
	@Override
	@SuppressWarnings("deprecation")
	public Optional<JedisClientConfigBuilderCustomizer> getCustomizer() {
		return this.application.getCustomizer();
	}

	@Override
	public Optional<JedisClientConfigBuilderCustomizer> getClientConfigCustomizer() {
		return this.application.getClientConfigCustomizer();
	}

	@Override
	public Optional<JedisClientBuilderCustomizer> getClientCustomizer() {
		return this.application.getClientCustomizer();
	}

	@Override
	public boolean isUseSsl() {
		return this.application.isUseSsl();
	}

	@Override
	public Optional<SSLSocketFactory> getSslSocketFactory() {
		return this.application.getSslSocketFactory();
	}

	@Override
	public Optional<SSLParameters> getSslParameters() {
		return this.application.getSslParameters();
	}

	@Override
	public Optional<HostnameVerifier> getHostnameVerifier() {
		return this.application.getHostnameVerifier();
	}

	@Override
	public Optional<String> getClientName() {
		return this.application.getClientName();
	}

}
