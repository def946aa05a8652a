package io.distributedlock.faults;

import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockEvent;
import io.distributedlock.faults.FaultProxy.Direction;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.sync.RedisCommands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The promises of the locks when the server has forgotten the scripts, and when its
 * answers come late.
 */
class CommandFaultIntegrationTests extends InstancesBehindProxy {

	private static final String KEY = "order:42";

	private static final LockRequest REQUEST = LockRequest.of(KEY)
		.ttl(Duration.ofMillis(4500))
		.waitFor(Duration.ofSeconds(20));

	private static final LockRequest ONCE = REQUEST.waitFor(Duration.ZERO);

	@ParameterizedTest
	@EnumSource
	void row6ScriptFlushIsNotNoticed(Driver driver) {
		start(driver);
		RedisCommands<String, String> admin = this.redis.admin();
		admin.scriptFlush();
		Lease lease = this.here.acquire(REQUEST);
		admin.scriptFlush();
		Renewal.awaitNext(lease);
		admin.scriptFlush();
		assertThat(SingleTry.of(this.there, ONCE)).isEmpty();
		admin.scriptFlush();
		lease.close();
		assertThat(SingleTry.of(this.there, ONCE)).isPresent();
		assertThat(this.redis.isLost(KEY)).isFalse();
		assertThat(admin.info("errorstats")).contains("errorstat_NOSCRIPT");
	}

	@ParameterizedTest
	@EnumSource
	void row6ScriptFlushBeforeARenewalOfManyLosesNone(Driver driver) {
		start(driver);
		List<String> keys = IntStream.range(0, 50).mapToObj((i) -> "order:" + i).toList();
		Lease lease = this.here.acquire(LockRequest.ofAll(keys).ttl(Duration.ofMillis(4500)));
		// Before the flush, so that no renewal gets in between and loads the script.
		ReplyFault batch = this.proxy.holdNextReply(Exchange.runs("renew"));
		this.redis.admin().scriptFlush();
		assertThat(batch.await(Duration.ofSeconds(20)).command()).contains("EVAL\r\n").contains(keys);
		this.redis.admin().scriptFlush();
		batch.release();
		Renewal.awaitNext(lease);
		Renewal.awaitNext(lease);
		assertThat(this.redis.events).noneMatch(LockEvent.Lost.class::isInstance);
	}

	@ParameterizedTest
	@EnumSource
	void row12TimeOnTheWayCountsAgainstTheLease(Driver driver) {
		start(driver);
		this.proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(500));
		Lease lease = this.here.acquire(REQUEST.renew(false).ttl(Duration.ofMillis(1500)));
		assertThat(lease.remaining()).isLessThan(Duration.ofMillis(1000));
		Lease next = this.there.acquire(REQUEST);
		assertThat(lease.isHeld()).isFalse();
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
	}

	@ParameterizedTest
	@EnumSource
	void row12ReplyLaterThanTheLeaseIsNoAcquisition(Driver driver) {
		start(driver);
		this.proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(700));
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.here.acquire(
					ONCE.ttl(Duration.ofMillis(400)).waitFor(Duration.ofMillis(2500)).keepFor(Duration.ofHours(1))))
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE));
		assertThat(this.redis.events)
			.noneMatch((event) -> event instanceof LockEvent.Acquired acquired && acquired.key().equals(KEY));
		this.proxy.pass();
		assertThat(this.there.acquire(REQUEST).isHeld()).isTrue();
	}

	/** A renewal that took longer than a sixth of the ttl was thrown away. */
	@ParameterizedTest
	@EnumSource
	void row12RoundTripOfAFifthOfTheLeaseKeepsIt(Driver driver) {
		start(driver);
		DefaultLockRegistry patient = this.redis.instance(driver, this.proxy, Duration.ofSeconds(3));
		patient.acquire(LockRequest.of("warm up")).close();
		this.proxy.delay(Direction.TO_CLIENT, Duration.ofMillis(900));
		Lease lease = patient.acquire(REQUEST);
		for (int i = 0; i < 3; i++) {
			Renewal.awaitNext(lease);
		}
		assertThat(SingleTry.of(this.there, ONCE)).isEmpty();
		assertThat(this.redis.isLost(KEY)).isFalse();
	}

	@Test
	void row33StalledServerCostsTheHolderItsLeaseWhileItIsStalled() throws Exception {
		start(Driver.LETTUCE);
		Lease lease = this.here.acquire(REQUEST.ttl(Duration.ofSeconds(1)));
		RedisFuture<String> stall = this.redis.stall(Duration.ofSeconds(5));
		this.redis.awaitLoss(KEY, LossReason.EXPIRED);
		assertThat(stall.isDone()).isFalse();
		assertThat(lease.isHeld()).isFalse();
		assertThatExceptionOfType(LockLostException.class).isThrownBy(lease::close);
		stall.get();
		Lease next = this.there.acquire(REQUEST);
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		Renewal.awaitNext(next);
		assertThat(SingleTry.of(this.here, ONCE)).isEmpty();
	}

}
