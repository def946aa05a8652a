package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.faults.FaultProxy.Direction;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.KillArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The promises of the locks when connections break, fall silent or lose the messages of a
 * subscription.
 */
class ConnectionFaultIntegrationTests extends InstancesBehindProxy {

	private static final String KEY = "order:42";

	/** Long enough that a waiter that gets in earlier has not waited for its end. */
	private static final Duration LONG = Duration.ofSeconds(60);

	private static final Duration SHORT = Duration.ofSeconds(2);

	/** A poll interval of one second, and a slow machine. */
	private static final Duration POLL_AND_SLACK = Duration.ofSeconds(8);

	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(LONG).waitFor(Duration.ofSeconds(20));

	private static final LockRequest ONCE = REQUEST.waitFor(Duration.ZERO);

	@ParameterizedTest
	@EnumSource
	void row7ConnectionKilledAtAcquireCostsNothing(Driver driver) throws Exception {
		start(driver);
		this.proxy.delay(Direction.TO_SERVER, LONG);
		CompletableFuture<Lease> acquiring = this.here.acquireAsync(REQUEST).toCompletableFuture();
		killWithTheCommandOnItsWay();
		Lease lease = acquiring.get();
		assertThat(SingleTry.of(this.there, ONCE)).isEmpty();
		lease.close();
		assertThat(SingleTry.answer(() -> this.there.acquire(ONCE)).fencingToken()).isGreaterThan(lease.fencingToken());
	}

	@ParameterizedTest
	@EnumSource
	void row7ConnectionKilledAtRenewalCostsNothing(Driver driver) {
		start(driver);
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(6)));
		this.proxy.delay(Direction.TO_SERVER, LONG);
		killWithTheCommandOnItsWay();
		Renewal.awaitNext(lease);
		assertThat(SingleTry.of(this.there, ONCE)).isEmpty();
		lease.close();
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void row7ConnectionKilledAtReleaseLetsTheNextHolderIn(Driver driver) throws Exception {
		start(driver);
		Lease lease = this.here.acquire(REQUEST);
		this.proxy.delay(Direction.TO_SERVER, LONG);
		CompletableFuture<Void> releasing = CompletableFuture.runAsync(lease::close);
		killWithTheCommandOnItsWay();
		releasing.get();
		assertThat(this.there.acquire(REQUEST).fencingToken()).isGreaterThan(lease.fencingToken());
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	private void killWithTheCommandOnItsWay() {
		await().until(() -> this.proxy.unanswered() > 0);
		assertThat(this.redis.admin().clientKill(KillArgs.Builder.typeNormal().skipme())).isPositive();
		this.proxy.pass();
	}

	@ParameterizedTest
	@EnumSource
	void row8KilledSubscriptionCostsAWaiterOnePollAtMost(Driver driver) throws Exception {
		start(driver);
		Lease lease = this.there.acquire(REQUEST);
		CompletableFuture<Lease> waiting = waitingHere();
		assertThat(this.redis.admin().clientKill(KillArgs.Builder.typePubsub())).isPositive();
		assertServedAfterOnePoll(lease, waiting);
		await().until(this::isSubscribed);
	}

	@ParameterizedTest
	@EnumSource
	void row9LostMessageCostsAWaiterOnePollAtMost(Driver driver) throws Exception {
		start(driver);
		Lease lease = this.there.acquire(REQUEST);
		CompletableFuture<Lease> waiting = waitingHere();
		this.proxy.dropPushes();
		assertServedAfterOnePoll(lease, waiting);
	}

	@ParameterizedTest
	@EnumSource
	void row9DeniedPublishCostsAWaiterOnePollAtMost(Driver driver) throws Exception {
		start(driver);
		this.redis.admin().aclSetuser("default", AclSetuserArgs.Builder.removeCommand(CommandType.PUBLISH));
		Lease lease = this.there.acquire(REQUEST);
		assertServedAfterOnePoll(lease, waitingHere());
	}

	private CompletableFuture<Lease> waitingHere() {
		CompletableFuture<Lease> waiting = this.here.acquireAsync(REQUEST.waitFor(LONG)).toCompletableFuture();
		await().until(this::isSubscribed);
		return waiting;
	}

	private boolean isSubscribed() {
		return !this.redis.admin().pubsubChannels("lock:*").isEmpty();
	}

	private static void assertServedAfterOnePoll(Lease lease, CompletableFuture<Lease> waiting) throws Exception {
		assertThat(waiting).isNotDone();
		lease.close();
		assertThat(waiting.get(POLL_AND_SLACK.toMillis(), TimeUnit.MILLISECONDS).fencingToken())
			.isGreaterThan(lease.fencingToken());
	}

	@ParameterizedTest
	@EnumSource
	void row13HalfOpenConnectionIsAStoreFailureAfterTheCommandTimeOut(Driver driver) {
		start(driver);
		this.proxy.blackHole();
		long start = System.nanoTime();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.here.acquire(ONCE))
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE));
		assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(POLL_AND_SLACK);
		this.proxy.pass();
		assertThat(this.here.acquire(REQUEST).isHeld()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void row13HalfOpenConnectionEndsTheLeaseBeforeTheNextHolder(Driver driver) {
		start(driver);
		Lease lease = this.here.acquire(REQUEST.ttl(SHORT));
		this.proxy.blackHole();
		Lease next = this.there.acquire(REQUEST);
		assertThat(lease.isHeld()).isFalse();
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		this.redis.awaitLoss(KEY, LossReason.EXPIRED);
		this.proxy.pass();
		next.close();
		assertThat(this.here.acquire(REQUEST).fencingToken()).isGreaterThan(next.fencingToken());
	}

}
