package io.distributedlock.interceptor.internal;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URL;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Date;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

import io.distributedlock.LockKeyException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * {@link KeyText}: equal values are equal keys, whatever order they have in a process.
 */
class KeyTextTests {

	/**
	 * In whichever order maps and sets of the JDK have these names, some are out of
	 * order.
	 */
	private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");

	static Stream<Arguments> values() {
		return Stream.of(order("map", KeyTextTests::map, "{a=1, b=1, c=1, d=1, e=1}"),
				order("map of sets", (names) -> Map.of("k", set(names)), "{k=[a, b, c, d, e]}"),
				order("map of maps", (names) -> Map.of("k", map(names)), "{k={a=1, b=1, c=1, d=1, e=1}}"),
				order("map with sets as keys", (names) -> Map.of(set(names), 1), "{[a, b, c, d, e]=1}"),
				order("entry", (names) -> Map.entry("k", set(names)), "k=[a, b, c, d, e]"),
				order("values of a map", (names) -> new Anything(numbered(names).values()),
						"Anything[value=[a, b, c, d, e]]"),
				order("record", (names) -> new Search("x", set(names)), "Search[text=x, tags=[a, b, c, d, e]]"),
				order("record in a record", (names) -> new Anything(new Search("x", set(names))),
						"Anything[value=Search[text=x, tags=[a, b, c, d, e]]]"),
				order("record with a map", (names) -> new Anything(map(names)),
						"Anything[value={a=1, b=1, c=1, d=1, e=1}]"),
				order("record with a list of sets", (names) -> new Anything(List.of(set(names), set(names))),
						"Anything[value=[[a, b, c, d, e], [a, b, c, d, e]]]"),
				order("record with an optional set", (names) -> new Anything(Optional.of(set(names))),
						"Anything[value=Optional[[a, b, c, d, e]]]"),
				order("class with the text of its fields", (names) -> new Data(7, set(names)),
						"Data(id=7, tags=[a, b, c, d, e])"),
				order("class in a map", (names) -> Map.of("k", new Data(7, set(names))),
						"{k=Data(id=7, tags=[a, b, c, d, e])}"));
	}

	@ParameterizedTest
	@MethodSource("values")
	void valueHasOneTextWhateverItsOrder(Function<List<String>, Object> value, String text) {
		for (Object each : orders(value)) {
			assertThat(keys("#value", each)).containsExactly(text);
			assertThat(keys("'k:' + #value", each)).containsExactly("k:" + text);
			assertThat(keys("#value + ':k'", each)).containsExactly(text + ":k");
			assertThat(keys("#value.toString()", each)).containsExactly(text);
			assertThat(keys("'k:' + {#value}", each)).containsExactly("k:" + text);
			assertThat(keys("{#value, 'x'}", each)).containsExactly(text, "x");
			assertThat(keys("@texts.of(#value)", each)).containsExactly(text);
		}
	}

	@Test
	void collectionThatIsJoinedHasOneTextWhateverItsOrder() {
		for (Object each : orders(KeyTextTests::set)) {
			assertThat(keys("'k:' + #value", each)).containsExactly("k:a,b,c,d,e");
			assertThat(keys("#value.toString()", each)).containsExactly("[a, b, c, d, e]");
			assertThat(keys("'k:' + T(java.util.Optional).of(#value)", each))
				.containsExactly("k:Optional[[a, b, c, d, e]]");
			assertThat(keys("#value", each)).containsExactlyInAnyOrderElementsOf(NAMES);
		}
		for (Object each : orders((names) -> new Object[] { set(names), "x" })) {
			assertThat(keys("'k:' + #value", each)).containsExactly("k:[a, b, c, d, e],x");
		}
	}

	@Test
	void listKeepsItsOrder() {
		assertThat(keys("'k:' + #value", List.of("b", "a"))).containsExactly("k:b,a");
		assertThat(keys("'k:' + #value", new int[] { 2, 1 })).containsExactly("k:2,1");
		assertThat(keys("#value", new Anything(List.of("b", "a")))).containsExactly("Anything[value=[b, a]]");
		assertThat(keys("#value", Map.of("k", List.of("b", "a")))).containsExactly("{k=[b, a]}");
	}

