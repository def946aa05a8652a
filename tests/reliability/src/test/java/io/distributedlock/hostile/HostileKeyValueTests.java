package io.distributedlock.hostile;

import java.nio.file.Path;
import java.sql.Timestamp;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockKeyException;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/** Keys of guarded methods that are made of whatever the caller passes. */
@ExtendWith(EngineThreads.class)
class HostileKeyValueTests {

	@Test
	void everyKeyWhenPassedAsAnArgumentIsTheKey() {
		HostileApplication.run(Guarded.class, (guarded) -> {
			for (HostileName key : HostileNames.keys()) {
				assertThat(guarded.guarded(key.key())).as("%s", key).containsExactly(key.key());
			}
		});
	}

	static Stream<Arguments> accepted() {
		return Stream.of(argumentSet("int", 1, List.of("1")), argumentSet("long", -1L, List.of("-1")),
				argumentSet("char", 'c', List.of("c")), argumentSet("NaN", Double.NaN, List.of("NaN")),
				argumentSet("boolean", false, List.of("false")), argumentSet("enum", TimeUnit.DAYS, List.of("DAYS")),
				argumentSet("uuid", new UUID(0, 1), List.of("00000000-0000-0000-0000-000000000001")),
				argumentSet("iterable text", Path.of("a", "b"), List.of(Path.of("a", "b").toString())),
				argumentSet("map", Map.of("a", 1), List.of("{a=1}")),
				argumentSet("text that looks like null", "null", List.of("null")),
				argumentSet("duplicates", List.of("b", "a", "b"), List.of("a", "b")),
				argumentSet("duplicates as text", List.of(1, 1L, "1", '1'), List.of("1")),
				argumentSet("set", Set.of("a"), List.of("a")),
				argumentSet("array", new String[] { "b", "a" }, List.of("a", "b")),
				argumentSet("array of arrays", new int[][] { { 3 }, { 1, 2 } }, List.of("1", "2", "3")),
				argumentSet("nested, one of them empty", List.of(List.of("a"), List.of()), List.of("a")),
				argumentSet("optional", Optional.of("a"), List.of("a")),
				argumentSet("optional collection", Optional.of(List.of("b", "a")), List.of("a", "b")),
				argumentSet("optionals", List.of(Optional.of("a"), Optional.of(1)), List.of("1", "a")),
				argumentSet("address", "Jane.Doe@abc.de", List.of("Jane.Doe@abc.de")),
				argumentSet("address of a host", "jane.doe@cafe", List.of("jane.doe@cafe")),
				argumentSet("addresses", "a.B@".repeat(500_000), List.of("a.B@".repeat(500_000))),
				argumentSet("huge", new Text("x".repeat(5_000_000)), List.of("x".repeat(5_000_000))));
	}

	@ParameterizedTest
	@MethodSource("accepted")
	void valueWhenItHasATextIsLockedByIt(Object value, List<String> keys) {
		HostileApplication.run(Guarded.class,
				(guarded) -> assertThat(guarded.guarded(value)).containsExactlyElementsOf(keys));
	}

	static Stream<Arguments> refused() {
		List<Object> itself = new ArrayList<>();
		itself.add("a");
		itself.add(itself);
		Object[] array = { null };
		array[0] = array;
		return Stream.of(argumentSet("null", null, "yields a null key"), argumentSet("empty", "", "yields a blank key"),
				argumentSet("blank", "\u3000\t", "yields a blank key"),
				argumentSet("empty list", List.of(), "yields an empty collection"),
				argumentSet("empty array", new String[0], "yields an empty collection"),
				argumentSet("empty lists", List.of(List.of(), Set.of()), "yields an empty collection"),
				argumentSet("null in a list", Arrays.asList("a", null), "yields a null key"),
				argumentSet("null in an array", new String[] { "a", null }, "yields a null key"),
				argumentSet("blank in a list", List.of("a", " "), "yields a blank key"),
				argumentSet("empty optional", Optional.empty(), "yields a null key"),
				argumentSet("optional number", OptionalInt.of(1), "yields an OptionalInt"),
				argumentSet("empty optional in a list", List.of("a", Optional.empty()), "yields a null key"),
				argumentSet("optional number in a list", List.of("a", OptionalLong.empty()), "yields an OptionalLong"),
				argumentSet("no text", new Object(), "java.lang.Object, which has no toString() of its own"),
				argumentSet("no text in a list", List.of("a", new Object()), "which has no toString() of its own"),
				argumentSet("stream", Stream.of("a"), "which has no toString() of its own"),
				argumentSet("date", new Date(), "java.util.Date, whose text depends on the time zone"),
				argumentSet("time stamp in a list", List.of(new Timestamp(0)), "whose text depends on the time zone"),
				argumentSet("array of dates", new Date[] { new Date() }, "whose text depends on the time zone"),
				argumentSet("calendar", new GregorianCalendar(), "whose text depends on the time zone"),
				argumentSet("bytes", new byte[] { 1, 2 }, "byte[], each element of which would be a key"),
				argumentSet("bytes in an array", new byte[][] { { 1 } }, "each element of which would be a key"),
				argumentSet("code", (Supplier<String>) () -> "a", "which has no toString() of its own"),
				argumentSet("array in a record", new Named(new String[] { "a" }), "the identity of an object in it"),
				argumentSet("object in a map", Map.of("a", new Throwable[0]), "(\"[Ljava.lang.Throwable;@…\")"),
				argumentSet("code in a record", new Coded(() -> "a"), "the identity of an object in it"),
				argumentSet("object in a text", "order-" + new Object(), "(\"java.lang.Object@…\")"),
				argumentSet("null text", new Text(null), "yields a blank key"),
				argumentSet("text that throws", new Throwing(), "failed: no text today"),
				argumentSet("text that throws in a list", List.of("a", new Throwing()), "failed: no text today"),
				argumentSet("list that throws", new ThrowingList(), "failed: no element today"),
				argumentSet("list in itself", itself, "yields collections that are nested too deeply"),
				argumentSet("array in itself", array, "yields collections that are nested too deeply"));
	}

