package io.distributedlock.ownaspect;

import io.distributedlock.Lease;
import io.distributedlock.LockKeyException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.test.AutoConfigureTestLocks;
import io.distributedlock.test.TestLocks;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Validator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.validation.beanvalidation.MethodValidationPostProcessor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** While the lock is busy, the advice that comes first is the one that refuses a call. */
@SpringBootTest(classes = { AdviceOrderTests.Application.class, Payments.class }, webEnvironment = WebEnvironment.NONE)
@AutoConfigureTestLocks
class AdviceOrderTests {

	private static final String INVALID = "12345";

	@Autowired
	private Payments payments;

	@Autowired
	private TestLocks locks;

	@AfterEach
	void logout() {
		SecurityContextHolder.clearContext();
	}

	private static void login(String role) {
		SecurityContextHolder.getContext().setAuthentication(new TestingAuthenticationToken("user", "secret", role));
	}

	@Test
	void roleWhenTheCallerLacksItIsMissedBeforeTheLock() {
		login("ROLE_CLERK");
		try (Lease other = this.locks.hold("payments", "1")) {
			assertThat(other.isHeld()).isTrue();
			assertThatExceptionOfType(AccessDeniedException.class).isThrownBy(() -> this.payments.refund("1"));
		}
	}

	@Test
	void roleWhenTheCallerHasItLeavesTheLockToDecide() {
		login("ROLE_CASHIER");
		try (Lease other = this.locks.hold("payments", "1")) {
			assertThat(other.isHeld()).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.payments.refund("1"));
		}
		assertThat(this.payments.refund("1")).isEqualTo("refunded 1");
	}

	@Test
	void validationByDefaultComesAfterTheLock() {
		try (Lease other = this.locks.hold("payments", INVALID)) {
			assertThat(other.isHeld()).isTrue();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.payments.pay(INVALID));
		}
		assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> this.payments.pay(INVALID));
	}

	@Test
	void keyWhenItsArgumentIsInvalidFailsFirst() {
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> this.payments.pay(" "));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	@EnableMethodSecurity
	static class Application {

	}

	/** The remedy of the page. */
	@Nested
	@SpringBootTest(classes = { Application.class, Payments.class, ValidationFirst.class },
			webEnvironment = WebEnvironment.NONE)
	class ValidatedFirst {

		@Test
		void validationWhenBeforeOtherAdviceComesBeforeTheLock(@Autowired Payments payments,
				@Autowired TestLocks locks) {
			try (Lease other = locks.hold("payments", INVALID)) {
				assertThat(other.isHeld()).isTrue();
				assertThatExceptionOfType(ConstraintViolationException.class).isThrownBy(() -> payments.pay(INVALID));
			}
			assertThat(payments.pay("1")).isEqualTo("paid 1");
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class ValidationFirst {

		@Bean
		static MethodValidationPostProcessor methodValidationPostProcessor(ObjectProvider<Validator> validator) {
			MethodValidationPostProcessor processor = new MethodValidationPostProcessor();
			processor.setValidatorProvider(validator);
			processor.setBeforeExistingAdvisors(true);
			return processor;
		}

	}

}