	/** The text that a method makes of a set cannot be put in order. */
	@Test
	void textThatShowsAnOrderIsRefused() {
		for (Object each : orders((names) -> new Own(set(names), Map.of()))) {
			assertRefused(each, "KeyTextTests$Own, whose text shows the order of a java.util.LinkedHashSet");
		}
		for (Object each : orders((names) -> new Own(Set.of(), map(names)))) {
			assertRefused(each, "KeyTextTests$Own, whose text shows the order of a java.util.LinkedHashMap");
		}
		for (Object each : orders((names) -> new Anything(new Own(set(names), Map.of())))) {
			assertRefused(each, "KeyTextTests$Own, whose text shows the order of a java.util.LinkedHashSet");
		}
		for (Object each : orders((names) -> new OwnRecord(set(names)))) {
			assertRefused(each, "KeyTextTests$OwnRecord, whose text shows the order of a java.util.LinkedHashSet");
		}
	}

	/** Only the sets and maps that are fields of the object themselves were seen. */
	@ParameterizedTest
	@MethodSource("hiding")
	void textThatShowsTheOrderOfWhatIsInAFieldIsRefused(Function<Set<String>, Object> field) {
		for (Object each : orders((names) -> new Told(field.apply(set(names))))) {
			assertRefused(each, "KeyTextTests$Told, whose text shows the order of a java.util.LinkedHashSet");
		}
	}

	static Stream<Arguments> hiding() {
		return Stream.of(hiding("list", List::of), hiding("optional", Optional::of),
				hiding("record", (set) -> new Search("x", set)), hiding("value of a map", (set) -> Map.of("k", set)),
				hiding("list in an optional in a list", (set) -> List.of(Optional.of(List.of(set)))));
	}

	private static Arguments hiding(String name, Function<Set<String>, Object> field) {
		return argumentSet(name, field);
	}

	/** A search through all that an object reaches took for ever. */
	@Test
	void objectThatReachesManyIsItsText() {
		List<Object> items = new ArrayList<>();
		Told order = new Told("order");
		order.reached = items;
		for (int i = 0; i < 50; i++) {
			Told item = new Told("item");
			item.reached = List.of(order, items);
			items.add(List.of(item, item));
			items.add(new Anything(items));
		}
		assertThat(keys("#value", order)).containsExactly("told order");
	}

	/** They were refused, though equal ones show the same. */
	@Test
	void textThatShowsTheOnlyOrderThereIsIsTheKey() {
		assertThat(keys("#value", new Told(set(List.of("a"))))).containsExactly("told [a]");
		assertThat(keys("#value", new Told(Map.of("a", 1)))).containsExactly("told {a=1}");
		assertThat(keys("#value", new Told(new TreeSet<>(NAMES)))).containsExactly("told " + new TreeSet<>(NAMES));
		SortedMap<String, Integer> sorted = new TreeMap<>(Map.of("a", 1, "b", 2));
		assertThat(keys("#value", new Told(sorted))).containsExactly("told {a=1, b=2}");
		Set<String> reversed = new TreeSet<>(Comparator.reverseOrder());
		reversed.addAll(NAMES);
		assertRefused(new Told(reversed), "whose text shows the order of a java.util.TreeSet");
	}

	@Test
	void textThatShowsNoOrderIsTheKey() {
		assertThat(keys("#value", new Hidden(7, set(NAMES)))).containsExactly("Hidden{id=7}");
		assertThat(keys("#value", new Untold(7, new Unreadable()))).containsExactly("Untold(id=7)");
	}

