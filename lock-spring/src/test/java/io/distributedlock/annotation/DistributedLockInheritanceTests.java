package io.distributedlock.annotation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.Lease;
import io.distributedlock.interceptor.GuardedContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;

class DistributedLockInheritanceTests {

	private static String guardedBy() {
		return Lease.current().map((lease) -> lease.name() + lease.keys()).orElse("nothing");
	}

	private static <T> String call(boolean jdkProxies, Class<T> type, Class<? extends T> bean, Call<T> call) {
		GuardedContext context = new GuardedContext();
		try (context) {
			if (jdkProxies) {
				context.jdkProxies();
			}
			return call.on(context.start(bean).bean(type));
		}
	}

	private static <T> String call(Class<T> bean, Call<T> call) {
		return call(false, bean, bean, call);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void interfaceMethodWhenAnnotatedGuardsTheBean(boolean jdkProxies) {
		assertThat(call(jdkProxies, Shop.class, PlainShop.class, (shop) -> shop.buy("7"))).isEqualTo("shop[7]");
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void interfaceWhenAnnotatedGuardsItsMethods(boolean jdkProxies) {
		assertThat(call(jdkProxies, Ledger.class, PlainLedger.class, Ledger::post)).startsWith("ledger[");
	}

	@Test
	void interfaceWhenAnnotatedLeavesOtherMethodsAlone() {
		assertThat(call(PlainLedger.class, PlainLedger::other)).isEqualTo("nothing");
	}

	@Test
	void interfaceMethodWhenFinalInBeanIsGuardedByJdkProxy() {
		assertThat(call(true, Shop.class, FinalShop.class, (shop) -> shop.buy("7"))).isEqualTo("shop[7]");
	}

	@Test
	void methodWhenAnnotatedWinsOverInterfaceAsAWhole() {
		assertThat(call(Shop.class, OwnShop.class)).isEqualTo("[own]");
	}

	private static String call(Class<Shop> type, Class<? extends Shop> bean) {
		return call(false, type, bean, (shop) -> shop.buy("7"));
	}

	@Test
	void classWhenAnnotatedWinsOverInterfaceMethod() {
		assertThat(call(Shop.class, ClassShop.class)).startsWith("class[");
	}

	@Test
	void superclassMethodWhenOverriddenStillGuards() {
		assertThat(call(Overriding.class, Overriding::guarded)).isEqualTo("base[k]");
	}

	@Test
	void superclassWhenAnnotatedGuardsInheritedAndOwnMethods() {
		assertThat(call(Derived.class, Derived::inherited))
			.isEqualTo("all[" + Derived.class.getTypeName() + ".inherited()]");
		assertThat(call(Derived.class, Derived::own)).isEqualTo("all[" + Derived.class.getTypeName() + ".own()]");
	}

	@Test
	void genericMethodWhenBridgedIsGuardedOnce() {
		assertThat(call(StringHandler.class, (handler) -> ((Handler<String>) handler).handle("7")))
			.isEqualTo("handler[7]");
	}

	@Test
	void defaultMethodWhenAnnotatedIsGuarded() {
		assertThat(call(WithDefault.class, WithDefault::guarded)).isEqualTo("default[d]");
	}

	@Test
	void composedAnnotationWhenAttributesRenamedGuards() {
		assertThat(call(Composed.class, (bean) -> bean.guarded("7"))).isEqualTo("orders[7]");
	}

	@Test
	void composedAnnotationWhenNearerThanSuperclassWins() {
		assertThat(call(ComposedOverride.class, ComposedOverride::guarded)).isEqualTo("orders[near]");
	}

	@Test
	void nonPublicMethodWhenAnnotatedIsGuarded() {
		assertThat(call(NonPublic.class, NonPublic::guarded)).isEqualTo("[p]");
	}

	@Test
	void objectMethodsWhenClassAnnotatedAreLeftAlone() {
		assertThat(call(Derived.class, (bean) -> Integer.toString(bean.hashCode()))).isNotEmpty();
	}

	private interface Call<T> {

		String on(T bean);

	}

	interface Shop {

		@DistributedLock(name = "shop", key = "#id")
		String buy(String id);

	}

	static class PlainShop implements Shop {

		@Override
		public String buy(String renamed) {
			return guardedBy();
		}

	}

	static final class FinalShop implements Shop {

		@Override
		public String buy(String id) {
			return guardedBy();
		}

	}

	static class OwnShop implements Shop {

		@Override
		@DistributedLock("'own'")
		public String buy(String id) {
			return guardedBy();
		}

	}

	@DistributedLock(name = "class")
	static class ClassShop implements Shop {

		@Override
		public String buy(String id) {
			return guardedBy();
		}

	}

	@DistributedLock(name = "ledger")
	interface Ledger {

		String post();

	}

	static class PlainLedger implements Ledger {

		@Override
		public String post() {
			return guardedBy();
		}

		public String other() {
			return guardedBy();
		}

	}

	static class Base {

		@DistributedLock(name = "base", key = "'k'")
		public String guarded() {
			return "";
		}

	}

	static class Overriding extends Base {

		@Override
		public String guarded() {
			return guardedBy();
		}

	}

	@DistributedLock(name = "all")
	static class AnnotatedBase {

		public String inherited() {
			return guardedBy();
		}

	}

	static class Derived extends AnnotatedBase {

		public String own() {
			return guardedBy();
		}

	}

	static class Handler<T> {

		@DistributedLock(name = "handler", key = "#value")
		public String handle(T value) {
			return "";
		}

	}

	static class StringHandler extends Handler<String> {

		@Override
		public String handle(String value) {
			return guardedBy();
		}

	}

	interface Defaults {

		@DistributedLock(name = "default", key = "'d'")
		default String guarded() {
			return guardedBy();
		}

	}

	static class WithDefault implements Defaults {

	}

	@DistributedLock(name = "orders")
	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String[] order();

	}

	static class Composed {

		@OrderLock(order = "#id")
		public String guarded(String id) {
			return guardedBy();
		}

	}

	static class ComposedOverride extends Base {

		@Override
		@OrderLock(order = "'near'")
		public String guarded() {
			return guardedBy();
		}

	}

	static class NonPublic {

		@DistributedLock("'p'")
		protected String guarded() {
			return guardedBy();
		}

	}

}
