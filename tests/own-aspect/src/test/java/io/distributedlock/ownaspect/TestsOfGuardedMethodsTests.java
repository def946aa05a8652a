package io.distributedlock.ownaspect;

import java.util.concurrent.TimeUnit;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.test.AutoConfigureTestLocks;
import io.distributedlock.test.ConcurrentCalls;
import io.distributedlock.test.TestLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.dao.EmptyResultDataAccessException;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Traps in tests of guarded methods. A test in a transaction runs on the thread on which
 * Spring has begun it.
 */
@SpringBootTest(classes = { ShopApplication.class, NightlyJob.class, Payments.class },
		webEnvironment = WebEnvironment.NONE)
@AutoConfigureTestLocks
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = ThreadMode.SAME_THREAD)
class TestsOfGuardedMethodsTests {

	private static final int CALLERS = 100;

	@Autowired
	private Till till;

	@Autowired
	private NightlyJob job;

	@Autowired
	private Payments payments;

	@Autowired
	private TestLocks locks;

	@Test
	void hundredCallersAtOnceLoseNoSale() {
		this.till.restock("toy", CALLERS);
		ConcurrentCalls<Void> calls = ConcurrentCalls.run(CALLERS, () -> this.till.sell("toy"));
		assertThat(calls.failures()).isEmpty();
		assertThat(this.till.quantity("toy")).isZero();
	}

	@Test
	@Transactional
	void callersOfATestInATransactionDoNotSeeItsRows() {
		this.till.restock("doll", CALLERS);
		ConcurrentCalls<Void> calls = ConcurrentCalls.run(CALLERS, () -> this.till.sell("doll"));
		assertThat(calls.failures()).hasSize(CALLERS).hasOnlyElementsOfType(EmptyResultDataAccessException.class);
	}

	@Test
	@Transactional
	void callersOfATestInATransactionFindItsLocksBusy() {
		this.payments.pay("1");
		assertThat(ConcurrentCalls.run(1, () -> this.payments.pay("1")).failures()).hasSize(1)
			.hasOnlyElementsOfType(LockNotAcquiredException.class);
	}

	@Test
	void jobWhenKeptIsSkippedUntilTheLocksAreReset() {
		this.job.run();
		this.job.run();
		assertThat(this.job.runs()).isOne();
		this.locks.reset();
		this.job.run();
		assertThat(this.job.runs()).isEqualTo(2);
	}

}
