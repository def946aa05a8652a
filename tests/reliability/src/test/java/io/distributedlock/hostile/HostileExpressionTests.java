package io.distributedlock.hostile;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockKeyException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.text.DisplayText;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.context.ApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Expressions that should never be written. They come through a placeholder, as those of
 * a configuration do, so that there may be many.
 */
class HostileExpressionTests {

	@ParameterizedTest
	@ValueSource(strings = { "'", "''a", "\"", "'a' +", "+ + ", "(", ")", "((#a)", "#a)", "[", "]", "{", "}", "{#a",
			"#", "##a", "#a.", "#a..b", "#a[", "#a[]]", "a b", "'a' 'b'", "T(", "T()", "new ", "new", "@", "@'", "!",
			"#a ?", "#a ? 'b'", "1 2", "1e", "0x", "99999999999999999999", "0xFFFFFFFFFFFFFFFFFF", "1.0.0", "%", "%%",
			"^", "&", "|", "\\", ";", "#a; #a", "\0", "'a\0", "\uD83D\uDD12", "\uD83D", "#a\uD83D", "\u202E#a",
			"order:42", "#{#a}", "<#a>", "--", "#a.!", "`a`" })
	void keyWhenItIsNoExpressionIsRefusedAtTheStart(String expression) {
		assertKeyRefused(expression, DisplayText.of(expression.trim()).toString());
	}

	@ParameterizedTest
	@ValueSource(strings = { "b", "orders", "#b", "#A", "#p2", "#p-1", "#b.c", "{#a, #b}", "#a + b", "systemProperties",
			"environment", "#systemProperties", "missing.a" })
	void keyWhenItNamesWhatIsNotThereIsRefusedAtTheStart(String expression) {
		assertKeyRefused(expression, expression.trim());
	}

	/** It would change the arguments of the method, or was meant to compare. */
	@ParameterizedTest
	@ValueSource(strings = { "#a = 'b'", "#root.args[0] = 'b'", "args[0] = 'b'", "#counter.value++", "#counter.value--",
			"++#counter.value", "--#counter.value", "#counter.value = 1", "'a' + (#a = 'b')",
			"{#a, #root.args[0] = 'b'}", "#root.args.![#this = 'b']", "#a == 'a' ? (#a = 'b') : #a" })
	void keyWhenItAssignsIsRefusedAtTheCall(String expression) {
		HostileApplication.RUNNER.withBean(Key.class)
			.withPropertyValues("hostile=" + expression)
			.run((context) -> assertRefusedAtTheCall(context, context.getBean(Key.class)::guarded));
	}

	@ParameterizedTest
	@ValueSource(strings = { "#a = true", "#a == 'a' and (#root.args[0] = 'b') != null", "#counter.value++ > 0" })
	void conditionWhenItAssignsIsRefusedAtTheCall(String expression) {
		HostileApplication.RUNNER.withBean(Condition.class)
			.withPropertyValues("hostile=" + expression)
			.run((context) -> assertRefusedAtTheCall(context, context.getBean(Condition.class)::guarded));
	}

