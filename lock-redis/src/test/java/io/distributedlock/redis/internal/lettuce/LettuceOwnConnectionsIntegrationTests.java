package io.distributedlock.redis.internal.lettuce;

import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.internal.driver.RedisDriver;
import io.lettuce.core.RedisURI;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.SocketAddressResolver;
import io.lettuce.core.tracing.Tracing;
import io.netty.resolver.DefaultAddressResolverGroup;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mockingDetails;
import static org.mockito.Mockito.spy;

/** Connections with their own event loops keep the application's other resources. */
class LettuceOwnConnectionsIntegrationTests {

	private final AtomicInteger recorded = new AtomicInteger();

	private final AtomicInteger resolved = new AtomicInteger();

	private final Tracing tracing = spy(Tracing.disabled());

	private final DefaultAddressResolverGroup names = spy(DefaultAddressResolverGroup.INSTANCE);

	@Test
	void resourcesOfTheApplicationAreUsedButForItsThreads() {
		ClientResources application = DefaultClientResources.builder()
			.commandLatencyRecorder(new Recorder())
			.socketAddressResolver(new Resolver())
			.addressResolverGroup(this.names)
			.tracing(this.tracing)
			.build();
		try (RedisServer server = RedisServers.start()) {
			LettuceConnectionFactory factory = new LettuceConnectionFactory(
					new RedisStandaloneConfiguration("localhost", server.port()),
					LettuceClientConfiguration.builder().clientResources(application).build());
			factory.afterPropertiesSet();
			RedisDriver own = LettuceDriver.of(factory).own(Duration.ofSeconds(5));
			try (RedisConnection connection = own.factory().getConnection()) {
				assertThat(connection.ping()).isEqualTo("PONG");
			}
			finally {
				((LettuceConnectionFactory) own.factory()).destroy();
				factory.destroy();
			}
		}
		finally {
			application.shutdown(0, 1, TimeUnit.SECONDS);
		}
		assertThat(this.recorded).hasPositiveValue();
		assertThat(this.resolved).hasPositiveValue();
		assertThat(mockingDetails(this.tracing).getInvocations()).isNotEmpty();
		assertThat(mockingDetails(this.names).getInvocations()).isNotEmpty();
	}

	/** Counts the commands whose duration is recorded. */
	private final class Recorder implements CommandLatencyRecorder {

		@Override
		public void recordCommandLatency(SocketAddress local, SocketAddress remote, ProtocolKeyword type,
				long firstResponseLatency, long completionLatency) {
			LettuceOwnConnectionsIntegrationTests.this.recorded.incrementAndGet();
		}

	}

	/** Counts the addresses that are looked up. */
	private final class Resolver extends SocketAddressResolver {

		@Override
		public SocketAddress resolve(RedisURI redisUri) {
			LettuceOwnConnectionsIntegrationTests.this.resolved.incrementAndGet();
			return super.resolve(redisUri);
		}

	}

}
