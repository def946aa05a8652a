package io.distributedlock.ownaspect;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.test.AutoConfigureTestLocks;
import io.distributedlock.test.TestLocks;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Calls of a guarded method from within its object, while another instance holds it. */
@SpringBootTest(classes = { ShopApplication.class, Report.class }, webEnvironment = WebEnvironment.NONE)
@AutoConfigureTestLocks
class SelfInvocationTests {

	@Autowired
	private Report report;

	@Autowired
	private TestLocks locks;

	@BeforeEach
	void hold() {
		Lease other = this.locks.hold("report", "daily");
		assertThat(other.isHeld()).isTrue();
	}

	@Test
	void methodWhenCalledByThisRunsWithoutItsLock() {
		assertThat(this.report.writeByThis()).isEqualTo("written");
	}

	@Test
	void methodWhenCalledThroughTheBeanHasItsLock() {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.report::writeByTheBean);
	}

	@Test
	void methodWhenInATemplateHasItsLock() {
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.report::writeByATemplate);
	}

}