	private static void assertRefusedAtTheCall(ApplicationContext context, BiConsumer<String, Counter> guarded) {
		Counter counter = new Counter();
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded.accept("a", counter))
			.withMessageEndingWith("; the method was not run");
		assertThat(counter.getValue()).isZero();
		HostileApplication.assertNothingLocked(context);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "#a = ", "#b", "\uD83D", "(", "missing" })
	void conditionWhenItIsNoneIsRefusedAtTheStart(String expression) {
		assertRefused(Condition.class, expression, "lock expression", "");
	}

	@ParameterizedTest
	@ValueSource(strings = { "'a'", "1", "#a + 'b'", "{true}", "null" })
	void conditionWhenItIsNeverBooleanIsRefusedAtTheCall(String expression) {
		HostileApplication.RUNNER.withBean(Condition.class)
			.withPropertyValues("hostile=" + expression)
			.run((context) -> {
				Condition bean = context.getBean(Condition.class);
				assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> bean.guarded("a", new Counter()))
					.withMessageContaining("must be true or false")
					.withMessageEndingWith("; the method was not run");
				HostileApplication.assertNothingLocked(context);
			});
	}

	@Test
	void keyWhenLongerThanAnyoneWritesIsRefusedAtTheStart() {
		assertKeyRefused("'" + "x".repeat(20_000) + "'", "cannot be parsed");
	}

	@ParameterizedTest
	@ValueSource(strings = { "(", "{", "-", "!", "#a[", "#a.concat(", "'a'+(", "#a ? 'b' : (" })
	void keyWhenNestedDeeperThanTheStackIsRefusedAtTheStart(String open) {
		String close = switch (open.charAt(open.length() - 1)) {
			case '(' -> ")";
			case '{' -> "}";
			case '[' -> "]";
			default -> "";
		};
		int depth = 9_000 / (open.length() + close.length());
		String expression = open.repeat(depth) + "#a" + close.repeat(depth);
		onOneStack(() -> HostileApplication.RUNNER.withBean(Key.class)
			.withPropertyValues("hostile=" + expression)
			.run((context) -> {
				if (context.getStartupFailure() != null) {
					HostileApplication.assertRefused(context.getStartupFailure(), Key.class, "lock expression", "");
					return;
				}
				Key bean = context.getBean(Key.class);
				try {
					bean.guarded("a", new Counter());
				}
				catch (LockKeyException ex) {
					assertThat(ex).hasMessageContaining("the method was not run");
				}
			}));
	}

	/** Run a test with as much stack as most threads of an application have. */
	private static void onOneStack(Runnable test) {
		List<Throwable> failures = new ArrayList<>();
		Thread thread = new Thread(null, test, "small stack", 512 * 1024);
		thread.setUncaughtExceptionHandler((ignored, failure) -> failures.add(failure));
		thread.start();
		try {
			thread.join();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
		assertThat(failures).isEmpty();
	}

	/** The author of the code may call anything; a failure comes before the lock. */
	@ParameterizedTest
	@ValueSource(strings = { "T(java.lang.Integer).parseInt(#a)", "T(no.such.Type).x()", "new no.such.Type()",
			"#a.missing()", "#a.missing", "#a[9]", "#a.substring(99)", "#counter.missing", "1 / 0", "?:",
			"#root.system", "#this.missing", "#counter < #a", "#a matches '['", "#a.length().missing", "{1,2}[9]",
			"#a instanceof 'b'", "#root.args[9]", "#root.target.fail()", "#root.method.invoke(#a)",
			"new java.lang.Integer('x')", "#a between 1", "#key()", "@missing", "@missing.key()", "&missing", "exit(1)",
			"#counter.![missing]", "#a.?[missing]", "T(java.lang.System).getProperty('no.such')", "#counter.none",
			"#a.b.c", "null", "' '" })
	void keyWhenItFailsIsRefusedAtTheCallIfNotAtTheStart(String expression) {
		HostileApplication.RUNNER.withBean(Key.class).withPropertyValues("hostile=" + expression).run((context) -> {
			if (context.getStartupFailure() != null) {
				HostileApplication.assertRefused(context.getStartupFailure(), Key.class, expression, "");
				return;
			}
			Key bean = context.getBean(Key.class);
			for (int call = 0; call < 3; call++) {
				assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> bean.guarded("a", new Counter()))
					.withMessageStartingWith(
							"Lock expression \"" + expression + "\" of " + Key.class.getName() + ".guarded(")
					.withMessageEndingWith("; the method was not run");
			}
			assertThat(bean.calls()).isZero();
			HostileApplication.assertNothingLocked(context);
		});
	}

	@Test
	void keyWhenItIsUnusualAndWorksIsLocked() {
		Stream
			.of("'a'''", "''''", "\"a\"", "#a", "#p0", "#a0", "(#a)", "#root.args[0]", "args[0]", "#a?.length()",
					"#a ?: 'b'", "T(java.lang.Math).abs(-1)", "{'b', #a}", "#a.toCharArray()", "'#{x}'", "'{a}{b}'",
					"'%s%n'", "#root.methodName", "methodName", "1 + 1", "#a * 2", "0x1F", "1.5", "true", "#a == 'b'",
					"new String(#a)", "{1,2,3}.![#this * 2]", "{1,2,3}.?[#this > 1]", "#a.concat('\uD83D\uDD12')",
					"'\uD83D'", "'\0'", "'\u202E'", "'" + "x".repeat(9_000) + "'", "#counter.value == 0 ? 'x' : 'y'",
					"#a >= 'b'", "#a <= 'b'", "#a != 'b'", "'a = b'", "'a++'")
			.forEach((expression) -> HostileApplication.RUNNER.withBean(Key.class)
				.withPropertyValues("hostile=" + expression)
				.run((context) -> {
					assertThat(context).as(expression).hasNotFailed();
					assertThat(context.getBean(Key.class).guarded("a", new Counter())).as(expression).isNotEmpty();
					HostileApplication.assertNothingLocked(context);
				}));
	}

	private static void assertKeyRefused(String expression, String problem) {
		assertRefused(Key.class, expression, problem, "");
	}

	private static void assertKeyRefused(String expression, String problem, String remedy) {
		assertRefused(Key.class, expression, problem, remedy);
	}

	private static void assertRefused(Class<?> type, String expression, String problem, String remedy) {
		HostileApplication.RUNNER.withBean(type)
			.withPropertyValues("hostile=" + expression)
			.run((context) -> HostileApplication.assertRefused(context.getStartupFailure(), type, problem, remedy));
	}

	static class Key {

		private final AtomicInteger calls = new AtomicInteger();

		@DistributedLock(name = "x", key = "${hostile}")
		public List<String> guarded(String a, Counter counter) {
			this.calls.incrementAndGet();
			return Lease.current().orElseThrow().keys();
		}

		public int calls() {
			return this.calls.get();
		}

		public String fail() {
			throw new IllegalStateException("failed");
		}

	}

	static class Condition {

		@DistributedLock(key = "'x'", condition = "${hostile}")
		public void guarded(String a, Counter counter) {
			throw new AssertionError("never started");
		}

	}

	public static class Counter {

		private int value;

		public int getValue() {
			return this.value;
		}

		public void setValue(int value) {
			this.value = value;
		}

		public String getNone() {
			return null;
		}

	}

}
