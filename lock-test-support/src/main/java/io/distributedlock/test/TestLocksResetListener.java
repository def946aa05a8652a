package io.distributedlock.test;

import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Resets the locks after each test method. Registered in {@code spring.factories}. */
final class TestLocksResetListener implements TestExecutionListener {

	@Override
	public void afterTestMethod(TestContext test) {
		if (test.hasApplicationContext()) {
			test.getApplicationContext().getBeanProvider(TestLocks.class).ifAvailable(TestLocks::reset);
		}
	}

}
