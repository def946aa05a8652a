package io.distributedlock.engine;

import io.distributedlock.LockTemplate;
import io.distributedlock.engine.internal.line.Waiter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class LocalLocksTests {

	/** A guard was the place of its caller, as were other packages of this library. */
	@ParameterizedTest
	@ValueSource(strings = { "io.distributedlock.guard.sql.SqlFencingGuard",
			"io.distributedlock.transaction.LockTransactions", "java.lang.Thread",
			"org.springframework.aop.framework.CglibAopProxy", "com.example.Shipping$$SpringCGLIB$$0" })
	void frameOfALibraryIsNoPlace(String type) {
		assertThat(LocalLocks.isOfTheApplication(type)).isFalse();
	}

	@Test
	void frameOfThisLibraryIsNoPlace() {
		assertThat(LocalLocks.isOfTheApplication(LockTemplate.class.getName())).isFalse();
		assertThat(LocalLocks.isOfTheApplication(Waiter.class.getName())).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "com.example.Shipping", "com.example.Shipping$Order", "io.distributedlocks.Shipping",
			"javafx.Shipping", "Shipping" })
	void frameOfTheApplicationIsAPlace(String type) {
		assertThat(LocalLocks.isOfTheApplication(type)).isTrue();
	}

}
