package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.LossReason;
import io.distributedlock.event.LockEvent;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The promises of the locks when the server is there and refuses commands: rows 21 and 22
 * of the table of faults.
 */
class RefusedCommandIntegrationTests extends InstancesOnServer {

	private static final String KEY = "order-46";

	private static final Duration TTL = Duration.ofSeconds(3);

	/** The longest time that a waiter sleeps before it attempts again. */
	private static final Duration POLL = Duration.ofSeconds(1);

	private static final Duration BUSY_MACHINE = Duration.ofSeconds(15);

	private static final Duration BUDGET = Duration.ofSeconds(1);

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(TTL).waitFor(Duration.ofSeconds(20));

	private static final LockRequest ONCE = REQUEST.waitFor(Duration.ZERO);

	/** Row 21: the user lacks a permission without which there are no locks. */
	@ParameterizedTest
	@ValueSource(strings = { "evalsha", "time", "hmget", "hset", "pexpire" })
	void acquireWhenACommandIsDeniedIsRefusedAtOnceAndTheCommandNamed(String command) {
		permit("-" + command);
		assertMisconfigured(REQUEST, "+" + command);
	}

	/** Row 21: the script is not loaded, and the user may not send it. */
	@Test
	void acquireWhenEvalIsDeniedAndTheScriptIsUnknownNamesEval() {
		this.admin.scriptFlush();
		permit("-eval");
		assertMisconfigured(REQUEST, "+eval");
	}

	/** Row 21: a busy lock is answered after a write that changes nothing. */
	@Test
	void acquireWhenHdelIsDeniedIsRefusedInsteadOfBusy() {
		Lease lease = this.there.acquire(REQUEST.renew(false).ttl(Duration.ofSeconds(60)));
		permit("-hdel");
		assertMisconfigured(REQUEST, "+hdel");
		permit("+hdel");
		lease.close();
	}

	/** Row 21: the keys are not the user's. */
	@Test
	void acquireWhenKeysAreDeniedIsRefusedAtOnceAndTheKeysNamed() {
		permit("resetkeys", "~other:*");
		assertMisconfigured(REQUEST, "~lock:*");
	}

	/** Row 21: the permission goes while the lock is held. */
	@Test
	void holderWhenRenewalIsDeniedIsToldAtItsDeadline() {
		Lease lease = this.here.acquire(REQUEST);
		CompletableFuture<Long> told = new CompletableFuture<>();
		lease.onLost(() -> told.complete(System.nanoTime()));
		permit("-evalsha");
		long validUntil = System.nanoTime() + lease.remaining().toNanos();
		assertThat(Duration.ofNanos(told.join() - validUntil)).isBetween(Duration.ofMillis(-50), BUSY_MACHINE);
		assertThat(lease.isHeld()).isFalse();
		this.redis.awaitLoss(KEY, LossReason.EXPIRED);
		permit("+evalsha");
		assertThat(this.there.acquire(REQUEST).fencingToken()).isGreaterThan(lease.fencingToken());
	}

	/** Row 21: the permission is missing for a moment when the lock is to be released. */
	@Test
	void releaseWhenThePermissionComesBackFreesTheLockEarly() {
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(60)).renew(false));
		permit("-evalsha");
		lease.close();
		await().until(() -> this.redis.events.stream().anyMatch(LockEvent.ReleaseFailed.class::isInstance));
		permit("+evalsha");
		assertThat(this.there.acquire(REQUEST).fencingToken()).isGreaterThan(lease.fencingToken());
	}

	/** Row 21: no waiter is woken, so waiters poll; nothing else suffers. */
	@ParameterizedTest
	@EnumSource
	void waiterWhenWakeUpsAreDeniedPolls(Denied denied) {
		permit(denied.permission);
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(60)));
		CompletableFuture<Lease> waiting = this.there.acquireAsync(REQUEST.ttl(Duration.ofSeconds(60)))
			.toCompletableFuture();
		await().until(() -> this.admin.hexists("lock::" + KEY, "waiters"));
		lease.close();
		long released = System.nanoTime();
		assertThat(waiting.join().fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(Duration.ofNanos(System.nanoTime() - released)).isLessThan(POLL.plus(BUSY_MACHINE));
		await().until(() -> this.redis.events.stream().anyMatch(LockEvent.Released.class::isInstance));
		assertThat(this.redis.events).noneMatch(LockEvent.ReleaseFailed.class::isInstance)
			.noneMatch(LockEvent.Lost.class::isInstance);
	}

	/** Row 22: the server does not take writes, for the whole budget. */
	@ParameterizedTest
	@EnumSource
	void acquireWhenTheServerTakesNoWritesFailsAfterTheBudget(NoWrites kind) {
		kind.begin.accept(this.admin);
		// An attempt that is not answered does not say why.
		await().untilAsserted(() -> assertUnavailable(ONCE, kind));
		long start = System.nanoTime();
		assertUnavailable(REQUEST.waitFor(BUDGET), kind);
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(BUDGET);
	}

	/** Row 22: the server takes writes again within the budget and within the lease. */
	@ParameterizedTest
	@EnumSource
	void waiterAndHolderWhenTheServerTakesWritesAgainInTimeAreServed(NoWrites kind) {
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(6)));
		kind.begin.accept(this.admin);
		CompletableFuture<Lease> busy = this.there.acquireAsync(REQUEST).toCompletableFuture();
		CompletableFuture<Lease> free = this.there.acquireAsync(LockRequest.of("free").waitFor(Duration.ofSeconds(20)))
			.toCompletableFuture();
		await().until(() -> refusals(kind) > 3);
		assertThat(free).isNotDone();
		kind.end.accept(this.admin);
		assertThat(free.join().isHeld()).isTrue();
		Renewal.awaitNext(lease);
		assertThat(busy).isNotDone();
		lease.close();
		assertThat(busy.join().fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	private void permit(String... rules) {
		CommandArgs<String, String> arguments = new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("default");
		for (String rule : rules) {
			arguments.add(rule);
		}
		this.admin.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), arguments);
	}

	private void assertMisconfigured(LockRequest request, String named) {
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.here.acquire(request))
			.withMessageContaining(named)
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(Kind.MISCONFIGURED));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
	}

	private void assertUnavailable(LockRequest request, NoWrites kind) {
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.here.acquire(request))
			.withMessageContaining(kind.name())
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(Kind.UNAVAILABLE));
	}

	private long refusals(NoWrites kind) {
		return this.admin.info("errorstats")
			.lines()
			.filter((line) -> line.startsWith("errorstat_" + kind.name() + ":"))
			.mapToLong((line) -> Long.parseLong(line.substring(line.indexOf('=') + 1)))
			.sum();
	}

	/** Permissions for wake-ups that a user may lack. */
	enum Denied {

		PUBLISH("-publish"), SUBSCRIBE("-subscribe"), CHANNELS("resetchannels");

		private final String permission;

		Denied(String permission) {
			this.permission = permission;
		}

	}

	/** Why a server takes no writes, by the error that says so. */
	enum NoWrites {

		READONLY((admin) -> admin.replicaof("127.0.0.1", 1), RedisCommands::replicaofNoOne),

		NOREPLICAS((admin) -> admin.configSet("min-replicas-to-write", "1"),
				(admin) -> admin.configSet("min-replicas-to-write", "0"));

		private final Consumer<RedisCommands<String, String>> begin;

		private final Consumer<RedisCommands<String, String>> end;

		NoWrites(Consumer<RedisCommands<String, String>> begin, Consumer<RedisCommands<String, String>> end) {
			this.begin = begin;
			this.end = end;
		}

	}

}
