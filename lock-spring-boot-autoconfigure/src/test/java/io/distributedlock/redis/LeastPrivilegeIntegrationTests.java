package io.distributedlock.redis;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The permissions that the README names are enough. */
@Timeout(60)
class LeastPrivilegeIntegrationTests {

	private static final String PERMISSIONS = "~lock:* &lock:* +evalsha +eval +hmget +hgetall +hset +hdel +pexpire +pttl +time "
			+ "+publish +subscribe +unsubscribe";

	private static final LockRequest REQUEST = LockRequest.of("order").waitFor(Duration.ofSeconds(20));

	@Test
	void documentedPermissionsAreEnough() throws Exception {
		try (RedisServer server = RedisServers.start()) {
			RedisClient client = RedisClient.create(RedisURI.create(server.host(), server.port()));
			RedisCommands<String, String> admin = client.connect().sync();
			CommandArgs<String, String> user = new CommandArgs<>(StringCodec.UTF8).add("SETUSER")
				.add("app")
				.add("on")
				.add(">secret");
			Arrays.stream(PERMISSIONS.split(" ")).forEach(user::add);
			admin.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), user.add("+@connection"));
			lockAndWait(server);
			assertThat(admin.aclLog()).isEmpty();
			client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		}
	}

	private static void lockAndWait(RedisServer server) throws Exception {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(server.host(), server.port());
		configuration.setUsername("app");
		configuration.setPassword("secret");
		RedisConnectionFactory factory = RedisDriver.LETTUCE.connect(configuration);
		try (DefaultLockRegistry here = new DefaultLockRegistry(
				new RedisLockStore(factory, RedisStoreSettings.DEFAULTS));
				DefaultLockRegistry there = new DefaultLockRegistry(
						new RedisLockStore(factory, RedisStoreSettings.DEFAULTS))) {
			Lease lease = here.acquire(REQUEST.ttl(Duration.ofMillis(300)));
			CompletableFuture<Lease> waiting = there.acquireAsync(REQUEST).toCompletableFuture();
			awaitRenewal(lease);
			assertThat(there.tryAcquire(REQUEST.waitFor(Duration.ZERO))).isEmpty();
			lease.close();
			waiting.get(20, TimeUnit.SECONDS).close();
		}
		RedisDriver.close(factory);
	}

	private static void awaitRenewal(Lease lease) {
		Duration[] last = { lease.remaining() };
		await().pollInterval(Duration.ofMillis(5)).until(() -> {
			Duration before = last[0];
			last[0] = lease.remaining();
			return last[0].compareTo(before) > 0;
		});
	}

}
