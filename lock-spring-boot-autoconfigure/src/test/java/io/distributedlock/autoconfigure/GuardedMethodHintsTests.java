package io.distributedlock.autoconfigure;

import java.util.List;

import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/** A native image had no getters that only keys of locks read. */
class GuardedMethodHintsTests {

	@Test
	void hintsWhenAMethodIsGuardedCoverWhatItsKeysRead() {
		RuntimeHints hints = hints(Shop.class);
		assertThat(HintPredicates.onMethodInvocation(Order.class, "getCustomer")).accepts(hints);
		assertThat(HintPredicates.onMethodInvocation(Customer.class, "id")).accepts(hints);
		assertThat(HintPredicates.onMethodInvocation(Position.class, "item")).accepts(hints);
		assertThat(HintPredicates.onMethodInvocation(String.class, "strip")).accepts(hints);
		assertThat(HintPredicates.onMethodInvocation(Shop.class, "getRegion")).accepts(hints);
	}

	/** Texts of keys are made of them. */
	@Test
	void hintsWhenAMethodIsGuardedCoverTheFieldsOfArguments() {
		RuntimeHints hints = hints(Shop.class);
		assertThat(HintPredicates.onFieldAccess(Order.class, "customer")).accepts(hints);
		assertThat(HintPredicates.onFieldAccess(Customer.class, "id")).accepts(hints);
		assertThat(HintPredicates.onFieldAccess(Position.class, "item")).accepts(hints);
	}

	@Test
	void hintsWhenAMethodHasAFallbackCoverIt() {
		assertThat(HintPredicates.onMethodInvocation(Shop.class, "later")).accepts(hints(Shop.class));
	}

	/** The image had no hint for a fallback in Kotlin that is internal. */
	@Test
	void hintsWhenTheCompilerHasExtendedTheNameOfAFallbackCoverIt() {
		assertThat(HintPredicates.onMethodInvocation(Shop.class, "wait$shop_main")).accepts(hints(Shop.class));
	}

	@Test
	void hintsWhenNoMethodIsGuardedAreNone() {
		assertThat(contribution(Customer.class)).isNull();
	}

	@Test
	void processorWhenAnImageIsBuiltIsFound() {
		assertThat(AotServices.factories().load(BeanRegistrationAotProcessor.class))
			.hasAtLeastOneElementOfType(GuardedMethodHints.class);
	}

	private static RuntimeHints hints(Class<?> type) {
		RuntimeHints hints = new RuntimeHints();
		GenerationContext context = mock(GenerationContext.class);
		given(context.getRuntimeHints()).willReturn(hints);
		contribution(type).applyTo(context, mock(BeanRegistrationCode.class));
		return hints;
	}

	private static BeanRegistrationAotContribution contribution(Class<?> type) {
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerBeanDefinition("bean", new RootBeanDefinition(type));
		return new GuardedMethodHints().processAheadOfTime(RegisteredBean.of(beans, "bean"));
	}

	static class Shop {

		@DistributedLock(key = "#root.target.region + #order.customer.id", fallback = "later")
		public void ship(Order order) {
		}

		@DistributedLock(key = "#cart.![item]", fallback = "wait")
		public void reserve(List<Position> cart) {
		}

		void wait$shop_main(List<Position> cart) {
		}

		@DistributedLock("#name.strip()")
		public void rename(String name) {
		}

		public String getRegion() {
			return "eu";
		}

		private void later(Order order) {
		}

	}

	static class Order {

		private final Customer customer;

		Order(Customer customer) {
			this.customer = customer;
		}

		public Customer getCustomer() {
			return this.customer;
		}

	}

	record Customer(String id) {
	}

	record Position(String item) {
	}

}
