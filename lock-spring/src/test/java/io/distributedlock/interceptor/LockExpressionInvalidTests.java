package io.distributedlock.interceptor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockKeyException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.interceptor.internal.InvalidAttributeException;
import io.distributedlock.interceptor.internal.LockExpressionParser;
import io.distributedlock.interceptor.internal.MethodParameters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;

import static io.distributedlock.interceptor.MethodLockSpecInvalidTests.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Keys and conditions that cannot work, whatever the arguments of a call are.
 */
class LockExpressionInvalidTests {

	@Test
	void keyWhenUnquotedLiteralHintsAtQuotes() {
		assertRefused(Unquoted.class, "'orders' is neither quoted nor a parameter", "quote it: \"'orders'\"");
	}

	@Test
	void keyWhenUnparsableHintsAtQuotes() {
		assertRefused(Unparsable.class, "cannot be parsed", "quote it: \"'order:42'\"");
	}

	@Test
	void keyWhenParameterUnknownNamesThoseThatExist() {
		assertRefused(UnknownParameter.class, "there is no parameter #ordr",
				"Refer to a parameter as one of [#order, #p0, #a0]");
	}

	@Test
	void keyWhenEmptyIsRefused() {
		assertRefused(EmptyKey.class, "empty lock expression", "leave the key out");
	}

	@Test
	void conditionWhenParameterUnknownIsRefused() {
		assertRefused(UnknownInCondition.class, "there is no parameter #vip",
				"Refer to a parameter as one of [#order, #p0, #a0]");
	}

	@Test
	void keyWhenParameterLacksItsSignHintsAtThatAlone() {
		assertRefused(WithoutSign.class, "'id' is neither quoted nor a parameter",
				"Refer to a parameter as one of [#id,");
	}

	/** Quoted as a whole it would be one lock for all calls. */
	@ParameterizedTest
	@ValueSource(classes = { OpenEnd.class, Template.class, Braces.class })
	void keyWhenMoreThanALiteralIsNotToBeQuotedAsAWhole(Class<?> bean) {
		assertRefused(bean, "its lock expression", "Refer to a parameter as one of [#a, #p0, #a0]; "
				+ "quote only what is literal, and join with +, as in \"'order:' + #p0\".");
	}

	/** A key that is refused by its value is refused before the method runs. */
	@ParameterizedTest
	@MethodSource("calls")
	void callWhenTheValueCannotBeAKeyIsRefused(Class<?> bean, String problem, Object[] arguments) throws Exception {
		try (GuardedContext context = GuardedContext.of(bean)) {
			Method guarded = Arrays.stream(bean.getDeclaredMethods())
				.filter((method) -> method.getName().equals("guarded"))
				.findFirst()
				.orElseThrow();
			assertThatExceptionOfType(InvocationTargetException.class)
				.isThrownBy(() -> guarded.invoke(context.bean(bean), arguments))
				.satisfies((ex) -> assertThat(ex.getCause()).isInstanceOf(LockKeyException.class)
					.hasMessageContaining(bean.getTypeName() + ".guarded(")
					.hasMessageContaining(problem)
					.hasMessageContaining("the method was not run"));
		}
	}

	static Stream<Arguments> calls() {
		String zone = "whose text depends on the time zone: use its toInstant()";
		Date day = new Date(7);
		return Stream.of(call(NullKey.class, "yields a null key"), call(BlankKey.class, "yields a blank key"),
				call(UnknownBean.class, "trying to resolve bean 'missing'"), call(UnknownFunction.class, "'key'", "7"),
				call(Assigning.class, "not assignable", "7"),
				call(UnknownProperty.class, "Property or field 'idd' cannot be found", new Order("7")),
				call(DateKey.class, zone, day), call(JoinedDate.class, zone, new java.sql.Date(7)),
				call(ListedDate.class, zone, "x", day),
				call(CalendarProperty.class, zone, new CalendarProperty.Booking(Calendar.getInstance())),
				call(Dates.class, zone, (Object) new Date[] { day }),
				call(Bytes.class, "byte[], each element of which would be a key", (Object) new byte[] { 1 }),
				call(Code.class, "which has no toString() of its own", (Supplier<String>) () -> "x"),
				call(NoText.class, "NoText$Id, which has no toString() of its own", new NoText.Id()),
				call(LiteralCondition.class, "must be true or false"),
				call(JoinedCondition.class, "must be true or false", "x"),
				call(TextCondition.class, "must be true or false", "x"),
				call(PropertyCondition.class, "must be true or false", new Order("7")));
	}

	private static Arguments call(Class<?> bean, String problem, Object... arguments) {
		return Arguments.of(bean, problem, arguments);
	}

	@Test
	void keyWhenItIsThatOfADateIsAccepted() {
		try (GuardedContext context = GuardedContext.of(TimeOfDate.class)) {
			assertThat(context.bean(TimeOfDate.class).guarded(new Date(7), new byte[] { 1, 2 }))
				.containsExactly("1,2-7", "1970-01-01T00:00:00.007Z");
		}
	}