	@ParameterizedTest
	@MethodSource("refused")
	void valueWhenItIsNoKeyIsRefusedAndTheMethodNotRun(Object value, String problem) {
		HostileApplication.runRefused(Guarded.class, (guarded) -> {
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded.guarded(value))
				.withMessageStartingWith("Lock expression \"#value\" of " + Guarded.class.getName() + ".guarded(")
				.withMessageContaining(problem)
				.withMessageEndingWith("; the method was not run");
			assertThat(guarded.calls()).isZero();
		});
	}

	/**
	 * An error of the application is not a key: it reaches the caller, and nothing is
	 * locked.
	 */
	@Test
	void valueWhenItsTextEndsInAnErrorPassesThatError() {
		HostileApplication.runRefused(Guarded.class, (guarded) -> {
			assertThatThrownBy(() -> guarded.guarded(new Endless())).isInstanceOf(StackOverflowError.class);
			assertThat(guarded.calls()).isZero();
		});
	}

	@Test
	void valueWhenItHasTheMostElementsIsOneLockOfAll() {
		List<String> many = numbers(LockRequest.MAX_KEYS);
		HostileApplication.run(Guarded.class,
				(guarded) -> assertThat(guarded.guarded(many)).containsExactlyElementsOf(many));
	}

	/** A list from outside decided the locks taken: none for 65,536 elements. */
	@ParameterizedTest
	@ValueSource(ints = { LockRequest.MAX_KEYS + 1, 65_536, 70_000 })
	void valueWhenItHasTooManyElementsIsRefusedAndTheMethodNotRun(int count) {
		HostileApplication.runRefused(Guarded.class, (guarded) -> {
			assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded.guarded(numbers(count)))
				.withMessageStartingWith("Lock expression \"#value\" of " + Guarded.class.getName() + ".guarded(")
				.withMessageContainingAll("yields too many keys", "1000 keys (LockRequest.MAX_KEYS)", "has " + count)
				.withMessageEndingWith("; the method was not run");
			assertThat(guarded.calls()).isZero();
		});
	}

	@Test
	void severalKeysWhenTheyAreTooManyTogetherAreRefused() {
		List<String> numbers = numbers(LockRequest.MAX_KEYS);
		HostileApplication.runRefused(Several.class,
				(several) -> assertThatExceptionOfType(LockKeyException.class)
					.isThrownBy(() -> several.guarded(numbers, "a"))
					.withMessageContainingAll("\"#first\", \"#second\"", "yields too many keys"));
	}

	private static List<String> numbers(int count) {
		return IntStream.range(0, count).mapToObj("%05d"::formatted).toList();
	}

	/** Half of a key is none: the ones before the bad one must not stay locked. */
	@Test
	void severalKeysWhenTheLastOneFailsLeaveNoneLocked() {
		HostileApplication.runRefused(Several.class,
				(several) -> assertThatExceptionOfType(LockKeyException.class)
					.isThrownBy(() -> several.guarded("a", null))
					.withMessageContaining("\"#second\"")
					.withMessageContaining("yields a null key"));
	}

	@Test
	void conditionWhenItsValueIsNoDecisionIsRefused() {
		for (Object value : Arrays.asList(null, "", "true", 1, List.of(true), new Throwing())) {
			HostileApplication.runRefused(Conditional.class, (conditional) -> {
				assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> conditional.guarded(value))
					.withMessageContaining("\"#value\" of " + Conditional.class.getName() + ".guarded(")
					.withMessageContaining("must be true or false");
				assertThat(conditional.calls()).isZero();
			});
		}
	}

	static class Guarded {

		private final AtomicInteger calls = new AtomicInteger();

		@DistributedLock(name = "v", key = "#value")
		public List<String> guarded(Object value) {
			this.calls.incrementAndGet();
			return Lease.current().map(Lease::keys).orElse(Collections.emptyList());
		}

		public int calls() {
			return this.calls.get();
		}

	}

	static class Several {

		@DistributedLock(name = "v", key = { "#first", "#second" })
		public void guarded(Object first, Object second) {
			throw new AssertionError("not locked");
		}

	}

	static class Conditional {

		private final AtomicInteger calls = new AtomicInteger();

		@DistributedLock(key = "'a'", condition = "#value")
		public void guarded(Object value) {
			this.calls.incrementAndGet();
		}

		public int calls() {
			return this.calls.get();
		}

	}

	record Text(String text) {

		@Override
		public String toString() {
			return this.text;
		}

	}

	record Named(String[] names) {
	}

	record Coded(Supplier<String> code) {
	}

	static class Throwing {

		@Override
		public String toString() {
			throw new IllegalStateException("no text today");
		}

	}

	static class Endless {

		@Override
		public String toString() {
			return "endless " + this;
		}

	}

	static class ThrowingList extends AbstractList<String> {

		@Override
		public String get(int index) {
			throw new IllegalStateException("no element today");
		}

		@Override
		public int size() {
			return 1;
		}

	}

}