	static Stream<Arguments> unstable() throws Exception {
		String zone = "whose text depends on the time zone";
		return Stream.of(argumentSet("date in a record", new Anything(new Date(7)), zone),
				argumentSet("date in a map", Map.of("k", new Date(7)), zone),
				argumentSet("date in a list in a record", new Anything(List.of(new Date(7))), zone),
				argumentSet("address", InetAddress.getLoopbackAddress(), "whose text may have a name in it"),
				argumentSet("socket", new InetSocketAddress("127.0.0.1", 1), "whose text may have a name in it"),
				argumentSet("address in a record", new Anything(InetAddress.getLoopbackAddress()),
						"whose text may have a name in it"),
				argumentSet("url", new URL("http://localhost/"), "whose equality asks a name server"),
				argumentSet("buffer", ByteBuffer.allocate(1), "whose text is not its content"),
				argumentSet("array in a map", Map.of("k", new String[0]), "the identity of an object in it"));
	}

	@ParameterizedTest
	@MethodSource("unstable")
	void valueWhoseTextDependsOnMoreThanItsContentIsRefused(Object value, String problem) {
		assertRefused(value, problem);
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> keys("'k:' + {#value}", value))
			.withMessageContaining(problem);
	}

	@Test
	void equalAddressesOnTheWebAreOneKey() {
		URI one = URI.create("HTTP://me@Example.com:80/a%2fb?Q");
		URI other = URI.create("http://me@example.COM:80/a%2Fb?Q");
		assertThat(one).isEqualTo(other);
		assertThat(keys("#value", one)).isEqualTo(keys("#value", other))
			.containsExactly("http://me@example.com:80/a%2Fb?Q");
		assertThat(keys("'k:' + #value", one)).containsExactly("k:http://me@example.com:80/a%2Fb?Q");
		assertThat(keys("#value", URI.create("URN:a:B"))).containsExactly("urn:a:B");
		assertThat(keys("#value", URI.create("a/B"))).containsExactly("a/B");
		assertThat(keys("#value", new Anything(one))).isEqualTo(keys("#value", new Anything(other)));
	}

	/** Values are equal if equals() says so. */
	static Stream<Arguments> simple() {
		return Stream.of(Arguments.of(new BigDecimal("1.0"), "1.0"), Arguments.of(new BigDecimal("1.00"), "1.00"),
				Arguments.of(0.1f, "0.1"), Arguments.of(0.1, "0.1"), Arguments.of('c', "c"),
				Arguments.of(new StringBuilder("text"), "text"), Arguments.of(Duration.ofMinutes(1), "PT1M"),
				Arguments.of(Instant.EPOCH, "1970-01-01T00:00:00Z"),
				Arguments.of(new UUID(0, 1), "00000000-0000-0000-0000-000000000001"),
				Arguments.of(new Anything(null), "Anything[value=null]"),
				Arguments.of(new Anything(OptionalInt.of(1)), "Anything[value=OptionalInt[1]]"),
				Arguments.of(new Anything(Optional.empty()), "Anything[value=Optional.empty]"),
				Arguments.of(new Search("x", Set.of()), "Search[text=x, tags=[]]"), Arguments.of(Map.of(), "{}"));
	}

	@ParameterizedTest
	@MethodSource("simple")
	void valueWithOneTextIsThatText(Object value, String text) {
		assertThat(keys("#value", value)).containsExactly(text);
		assertThat(keys("'k:' + #value", value)).containsExactly("k:" + text);
	}

	/** An enum is joined by its name, as Spring does it. */
	@Test
	void enumIsItsTextOrItsName() {
		assertThat(keys("#value", State.OPEN)).containsExactly("still open");
		assertThat(keys("'k:' + #value", State.OPEN)).containsExactly("k:OPEN");
	}

	@Test
	void mapInItselfIsRefused() {
		Map<String, Object> map = new HashMap<>();
		map.put("k", List.of(map));
		assertRefused(map, "nested too deeply");
	}

	private static void assertRefused(Object value, String... problems) {
		for (String expression : List.of("#value", "'k:' + #value", "#value.toString()")) {
			assertThatExceptionOfType(LockKeyException.class).as(expression)
				.isThrownBy(() -> keys(expression, value))
				.withMessageContainingAll(problems);
		}
	}

	private static List<String> keys(String expression, Object value) {
		Method method = ReflectionUtils.findMethod(KeyTextTests.class, "guarded", Object.class);
		StaticListableBeanFactory beans = new StaticListableBeanFactory(Map.of("texts", new Texts()));
		LockExpression parsed = new LockExpressionParser(beans, null).parse(expression,
				new MethodParameters(KeyTextTests.class, method, List.of(method)));
		return parsed.keys(new KeyTextTests(), new Object[] { value });
	}

	void guarded(Object value) {
	}

	private static Arguments order(String name, Function<List<String>, Object> value, String text) {
		return argumentSet(name, value, text);
	}

	/** Equal values, with their elements in several orders. */
	private static List<Object> orders(Function<List<String>, Object> value) {
		List<Object> all = new ArrayList<>();
		for (int i = 0; i < NAMES.size(); i++) {
			List<String> rotated = new ArrayList<>(NAMES);
			Collections.rotate(rotated, i);
			all.add(value.apply(rotated));
			Collections.reverse(rotated);
			all.add(value.apply(rotated));
		}
		return all;
	}

	private static Set<String> set(List<String> names) {
		return new LinkedHashSet<>(names);
	}

	private static Map<String, Integer> map(List<String> names) {
		Map<String, Integer> map = new LinkedHashMap<>();
		names.forEach((name) -> map.put(name, 1));
		return map;
	}

	private static Map<Integer, String> numbered(List<String> names) {
		Map<Integer, String> map = new LinkedHashMap<>();
		names.forEach((name) -> map.put(map.size(), name));
		return map;
	}

	record Search(String text, Set<String> tags) {
	}

	record Anything(@Nullable Object value) {
	}

	record OwnRecord(Set<String> tags) {

		@Override
		public String toString() {
			return "tags " + this.tags;
		}

	}

	enum State {

		OPEN;

		@Override
		public String toString() {
			return "still open";
		}

	}

	/** As Kotlin's compiler and Lombok write it. */
	static class Data {

		static final Set<String> NONE = Set.of();

		private final int id;

		private final Set<String> tags;

		Data(int id, Set<String> tags) {
			this.id = id;
			this.tags = tags;
		}

		@Override
		public String toString() {
			return "Data(id=" + this.id + ", tags=" + this.tags + ")";
		}

	}

	/** Has a field that its text leaves out, and must not be read. */
	static class Untold {

		private final int id;

		private final Object lazy;

		Untold(int id, Object lazy) {
			this.id = id;
			this.lazy = lazy;
		}

		boolean isLoaded() {
			return Objects.equals(this.lazy, "");
		}

		@Override
		public String toString() {
			return "Untold(id=" + this.id + ")";
		}

	}

	static class Unreadable extends HashSet<String> {

		@Override
		public boolean isEmpty() {
			throw new AssertionError("read");
		}

		@Override
		public String toString() {
			throw new AssertionError("read");
		}

	}

	static class Hidden {

		private final int id;

		private final Collection<String> tags;

		Hidden(int id, Collection<String> tags) {
			this.id = id;
			this.tags = tags;
		}

		int size() {
			return this.tags.size();
		}

		@Override
		public String toString() {
			return "Hidden{id=" + this.id + "}";
		}

	}

	/** Has a text of its own. */
	static class Told {

		private final Object value;

		@Nullable Object reached;

		Told(Object value) {
			this.value = value;
		}

		@Override
		public String toString() {
			return "told " + this.value;
		}

	}

	static class Base {

		final Set<String> tags;

		Base(Set<String> tags) {
			this.tags = tags;
		}

	}

	static class Own extends Base {

		private final Map<String, Integer> counts;

		Own(Set<String> tags, Map<String, Integer> counts) {
			super(tags);
			this.counts = counts;
		}

		@Override
		public String toString() {
			return "own " + this.tags + this.counts;
		}

	}

	public static class Texts {

		public String of(String text) {
			return text;
		}

	}

}