	/**
	 * The text of a date was accepted as part of a key if only its value showed that it
	 * was a date.
	 */
	@Test
	void keyWhenADateIsJoinedThatOnlyTheValueTellsIsRefused() {
		try (GuardedContext context = GuardedContext.of(JoinedObject.class)) {
			JoinedObject bean = context.bean(JoinedObject.class);
			assertThat(bean.guarded("x", false)).containsExactly("day:x");
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> bean.guarded(new Date(7), false))
				.withMessageContaining("yields a java.util.Date, whose text depends");
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> bean.guarded(new NoText.Id(), false))
				.withMessageContaining("which has no toString() of its own");
			assertThat(bean.guarded(new Date(7), true)).as("only a condition").isEmpty();
		}
	}

	@Test
	void keyWhenPropertyMayBeThatOfASubclassIsAccepted() {
		try (GuardedContext context = GuardedContext.of(PropertyOfSubclass.class)) {
			assertThat(context.bean(PropertyOfSubclass.class).guarded(List.of())).isTrue();
		}
	}

	@Test
	void conditionWhenUnparsableNamesTheParameters() {
		assertRefused(OpenCondition.class, "cannot be parsed", "Refer to a parameter as one of [#amount,");
	}

	@Test
	void keyWhenClassWasCompiledWithoutNamesSaysHowToCompileIt() throws NoSuchMethodException {
		Method method = List.class.getMethod("remove", int.class);
		LockExpressionParser parser = new LockExpressionParser(new StaticListableBeanFactory(), null);
		assertThatExceptionOfType(InvalidAttributeException.class)
			.isThrownBy(() -> parser.parse("#index", new MethodParameters(List.class, method, List.of(method))))
			.withMessageContaining("compiled without parameter names (-parameters)")
			.satisfies((ex) -> assertThat(ex.getRemedy()).startsWith("Compile with parameter names").contains("#p0"));
	}

	static class NullKey {

		@DistributedLock("null")
		public void guarded() {
		}

	}

	static class BlankKey {

		@DistributedLock("' '")
		public void guarded() {
		}

	}

	static class WithoutSign {

		@DistributedLock("'order:' + id")
		public void guarded(String id) {
		}

	}

	static class OpenEnd {

		@DistributedLock("#a +")
		public void guarded(String a) {
		}

	}

	static class Template {

		@DistributedLock("order-#{#a}")
		public void guarded(String a) {
		}

	}

	static class Braces {

		@DistributedLock("order-{#a}")
		public void guarded(String a) {
		}

	}

	static class UnknownProperty {

		@DistributedLock("#order.idd")
		public void guarded(Order order) {
		}

	}

	static class PropertyOfSubclass {

		@DistributedLock(key = "#order.first", condition = "#order.size() > 0")
		public boolean guarded(Object order) {
			return true;
		}

	}

	static class OpenCondition {

		@DistributedLock(condition = "#amount >")
		public void guarded(int amount) {
		}

	}

	static class LiteralCondition {

		@DistributedLock(condition = "'abc'")
		public void guarded() {
		}

	}

	static class JoinedCondition {

		@DistributedLock(condition = "'a' + #p0")
		public void guarded(String order) {
		}

	}

	static class TextCondition {

		@DistributedLock(condition = "#order")
		public void guarded(String order) {
		}

	}

	static class PropertyCondition {

		@DistributedLock(condition = "#order.id")
		public void guarded(Order order) {
		}

	}

	record Order(String id) {
	}

	static class Unquoted {

		@DistributedLock("orders")
		public void guarded() {
		}

	}

	static class Unparsable {

		@DistributedLock("order:42")
		public void guarded() {
		}

	}

	static class UnknownParameter {

		@DistributedLock("#ordr.id")
		public void guarded(String order) {
		}

	}

	static class EmptyKey {

		@DistributedLock("")
		public void guarded() {
		}

	}

	static class UnknownBean {

		@DistributedLock("@missing.key()")
		public void guarded() {
		}

	}

	static class UnknownFunction {

		@DistributedLock("#key(#p0)")
		public void guarded(String order) {
		}

	}

	static class Assigning {

		@DistributedLock("#order = '8'")
		public void guarded(String order) {
		}

	}

	static class UnknownInCondition {

		@DistributedLock(condition = "#vip")
		public void guarded(String order) {
		}

	}

	static class DateKey {

		@DistributedLock("#day")
		public void guarded(Date day) {
		}

	}

	static class JoinedDate {

		@DistributedLock("'day:' + #day")
		public void guarded(java.sql.Date day) {
		}

	}

	static class ListedDate {

		@DistributedLock("{#id, #day}")
		public void guarded(String id, Date day) {
		}

	}

	static class CalendarProperty {

		@DistributedLock("#booking.day")
		public void guarded(Booking booking) {
		}

		record Booking(Calendar day) {

			public Calendar getDay() {
				return this.day;
			}

		}

	}

	static class Dates {

		@DistributedLock("#days")
		public void guarded(Date[] days) {
		}

	}

	static class Bytes {

		@DistributedLock("#digest")
		public void guarded(byte[] digest) {
		}

	}

	static class Code {

		@DistributedLock("#id")
		public void guarded(Supplier<String> id) {
		}

	}

	static class NoText {

		@DistributedLock("#id")
		public void guarded(Id id) {
		}

		static final class Id {

		}

	}

	static class JoinedObject {

		@DistributedLock(key = "'day:' + #day", condition = "!#free || ('' + #day).isEmpty()")
		public Collection<String> guarded(Object day, boolean free) {
			return Lease.current().map(Lease::keys).orElse(List.of());
		}

	}

	static class TimeOfDate {

		@DistributedLock({ "#digest + '-' + #day.time", "#day.toInstant()" })
		public Collection<String> guarded(Date day, byte[] digest) {
			return Lease.current().orElseThrow().keys();
		}

	}

}
