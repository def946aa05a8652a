package io.distributedlock.ownaspect;

import java.net.http.HttpResponse;

import io.distributedlock.Lease;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.test.AutoConfigureTestLocks;
import io.distributedlock.test.TestLocks;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.test.annotation.DirtiesContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The response for a busy lock with the recipe of the page. */
@SpringBootTest(classes = { ShopApplication.class, PaymentController.class, LockProblems.class },
		webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureTestLocks
class LockProblemsTests {

	@Autowired
	private Environment environment;

	@Autowired
	private TestLocks locks;

	private HttpResponse<String> pay() {
		return Http.post(this.environment, "/payments").join();
	}

	@Test
	void responseWhenTheLockIsBusyIsAConflictAndNamesNoHolder() {
		try (Lease other = this.locks.hold("payments", "1")) {
			assertThat(other.isHeld()).isTrue();
			HttpResponse<String> response = pay();
			assertThat(response.statusCode()).isEqualTo(409);
			assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
			assertThat(response.headers().firstValue("Retry-After")).hasValue("1");
			assertThat(response.body()).contains("Another request works on this").doesNotContain("held by");
		}
		assertThat(pay().statusCode()).isEqualTo(200);
	}

	@Test
	void responseWhenTheStoreIsAwayIsUnavailable() {
		this.locks.makeUnavailable();
		assertThat(pay().statusCode()).isEqualTo(503);
	}

	@Test
	@DirtiesContext
	void responseWhenTheApplicationShutsDownIsUnavailable(@Autowired DefaultLockRegistry registry) {
		registry.close();
		assertThat(pay().statusCode()).isEqualTo(503);
	}

}
