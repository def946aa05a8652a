package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.internal.lettuce.LettuceNodes;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.Commands;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

/** A single node of a quorum. */
@Tag("newer-servers")
class RedisQuorumNodeIntegrationTests {

	private static final Duration TTL = Duration.ofSeconds(30);

	private static final Duration HOUR = Duration.ofHours(1);

	private static final LockKey KEY = new LockKey("node", "key");

	private static final AtomicLong SEQUENCE = new AtomicLong();

	private static RedisServer server;

	private static RedisClient client;

	private static RedisCommands<String, String> admin;

	/** The time that the quarantine sees, in nanoseconds. */
	private final AtomicLong nanos = new AtomicLong(System.nanoTime());

	private RedisQuorumNode node;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
		client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		admin = client.connect().sync();
	}

	@AfterAll
	static void stopServer() {
		client.shutdown();
		server.close();
	}

	@AfterEach
	void close() {
		if (this.node != null) {
			this.node.close();
		}
		admin.flushall();
		admin.configSet("appendonly", "no");
		admin.configSet("appendfsync", "everysec");
	}

	@Test
	void nodeWhenItHasRestartedGrantsNothingAndSaysForHowLong() {
		start(HOUR);
		assertInQuarantine();
		assertThat(new LockOnTheWire(admin).owner("lock:node:key")).isNull();
		this.nanos.addAndGet(Duration.ofMinutes(59).toNanos());
		assertInQuarantine();
		this.nanos.addAndGet(Duration.ofMinutes(2).toNanos());
		assertThat(acquire(request(), TTL)).isInstanceOf(Granted.class);
		assertThat(catchThrowable(() -> acquire(request(), Duration.ofHours(3)))).as("a longer lease")
			.hasMessageContaining("does not count");
	}

	@Test
	void nodeInQuarantineRenewsAndReleases() {
		start(Duration.ZERO);
		RequestId request = request();
		acquire(request, TTL);
		RedisQuorumNode held = this.node;
		start(HOUR);
		assertThat(this.node.renew(List.of(new RenewCommand(KEY, request, TTL))).get(0).join())
			.isEqualTo(Ownership.HELD);
		assertInQuarantine();
		assertThat(this.node.raise(new RaiseCommand(List.of(KEY), request, 5)).join()).isTrue();
		assertThat(this.node.release(new ReleaseCommand(KEY, request)).join()).isEqualTo(Ownership.HELD);
		held.close();
	}

	@Test
	void nodeWhenItSaysThatItWritesEverythingToDiskDoesNotCountEither() {
		admin.configSet("appendonly", "yes");
		admin.configSet("appendfsync", "always");
		start(HOUR);
		assertInQuarantine();
	}

	/** The server behind the address may be another one than before. */
	@Test
	void nodeWhenItsConnectionIsCutIsLookedAtBeforeTheNextCommand() {
		start(HOUR);
		assertInQuarantine();
		this.nanos.addAndGet(HOUR.toNanos());
		RequestId request = request();
		assertThat(acquire(request, TTL)).isInstanceOf(Granted.class);
		// As if the one that answers then had only just started.
		this.nanos.addAndGet(-HOUR.toNanos());
		admin.clientKill(KillArgs.Builder.typeNormal().skipme());
		await().ignoreExceptions()
			.until(() -> this.node.release(new ReleaseCommand(KEY, request)).join() == Ownership.HELD);
		assertInQuarantine();
	}

	@Test
	void nodeWhenAskedForMoreThanAStoreDoesIt() {
		start(Duration.ZERO);
		RequestId holder = request();
		long token = ((Granted) acquire(holder, TTL)).token();
		assertThat(this.node.raise(new RaiseCommand(List.of(KEY), holder, token + 70)).join()).isTrue();
		assertThat(this.node.raise(new RaiseCommand(List.of(KEY), request(), token + 99)).join()).isFalse();
		RequestId fair = request();
		this.node.acquire(command(LockMode.FAIR, fair, TTL)).join();
		this.node.release(new ReleaseCommand(KEY, holder)).join();
		assertThat(acquire(request(), TTL)).isInstanceOf(Busy.class);
		assertThat(this.node.acquire(command(LockMode.EXCLUSIVE, holder, TTL)).join())
			.isInstanceOf(AcquireOutcome.Refused.class);
		AcquireOutcome again = this.node.acquire(Commands.retaking(command(LockMode.EXCLUSIVE, holder, TTL))).join();
		assertThat(((Granted) again).token()).isGreaterThan(token + 70);
	}

	/** It was taken for a server that does not answer. */
	@Test
	void nodeWhenItIsAReplicaIsMisconfiguredAndSaysOfWhich() {
		server.ask("REPLICAOF", "127.0.0.1", "1");
		try {
			start(Duration.ZERO);
			assertThat(RedisLockStoreIntegrationTests.failure(this.node.checkPermissions(),
					LockStoreException.Kind.MISCONFIGURED))
				.startsWith("distributed-lock.redlock.nodes[0], " + this.node.name()
						+ " is a replica of 127.0.0.1:1, which grants no locks");
			assertThat(this.node.replicaOf()).isEqualTo("127.0.0.1:1");
		}
		finally {
			server.ask("REPLICAOF", "NO", "ONE");
		}
		this.node.checkPermissions().join();
	}

	/** Lettuce now and then only says that the connection was closed. */
	@Test
	void nodeWhenThereIsNoSuchDatabaseIsMisconfigured() {
		start(Duration.ZERO, new RedisNodeAddress(server.host(), server.port(), 99, null, null, null));
		await().untilAsserted(() -> assertThat(RedisLockStoreIntegrationTests.failure(this.node.checkPermissions(),
				LockStoreException.Kind.MISCONFIGURED))
			.contains("has no database of this number"));
	}

	/** A connection that the network had forgotten was never replaced. */
	@Test
	void nodeWhenItsConnectionIsDeadWithoutAWordIsConnectedToAgain() {
		try (MuteServer mute = new MuteServer(server, "hush")) {
			RedisStandaloneConfiguration address = mute.address();
			start(Duration.ZERO, new RedisNodeAddress(address.getHostName(), address.getPort(), 0, null, null, null));
			assertThat(acquire(request(), TTL)).isInstanceOf(Granted.class);
			CompletableFuture<Ownership> unanswered = this.node
				.release(new ReleaseCommand(new LockKey("hush", "key"), request()));
			await().until(() -> mute.silent() == 1);
			unanswered.cancel(true);
			await().ignoreExceptions().until(() -> {
				CompletableFuture<?> next = this.node.release(new ReleaseCommand(KEY, request()));
				try {
					next.get(500, TimeUnit.MILLISECONDS);
					return true;
				}
				finally {
					next.cancel(true);
				}
			});
		}
	}

	private static RedisNodeAddress uninformed() {
		admin.aclSetuser("uninformed",
				AclSetuserArgs.Builder.on()
					.addPassword("secret")
					.allKeys()
					.allChannels()
					.allCommands()
					.removeCommand(CommandType.INFO));
		admin.aclLogReset();
		return new RedisNodeAddress(server.host(), server.port(), 0, "uninformed", "secret", null);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT1H" })
	void nodeWhenTheUserMayNotAskWhoItIsIsMisconfigured(Duration restartDelay) {
		start(restartDelay, uninformed());
		Throwable failure = catchThrowable(() -> acquire(request(), TTL)).getCause();
		assertThat(failure)
			.isInstanceOfSatisfying(LockStoreException.class,
					(ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED))
			.hasMessageContaining("info");
	}

	/** A server under two names had two votes. */
	@Test
	void nodesWhenTheyAreOneServerHaveOneVote() {
		List<NodeIdentity> identities = NodeIdentity.of(
				List.of(new RedisNodeAddress("127.0.0.1", server.port(), 0, null, null, null),
						new RedisNodeAddress("localhost", server.port(), 0, null, null, null)),
				Duration.ZERO, this.nanos::get);
		this.node = node(identities.get(1));
		RequestId request = request();
		assertThat(acquire(request, TTL)).isInstanceOf(Granted.class);
		assertThat(this.node.sameServerAs()).isNull();
		try (RedisQuorumNode other = node(identities.get(0))) {
			for (CompletableFuture<AcquireOutcome> outcome : List.of(
					other.acquire(command(LockMode.EXCLUSIVE, request, TTL)),
					other.acquire(Commands.retaking(command(LockMode.EXCLUSIVE, request, TTL))))) {
				assertThat(RedisLockStoreIntegrationTests.failure(outcome, LockStoreException.Kind.MISCONFIGURED))
					.startsWith("distributed-lock.redlock.nodes[0], redis://127.0.0.1:%d is the same server as "
						.formatted(server.port()) + "distributed-lock.redlock.nodes[1], " + this.node.name());
			}
			assertThat(other.sameServerAs()).isEqualTo(this.node.name());
			assertThat(acquire(request, TTL)).as("the vote").isInstanceOf(Granted.class);
		}
	}

	private void start(Duration restartDelay) {
		start(restartDelay, new RedisNodeAddress(server.host(), server.port(), 0, null, null, null));
	}

	private void start(Duration restartDelay, RedisNodeAddress address) {
		this.node = node(NodeIdentity.of(List.of(address), restartDelay, this.nanos::get).get(0));
	}

	private RedisQuorumNode node(NodeIdentity identity) {
		RedisQuorumNode created = new RedisQuorumNode(identity, RedisStoreSettings.DEFAULTS,
				new LettuceNodes(1, Duration.ofSeconds(5)).connect(identity.address().server(), identity::look));
		created.start(request().instance(), new Sleeper());
		return created;
	}

	/**
	 * A request that a new connection lets through before it was checked does not count
	 * either.
	 */
	private void assertInQuarantine() {
		RequestId request = request();
		assertThat(catchThrowable(() -> acquire(request, TTL))).isInstanceOf(CompletionException.class)
			.cause()
			.isInstanceOfSatisfying(LockStoreException.class,
					(ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE))
			.hasMessageMatching("restarted \\d+ s ago and does not count for another \\d+ s.*");
		this.node.abandon(new AbandonCommand(KEY, request)).join();
	}

	private AcquireOutcome acquire(RequestId request, Duration ttl) {
		return this.node.acquire(command(LockMode.EXCLUSIVE, request, ttl)).join();
	}

	private static AcquireCommand command(LockMode mode, RequestId request, Duration ttl) {
		return new AcquireCommand(List.of(KEY), request, mode, 0, null, ttl, Duration.ZERO, Duration.ofSeconds(3), 0,
				false);
	}

	private static RequestId request() {
		long number = SEQUENCE.incrementAndGet();
		return RequestId.of(7, (int) number, number, 0);
	}

	/** Ignores wake-ups. */
	private static final class Sleeper implements WakeUpListener {

		@Override
		public void wakeUp(String encodedKey) {
		}

		@Override
		public void wakeUpAll() {
		}

	}

}
