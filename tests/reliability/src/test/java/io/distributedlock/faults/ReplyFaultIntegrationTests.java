package io.distributedlock.faults;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.event.LockEvent;
import io.distributedlock.redis.ShownLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

/**
 * The promises of the locks when a command was applied and its reply is lost, with a
 * broken connection or in silence.
 */
class ReplyFaultIntegrationTests extends InstancesBehindProxy {

	private static final String KEY = "order:42";

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final Duration TTL = Duration.ofSeconds(3);

	/** Long enough that a waiter that gets in earlier has not waited for its end. */
	private static final LockRequest REQUEST = LockRequest.of(KEY).ttl(Duration.ofSeconds(60)).waitFor(PATIENCE);

	private static final LockRequest ONCE = REQUEST.waitFor(Duration.ZERO);

	private static final Predicate<Exchange> GRANTED = Exchange.runs("acquire")
		.and((exchange) -> exchange.reply().matches("(?s).*:\\d{16}\r\n"))
		.and(Exchange.commandHas(KEY));

	@ParameterizedTest
	@EnumSource
	void row10AcquireWhenCutOffAndRepeatedIsTheSameAcquisition(Driver driver) throws Exception {
		start(driver);
		assertRepeatedIsTheSame(this.proxy.cutNextReply(GRANTED, 3));
	}

	@ParameterizedTest
	@EnumSource
	void row10AcquireWhenUnansweredAndRepeatedIsTheSameAcquisition(Driver driver) throws Exception {
		start(driver);
		assertRepeatedIsTheSame(this.proxy.dropNextReply(GRANTED));
	}

	private void assertRepeatedIsTheSame(ReplyFault lost) throws Exception {
		CompletableFuture<Lease> acquiring = this.here.acquireAsync(REQUEST).toCompletableFuture();
		String reply = lost.await(PATIENCE).reply();
		this.proxy.pass();
		Lease lease = acquiring.get();
		assertThat(reply).endsWith(":" + lease.fencingToken() + "\r\n");
		assertThat(SingleTry.of(this.there, ONCE)).isEmpty();
		lease.close();
		assertThat(SingleTry.answer(() -> this.there.acquire(ONCE)).fencingToken()).isGreaterThan(lease.fencingToken());
	}

	@ParameterizedTest
	@EnumSource
	void row10AcquireGivenUpAfterItWasAppliedIsAbandoned(Driver driver) {
		start(driver);
		ReplyFault lost = this.proxy.dropNextReply(GRANTED);
		// Jedis may ask on the thread of the caller first, and then on one of its own.
		this.proxy.dropNextReply(GRANTED);
		assertThatExceptionOfType(LockStoreException.class)
			.isThrownBy(() -> this.here.acquire(REQUEST.waitFor(Duration.ofMillis(500))))
			.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.UNAVAILABLE));
		String command = lost.await(PATIENCE).command();
		this.proxy.pass();
		assertThat(this.there.acquire(REQUEST).isHeld()).isTrue();
		String key = command.split("\r\n", 10)[8];
		int packed = command.indexOf("\r\n", command.indexOf(key) + key.length() + 2) + 2;
		String request = HexFormat.of().formatHex(command.getBytes(StandardCharsets.ISO_8859_1), packed, packed + 16);
		assertThat(ShownLock.of(this.redis.admin(), key).all("last")).as("what is refused when it comes late")
			.anyMatch((line) -> line.startsWith(request + " gone"));
	}

	@ParameterizedTest
	@EnumSource
	void row11ReleaseCutOffAfterItWasAppliedIsASuccessOnce(Driver driver) {
		start(driver);
		Lease lease = this.here.acquire(REQUEST);
		assertReleased(lease, this.proxy.cutNextReply(Exchange.runs("release"), 0));
	}

	@ParameterizedTest
	@EnumSource
	void row11ReleaseUnansweredAfterItWasAppliedIsASuccessOnce(Driver driver) {
		start(driver);
		Lease lease = this.here.acquire(REQUEST);
		assertReleased(lease, this.proxy.dropNextReply(Exchange.runs("release")));
	}

	private void assertReleased(Lease lease, ReplyFault lost) {
		lease.close();
		lost.await(PATIENCE);
		Lease next = SingleTry.answer(() -> this.there.acquire(ONCE));
		assertThat(next.fencingToken()).isGreaterThan(lease.fencingToken());
		this.proxy.pass();
		assertThat(next.isHeld()).isTrue();
		next.close();
		assertThat(this.redis.isLost(KEY)).isFalse();
		await().untilAsserted(() -> assertThat(endings(lease)).isEqualTo(1));
	}

	private long endings(Lease lease) {
		return this.redis.events.stream()
			.filter((event) -> (event instanceof LockEvent.Released released
					&& released.fencingToken() == lease.fencingToken())
					|| (event instanceof LockEvent.ReleaseFailed failed
							&& failed.fencingToken() == lease.fencingToken()))
			.count();
	}

	@Test
	void row11ReleasedLeaseIsNotRenewedAnyMore() {
		start(Driver.LETTUCE);
		Lease lease = this.here.acquire(REQUEST.ttl(TTL));
		Renewal.awaitNext(lease);
		ReplyFault lost = this.proxy.dropNextReply(Exchange.runs("release"));
		lease.close();
		lost.await(PATIENCE);
		this.proxy.pass();
		ReplyFault renewal = this.proxy.cutNextReply(Exchange.runs("renew"), 0);
		await().during(TTL).until(() -> !renewal.hasHappened());
	}

}
