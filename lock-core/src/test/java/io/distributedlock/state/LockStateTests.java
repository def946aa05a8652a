package io.distributedlock.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.AcquireOutcome.Refused;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.distributedlock.LockMode.EXCLUSIVE;
import static io.distributedlock.LockMode.FAIR;
import static io.distributedlock.LockMode.READ;
import static io.distributedlock.LockMode.SEMAPHORE;
import static org.assertj.core.api.Assertions.assertThat;

/** The state that a lock remembers, for how long, and the cost of many who share it. */
class LockStateTests {

	private static final LockKey KEY = new LockKey("", "k");

	private static final Duration TTL = Duration.ofSeconds(10);

	private static final Duration RETENTION = Duration.ofSeconds(60);

	/** A crowd in which a look at each member by each member would take minutes. */
	private static final int CROWD = 50_000;

	private final LockTable table = new LockTable(RETENTION);

	private long micros = 1_700_000_000_000_000L;

	private AcquireOutcome acquire(LockMode mode, RequestId request, Duration waiting) {
		return this.table.acquire(this.micros, new AcquireCommand(List.of(KEY), request, mode,
				(mode == SEMAPHORE) ? CROWD : 0, null, TTL, Duration.ZERO, waiting, 0, false));
	}

	private boolean release(RequestId request) {
		return this.table.release(this.micros, new ReleaseCommand(KEY, request)) == Ownership.HELD;
	}

	private void pass(Duration time) {
		this.micros += time.toNanos() / 1000;
	}

	private static RequestId request(int number) {
		return RequestId.of(7, number & RequestId.LAST_PLACE, number, 0);
	}

	private LockState state() {
		return this.table.lock(KEY, this.micros / 1000);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void requestThatHasEndedIsForgottenAfterTheRetention(LockMode mode) {
		for (int i = 0; i < 1000; i++) {
			assertThat(acquire(mode, request(i), Duration.ZERO)).isInstanceOf(Granted.class);
			assertThat(release(request(i))).isTrue();
		}
		assertThat(acquire(mode, request(0), Duration.ZERO)).isInstanceOf(Refused.class);
		for (int i = 0; i < 14; i++) {
			pass(TTL);
			acquire(mode, request(2000 + i), Duration.ZERO);
			release(request(2000 + i));
		}
		assertThat(state().registers.all()).hasSizeLessThan(15);
	}

	@Test
	void contenderHasOneRegisterHoweverManyRequestsItMakes() {
		for (int i = 0; i < 1000; i++) {
			RequestId request = RequestId.of(i % 3, 0, i, 0);
			acquire(EXCLUSIVE, request, Duration.ZERO);
			release(request);
		}
		assertThat(state().registers.all()).hasSize(2);
	}

	/** The script leaves the token of a lock with readers or permits as it is, too. */
	@ParameterizedTest
	@EnumSource(names = { "READ", "SEMAPHORE" })
	void setThatIsAcquiredAgainLeavesTheTokenOfALockThatIsShared(LockMode mode) {
		List<LockKey> set = List.of(KEY, new LockKey("", "other"));
		AcquireCommand command = new AcquireCommand(set, request(1), mode, (mode == SEMAPHORE) ? CROWD : 0, null, TTL,
				Duration.ZERO, Duration.ZERO, 0, false);
		Granted first = (Granted) this.table.acquire(this.micros, command);
		long raised = first.token() + 500_000;
		this.table.raise(this.micros, new RaiseCommand(set.subList(0, 1), request(1), raised));
		assertThat(this.table.acquire(this.micros, command)).isEqualTo(new Granted(raised));
		assertThat(set).extracting((key) -> this.table.lock(key, this.micros / 1000).token)
			.containsExactly(raised, first.token());
	}

	@Test
	void readerThatComesWhenAWriterHasExpiredEndsIt() {
		acquire(EXCLUSIVE, request(1), Duration.ZERO);
		pass(TTL);
		RequestId reader = request(2);
		acquire(READ, reader, Duration.ZERO);
		release(reader);
		assertThat(release(request(1))).as("the reader has had it").isFalse();
	}

	@Test
	void leaseThatSeemsLongBecauseTheClockWentBackIsOverInItsTime() {
		acquire(READ, request(1), Duration.ZERO);
		pass(Duration.ofHours(-1));
		assertThat(acquire(EXCLUSIVE, request(2), Duration.ZERO)).isInstanceOf(Busy.class);
		pass(TTL);
		assertThat(acquire(EXCLUSIVE, request(3), Duration.ZERO)).isInstanceOf(Granted.class);
		assertThat(release(request(1))).isFalse();
	}

	@Test
	@Timeout(20)
	void fairWaitersAreServedInTurnHoweverManyThereAre() {
		acquire(FAIR, request(0), Duration.ZERO);
		for (int i = 1; i <= CROWD; i++) {
			acquire(FAIR, request(i), TTL);
		}
		for (int i = 0; i < CROWD; i++) {
			assertThat(release(request(i))).isTrue();
			assertThat(this.table.takeWakeUps()).extracting(WakeUp::request).containsExactly(request(i + 1));
			assertThat(acquire(FAIR, request(i + 1), TTL)).isInstanceOf(Granted.class);
		}
	}

	@Test
	@Timeout(20)
	void readersLeaveWhileAWriterWaitsHoweverManyThereAre() {
		List<RequestId> readers = new ArrayList<>();
		for (int i = 1; i <= CROWD; i++) {
			readers.add(request(i));
			acquire(READ, request(i), Duration.ZERO);
		}
		acquire(EXCLUSIVE, request(0), TTL);
		readers.forEach((reader) -> assertThat(release(reader)).isTrue());
		assertThat(this.table.takeWakeUps()).hasSize(1);
	}

	@Test
	@Timeout(20)
	void readersThatWaitAreAdmittedAndComeHoweverManyThereAre() {
		acquire(EXCLUSIVE, request(0), Duration.ZERO);
		for (int i = 1; i <= CROWD; i++) {
			acquire(READ, request(i), TTL);
		}
		release(request(0));
		assertThat(this.table.takeWakeUps()).as("each instance once").hasSize(1);
		for (int i = 1; i <= CROWD; i++) {
			assertThat(acquire(READ, request(i), TTL)).isInstanceOf(Granted.class);
		}
	}

	@Test
	@Timeout(20)
	void permitsInAnyNumberAreAcquiredAndReleased() {
		for (int i = 1; i <= CROWD; i++) {
			assertThat(acquire(SEMAPHORE, request(i), TTL)).isInstanceOf(Granted.class);
		}
		assertThat(acquire(SEMAPHORE, request(0), TTL)).isInstanceOf(Busy.class);
		for (int i = 1; i <= CROWD; i++) {
			assertThat(release(request(i))).isTrue();
		}
	}

}
