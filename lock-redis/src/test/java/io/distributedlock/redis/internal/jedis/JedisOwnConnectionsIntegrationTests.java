package io.distributedlock.redis.internal.jedis;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.embedded.RedisLink;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.DriverUnderTest;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.jedis.JedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Connections of {@link JedisOwnConnections} to a server, once they are stopped. */
class JedisOwnConnectionsIntegrationTests {

	/** A checkpoint finds no open file. */
	@Test
	void connectionThatIsBeingOpenedWhenTheyAreStoppedIsNotLeft() {
		try (RedisServer server = RedisServers.start(); RedisLink link = RedisLink.to(server.host(), server.port())) {
			JedisConnectionFactory application = new JedisConnectionFactory(
					new RedisStandaloneConfiguration("127.0.0.1", link.port()));
			JedisOwnConnections own = JedisOwnConnections.of(application, Duration.ofMinutes(1));
			JedisCallerLane lane = Objects.requireNonNull(own.lane());
			own.getConnection().close();
			CompletableFuture<Integer> answered = link.answerLate(Duration.ofSeconds(1));
			CompletableFuture<Void> opening = CompletableFuture.runAsync(lane::open);
			Awaitility.await().until(() -> DriverUnderTest.connections(server) > 0);
			own.stop();
			assertThat(opening).failsWithin(Patience.CEILING);
			assertThat(answered).isDone();
			Awaitility.await().until(() -> DriverUnderTest.connections(server) == 0);
		}
	}

}
