package io.distributedlock.faults;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The result of the check at the start when a connection is closed while it is set up.
 * Lettuce loses the refusal of a password in the same way now and then.
 */
class HandshakeFaultIntegrationTests {

	private RedisServer server;

	private FaultProxy proxy;

	@BeforeEach
	void start() {
		this.server = RedisServers.start("--requirepass", "s3cret");
		this.proxy = new FaultProxy(this.server.host(), this.server.port());
	}

	@AfterEach
	void stop() {
		this.proxy.close();
		this.server.close();
	}

	@Test
	void checkWhenTheRefusalOfAPasswordIsLostOnceNamesTheRefusal() {
		ReplyFault lost = this.proxy.cutNextReply(Exchange.replyHas("WRONGPASS"), 0);
		LettuceConnectionFactory factory = factory("wr0ng");
		RedisLockStore store = new RedisLockStore(factory, RedisStoreSettings.DEFAULTS);
		try {
			assertRefused(store.checkPermissions());
			assertThat(lost.hasHappened()).isTrue();
		}
		finally {
			store.close();
			factory.destroy();
		}
	}

	/** Its connections pause after each failure. */
	@Test
	void checkOfANodeWhenItsRefusalIsLostOnceNamesTheRefusal() {
		ReplyFault lost = this.proxy.cutNextReply(Exchange.replyHas("WRONGPASS"), 0);
		RedisNodeAddress address = RedisNodeAddress
			.parse("redis://:wr0ng@%s:%d".formatted(this.proxy.host(), this.proxy.port()));
		RedisQuorumNode node = RedisQuorumNode.connect(List.of(address), RedisStoreSettings.DEFAULTS, Duration.ZERO)
			.get(0);
		try {
			assertRefused(node.checkPermissions());
			assertThat(lost.hasHappened()).isTrue();
		}
		finally {
			node.close();
		}
	}

	@Test
	void checkWhenEveryConnectionIsClosedGivesUpSoon() {
		this.proxy.refuse();
		LettuceConnectionFactory factory = factory("s3cret");
		RedisLockStore store = new RedisLockStore(factory, RedisStoreSettings.DEFAULTS);
		try {
			assertThat(failure(store.checkPermissions()).getKind()).isEqualTo(Kind.UNAVAILABLE);
			this.proxy.pass();
			assertThat(store.checkPermissions()).succeedsWithin(Patience.CEILING);
		}
		finally {
			store.close();
			factory.destroy();
		}
	}

	private LettuceConnectionFactory factory(String password) {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(this.proxy.host(),
				this.proxy.port());
		configuration.setPassword(password);
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private static void assertRefused(CompletableFuture<Void> check) {
		LockStoreException failure = failure(check);
		assertThat(failure).hasMessageContaining("WRONGPASS");
		assertThat(failure.getKind()).isEqualTo(Kind.MISCONFIGURED);
	}

	private static LockStoreException failure(CompletableFuture<Void> check) {
		CompletableFuture<Throwable> failure = check.handle((nothing, ex) -> ex);
		assertThat(failure).succeedsWithin(Patience.CEILING).isInstanceOf(LockStoreException.class);
		return (LockStoreException) failure.join();
	}

}
