package io.distributedlock.hostile;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.distributedlock.Sizes;
import io.distributedlock.store.LockKey;

/**
 * Keys and names of locks that tend to break them, fixed ones each with the reason why it
 * is here, and generated ones that are the same in every run.
 */
final class HostileNames {

	private static final int GENERATED = Sizes.share(300);

	private static final long SEED = 20_261_121;

	private static final int MEGABYTE = Sizes.share(1 << 20);

	private static final int MANY = MEGABYTE / 16;

	/** The parts that generated keys are made of. */
	private static final List<String> FRAGMENTS = List.of(":", "::", "%", "%25", "%3A", "%u", "~", "{", "}", "{}", "*",
			"?", "[", "]", "\\", "'", "\"", "\0", "\r\n", "\n", "\t", " ", "a", "A", "0", "7B", "D83D", "\uD83D",
			"\uD83E", "\uDD12", "\uD83D\uDD12", "\u00e9", "e\u0301", "\u0085", "\u200B", "\u202E", "\uFEFF", "\uFFFD",
			"lock:", "null", "x".repeat(63), "\u20AC".repeat(40));

	private static final List<String> BLANK = List.of("", " ", "    ", "\t", "\n", "\r\n", "\u000B", "\f", "\u001C",
			"\u001D", "\u001E", "\u001F", "\u2003", "\u2028", "\u2029", "\u3000", " \t\u3000\n", " ".repeat(1000));

	private final Map<String, String> reasons = new LinkedHashMap<>();

	private HostileNames() {
	}

	/** Keys that have to be refused. */
	static List<String> blank() {
		return BLANK;
	}

	/** Keys that have to work, each of them once, without a namespace. */
	static List<HostileName> keys() {
		HostileNames names = new HostileNames();
		names.addControlCharacters();
		names.addSyntax();
		names.addEncodings();
		names.addText();
		names.addSurrogates();
		names.addLengths();
		names.addGenerated();
		List<HostileName> keys = new ArrayList<>();
		names.reasons.forEach((key, reason) -> keys.add(new HostileName("", key, reason)));
		return Collections.unmodifiableList(keys);
	}

	/** Namespaces that have to work. */
	static List<String> namespaces() {
		return List.of("", "a", "A", "a:", "a:b", ":", "::", "{a}", "{", "}", "{}", "}{", "n%3A", "%", "%%", "~", "*",
				"\0", "a\nb", "\r\n", " ", " a", "\uD83D", "\uD83E", "\uDD12", "\uD83D\uDD12", "\u00e9", "e\u0301",
				"\u200B", "?", "null", "lock", "lock:", "!wake:", "x".repeat(300), "x".repeat(299) + "y");
	}

	private void add(String reason, String... keys) {
		for (String key : keys) {
			if (!key.isBlank()) {
				this.reasons.putIfAbsent(key, reason);
			}
		}
	}

	private void addControlCharacters() {
		for (char c = 0; c < 0xA0; c++) {
			if (Character.isISOControl(c)) {
				add("control character", "a" + c + "b", String.valueOf(c), "a" + c);
			}
		}
		add("line ends", "a\rb", "a\nb", "a\r\nb", "a\n\rb", "a\u2028b", "a\u2029b", "a\u0085b");
		add("looks like the protocol of Redis", "$-1\r\n", "*1\r\n$8\r\nFLUSHALL\r\n", "+OK\r\n", ":1\r\n",
				"-ERR x\r\n", "a\r\nFLUSHALL\r\n", "_\r\n", "*-1\r\n", "a\r\n+OK\r\n");
		add("the end of a string in C", "\0", "\0\0", "a\0", "a\0b", "a\0c", "\0a");
	}

