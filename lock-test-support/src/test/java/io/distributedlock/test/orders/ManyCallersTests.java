package io.distributedlock.test.orders;

import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.test.AutoConfigureTestLocks;
import io.distributedlock.test.ConcurrentCalls;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.willAnswer;

/** A test of a user with many callers; it is on the page docs/testing.md. */
@SpringBootTest
@AutoConfigureTestLocks
class ManyCallersTests {

	@Autowired
	private OrderService orders;

	@MockitoBean
	private OrderService.Carrier carrier;

	@Test
	void hundredCallersShipOneAtATime() {
		AtomicInteger inside = new AtomicInteger();
		willAnswer((call) -> {
			assertThat(inside.incrementAndGet()).isOne();
			inside.decrementAndGet();
			return null;
		}).given(this.carrier).pickUp("45");
		ConcurrentCalls<Void> calls = ConcurrentCalls.run(100, () -> this.orders.ship("45"));
		assertThat(calls.failures()).allMatch(LockNotAcquiredException.class::isInstance);
		assertThat(calls.results()).isNotEmpty().hasSize(this.orders.shipments("45"));
	}

}
