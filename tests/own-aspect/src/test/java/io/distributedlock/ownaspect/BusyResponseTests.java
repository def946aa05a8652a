package io.distributedlock.ownaspect;

import io.distributedlock.Lease;
import io.distributedlock.test.AutoConfigureTestLocks;
import io.distributedlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.env.Environment;

import static org.assertj.core.api.Assertions.assertThat;

/** The response for a busy lock, if the application does nothing about it. */
@SpringBootTest(classes = { ShopApplication.class, PaymentController.class },
		webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureTestLocks
class BusyResponseTests {

	@Autowired
	private Environment environment;

	@Autowired
	private TestLocks locks;

	@Test
	void responseWhenTheLockIsBusyIsAnErrorOfTheServer() {
		try (Lease other = this.locks.hold("payments", "1")) {
			assertThat(other.isHeld()).isTrue();
			assertThat(Http.post(this.environment, "/payments").join().statusCode()).isEqualTo(500);
		}
		assertThat(Http.post(this.environment, "/payments").join().statusCode()).isEqualTo(200);
	}

	@Test
	void responseWhenTheStoreIsAwayIsAnErrorOfTheServer() {
		this.locks.makeUnavailable();
		assertThat(Http.post(this.environment, "/payments").join().statusCode()).isEqualTo(500);
	}

}