	private void addSyntax() {
		add("hash tags", "{", "}", "{}", "}{", "{{", "}}", "{a}", "{a}{b}", "{b}{a}", "{}{a}", "{a", "a}", "{{a}}",
				"{a{b}c}", "a{b}c", "a{b}c{d}e", "}{a}", "{a}b}", "{{}}", "{}}", "{ }", "{\0}", "{:}", "{a:b}",
				"{a}:b");
		add("the separator", ":", "::", ":a", "a:", "a:b", "a::b", ":a:b", "a:b:", "a:b:c", ":::", "a :b", "a: b");
		add("globs", "*", "**", "?", "??", "a*", "*a", "a?", "[a]", "[^a]", "[a-z]", "\\*", "lock:*", "lock::*",
				"h[ae]llo", "[", "]", "\\", "\\\\", "~lock:*", "&lock:*");
		add("quotes and escapes", "'", "''", "\"", "`", "a'b", "a\"b", "\\0", "\\n", "\\u0000",
				"'; DROP TABLE locks;--", "$(reboot)", "`reboot`", "<script>", "../../etc/passwd", "/", "//", "C:\\con",
				"a;b", "a|b", "a,b", "a&b");
		add("looks like Lua", "KEYS[1]", "ARGV[1]", "redis.call('FLUSHALL')", "]]..redis.call('FLUSHALL')..[[",
				"return 1", "nil", "local x", "--", "%a+", "%d", "^a$", ".-");
		add("looks like SpEL or a placeholder", "#p0", "#root", "'a'", "T(java.lang.System).exit(1)",
				"#{T(java.lang.System).exit(1)}", "@bean", "${user.home}", "${missing}", "$", "${", "new String()");
		add("looks like a format", "%s", "%d%n", "%1$s", "{0}", "%n%n", "{}{}{}", "%-10000000s");
		add("looks like another value", "null", "undefined", "nil", "true", "false", "0", "-1", "00", "0x0", "NaN",
				"Infinity", "1e309", "9223372036854775808", "[]", "[null]", "Optional.empty");
		add("looks like a key of the library", "lock:", "lock::", "lock", "lock::a", "lock:a", "!wake:",
				"lock:!wake:0123456789abcdef", "!wake:0123456789abcdef", "o", "w", "m", "X");
	}

	private void addEncodings() {
		add("looks like the encoding of another key", "%", "%%", "%2", "%25", "%2525", "%252525", "%7B", "%7b", "%7D",
				"%7Ba%7D", "%3A", "%3a", "a%3Ab", "%00", "%0D%0A", "%u0000", "%uD83D", "%ud83d", "%u0085", "%u00E9",
				"%25u0085", "%7E", "~", "a~b", "~~", "%C3%A9", "+", "a+b", "a%20b", "a b", "&amp;", "&#0;",
				"=?utf-8?q?a?=", "\\uD83D", "%EF%BF%BD", "%3F");
		String longKey = "x".repeat(300);
		add("looks like what a long key becomes", new LockKey("", longKey).encoded(),
				new LockKey("", longKey).encoded().substring(1), ":" + new LockKey("", longKey).encoded(), longKey);
	}

	private void addText() {
		add("normal forms", "\u00e9", "e\u0301", "\u00c5", "A\u030a", "\u212b", "\ufb01", "fi", "\u00f1", "n\u0303",
				"\uac01", "\u1100\u1161\u11a8", "\u1e9b\u0323", "\u1e69", "s\u0323\u0307", "s\u0307\u0323", "\uff41",
				"a", "\u03a9", "\u2126", "K", "\u212a", "\u00b5", "\u03bc", "\u2460", "1");
		add("upper and lower case", "order", "Order", "ORDER", "\u00df", "ss", "SS", "\u1e9e", "\u0130", "\u0131", "i",
				"I", "i\u0307", "\u03c3", "\u03c2", "\u03a3", "\u01c4", "\u01c5", "\u01c6");
		add("invisible characters", "a\u200Bb", "ab", "a\u200Cb", "a\u200Db", "\u200B", "\u200B\u200B", "\uFEFFab",
				"\uFEFF", "a\u00ADb", "ab\u200B", "\u2060ab", "\u180Eab", "a\uFE0F", "\u034F", "\u115F", "\u3164",
				"\uFFF9a");
		add("blanks around and within", " a", "a ", " a ", "\ta", "a\t", "a\n", "\na", "a\u00A0", "\u00A0a", "\u00A0",
				"\u2007", "\u202F", "a\u3000", "\u3000a", "a  b", "a b", "a\u2003b");
		add("right to left", "\u202Eabc", "\u202Eabc\u202C", "cba", "\u05e2\u05d1\u05e8\u05d9\u05ea",
				"\u0645\u0631\u062d", "abc\u05e2", "\u05e2abc", "\u2066a\u2069", "\u200Fa", "\u200Ea");
		add("digits of other scripts", "\u0661", "\uff11", "\u0967", "\u00b9");
		add("looks the same", "\u0430", "\u0440\u0430\u0443", "pay", "p\u0430y", "\u2010", "-", "\u2212", "\u2024",
				".");
		add("emoji", "\uD83D\uDD12", "\uD83D\uDD13", "\uD83D\uDD12\uD83D\uDD12", "\uD83D\uDC68\u200D\uD83D\uDC69",
				"\uD83D\uDC68\uD83D\uDC69", "\uD83D\uDC4D", "\uD83D\uDC4D\uD83C\uDFFD", "\uD83C\uDDE9\uD83C\uDDEA",
				"\uD83C\uDDEA\uD83C\uDDE9", "\u2764", "\u2764\uFE0F", "1\uFE0F\u20E3");
	}

