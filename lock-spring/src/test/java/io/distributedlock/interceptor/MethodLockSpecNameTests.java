package io.distributedlock.interceptor;

import io.distributedlock.Lease;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.distributedlock.interceptor.MethodLockSpecInvalidTests.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;

/** Names that look like expressions, which a name is not. */
class MethodLockSpecNameTests {

	/** Each of them was one lock for all calls. */
	@ParameterizedTest
	@ValueSource(classes = { NameOfParameter.class, NameWithParameter.class, NameOfType.class, NameOfBean.class,
			NameOfTemplate.class })
	void nameWhenItLooksLikeAnExpressionIsRefused(Class<?> bean) {
		assertRefused(bean, "looks like an expression, but a name is a literal", "Write the expression as the key");
	}

	@Test
	void nameWhenItOnlyHasTheSignsOfAnExpressionIsAccepted() {
		try (GuardedContext context = GuardedContext.of(OddNames.class)) {
			assertThat(context.bean(OddNames.class).names(1)).isEqualTo("team#blue");
			assertThat(context.bean(OddNames.class).scope(1)).isEqualTo("@shop/T(1)#1");
		}
	}

	static class NameOfParameter {

		@DistributedLock(name = "#ordr.id")
		public void guarded(String order) {
		}

	}

	static class NameWithParameter {

		@DistributedLock(name = "orders-#order", key = "'all'")
		public void guarded(String order) {
		}

	}

	static class NameOfType {

		@DistributedLock(name = "T(java.time.LocalDate).now()")
		public void guarded() {
		}

	}

	static class NameOfBean {

		@DistributedLock(name = "@tenant.name()")
		public void guarded() {
		}

	}

	static class NameOfTemplate {

		@DistributedLock(name = "orders-#{systemProperties['region']}")
		public void guarded() {
		}

	}

	static class OddNames {

		@DistributedLock(name = "team#blue")
		public String names(int id) {
			return Lease.current().orElseThrow().name();
		}

		@DistributedLock(name = "@shop/T(1)#1")
		public String scope(int id) {
			return Lease.current().orElseThrow().name();
		}

	}

}
