package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.redis.internal.lettuce.LettuceNodeConnections;
import io.distributedlock.redis.internal.lettuce.LettuceNodes;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Who connections to a node log in as. Lettuce races with itself unless it knows that at
 * once.
 */
class LettuceNodeConnectionsTests {

	@Test
	void loginWithUserAndPasswordIsKnownAtOnce() {
		RedisCredentials credentials = login("redis://locks:s3cret@127.0.0.1:1");
		assertThat(credentials.getUsername()).isEqualTo("locks");
		assertThat(credentials.getPassword()).containsExactly("s3cret".toCharArray());
	}

	@Test
	void loginWithAPasswordAloneIsThatOfTheDefaultUser() {
		RedisCredentials credentials = login("redis://s3cret@127.0.0.1:1");
		assertThat(credentials.hasUsername()).isFalse();
		assertThat(credentials.getPassword()).containsExactly("s3cret".toCharArray());
	}

	@Test
	void loginWithoutEitherIsNone() {
		RedisCredentials credentials = login("redis://127.0.0.1:1");
		assertThat(credentials.hasUsername()).isFalse();
		assertThat(credentials.hasPassword()).isFalse();
	}

	/** A user that needs none. */
	@Test
	void loginOfAUserWithAnEmptyPasswordSaysSo() {
		RedisCredentials credentials = login("redis://locks:@127.0.0.1:1");
		assertThat(credentials.getUsername()).isEqualTo("locks");
		assertThat(credentials.getPassword()).isEmpty();
	}

	private static RedisCredentials login(String address) {
		LettuceNodeConnections connections = new LettuceNodes(1, Duration.ofSeconds(1))
			.connect(RedisNodeAddress.parse(address).server(), (connection) -> {
			});
		LettuceConnectionFactory factory = (LettuceConnectionFactory) connections.scripts().factory();
		RedisCredentialsProvider provider = factory.getClientConfiguration()
			.getRedisCredentialsProviderFactory()
			.orElseThrow()
			.createCredentialsProvider(factory.getStandaloneConfiguration());
		connections.close();
		assertThat(provider).isInstanceOf(ImmediateRedisCredentialsProvider.class);
		return ((ImmediateRedisCredentialsProvider) provider).resolveCredentialsNow();
	}

}