	private void addSurrogates() {
		add("half a character, which UTF-8 does not have", "\uD83D", "\uD83E", "\uD800", "\uDBFF", "\uDC00", "\uDFFF",
				"\uDD12", "\uDD13", "a\uD83D", "\uD83Da", "a\uDD12", "\uDD12a", "\uDD12\uD83D", "\uD83D\uD83D",
				"\uDD12\uDD12", "\uD83D\uD83D\uDD12", "\uD83D\uDD12\uDD12", "a\uD83Db", "a\uD83Eb", "a\uDD12b",
				"\uD83D:", "\uD83D\u200D\uDD12", "{\uD83D}", "{\uD83E}", "\uD83D".repeat(300), "\uD83E".repeat(300));
		add("what a careless encoder makes of half a character", "?", "a?", "?a", "a?b", "\uFFFD", "\uFFFD\uFFFD",
				"a\uFFFDb", "\u00ED\u00A0\u00BD", "{?}", "?".repeat(300), "\uFFFD".repeat(300));
		add("the ends of Unicode", "\uFFFE", "\uFFFF", "\uDBFF\uDFFF", "\uD800\uDC00", "\uE000", "\uF8FF", "\uFDD0");
	}

	private void addLengths() {
		for (int length = 61; length <= 66; length++) {
			add("around the beginning that a long key keeps", "x".repeat(length),
					"x".repeat(length) + "\u20AC".repeat(80), "x".repeat(length) + "\uD83D\uDD12".repeat(60),
					"x".repeat(length) + "{a}" + "y".repeat(250));
		}
		for (int length = 252; length <= 258; length++) {
			add("around the longest encoding", "x".repeat(length), "x".repeat(length) + "y",
					"x".repeat(length - 3) + "%", "x".repeat(length - 4) + "\uD83D\uDD12",
					"x".repeat(length - 3) + "\0");
		}
		add("long, and different in the last character", "x".repeat(1000), "x".repeat(999) + "y", "\u20AC".repeat(1000),
				"\u20AC".repeat(999) + "\u20AD", "{" + "t".repeat(300) + "}", "{" + "t".repeat(300) + "}a");
		String much = "m".repeat(MEGABYTE - 1);
		add("a megabyte", much + "1", much + "2");
		add("many times the same", "\0".repeat(MANY), "{".repeat(MANY), "%25".repeat(MANY / 3),
				"\uD83D\uDD12".repeat(MANY / 4), "\uD83D".repeat(MANY / 3));
	}

	private void addGenerated() {
		Random random = new Random(SEED);
		int wanted = this.reasons.size() + GENERATED;
		while (this.reasons.size() < wanted) {
			StringBuilder key = new StringBuilder();
			for (int left = 1 + random.nextInt(12); left > 0; left--) {
				key.append((random.nextInt(4) > 0) ? FRAGMENTS.get(random.nextInt(FRAGMENTS.size()))
						: String.valueOf((char) random.nextInt(0x10000)));
			}
			add("generated", key.toString());
		}
	}

}
