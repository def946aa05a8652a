package io.distributedlock.test.orders;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockStoreException;
import io.distributedlock.test.AutoConfigureTestLocks;
import io.distributedlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static io.distributedlock.test.LockAssertions.assertThatMethod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.willAnswer;

/** The tests of a user; they are on the page docs/testing.md. */
@SpringBootTest
@AutoConfigureTestLocks
class OrderServiceTests {

	@Autowired
	private OrderService orders;

	@Autowired
	private TestLocks locks;

	@MockitoBean
	private OrderService.Carrier carrier;

	@Test
	void shipIsGuardedByTheOrder() {
		assertThatMethod(this.orders, "ship").isGuardedBy("orders", "#id");
	}

	@Test
	void orderThatAnotherInstanceShipsIsNotShippedTwice() {
		try (Lease other = this.locks.hold("orders", "42")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.orders.ship("42"));
		}
		assertThat(this.orders.shipments("42")).isZero();
	}

	@Test
	void shipmentIsRolledBackWhenTheLeaseExpires() {
		willAnswer((call) -> {
			this.locks.expire("orders", "43");
			return null;
		}).given(this.carrier).pickUp("43");
		assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> this.orders.ship("43"));
		assertThat(this.orders.shipments("43")).isZero();
	}

	@Test
	void nothingIsShippedWithoutTheStore() {
		this.locks.makeUnavailable();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.orders.ship("44"));
		this.locks.makeAvailable();
		this.orders.ship("44");
		assertThat(this.orders.shipments("44")).isOne();
	}

}
