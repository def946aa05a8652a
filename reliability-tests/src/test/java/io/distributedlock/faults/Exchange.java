package io.distributedlock.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.function.Predicate;

import io.distributedlock.redis.RedisLockStore;

/**
 * A command and its reply as they went over the wire, one character per byte.
 *
 * @param command the command, empty for what the server says unasked
 * @param reply the reply
 */
public record Exchange(String command, String reply) {

	static String text(byte[] message) {
		return new String(message, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Recognizes exchanges by their command.
	 * @param text what the command has in it
	 * @return a predicate
	 */
	public static Predicate<Exchange> commandHas(String text) {
		return (exchange) -> exchange.command.contains(text);
	}

	/**
	 * Recognizes the runs of a script of ours, except those that found no script.
	 * @param script the name of the script
	 * @return a predicate
	 */
	public static Predicate<Exchange> runs(String script) {
		String source = source(script);
		String sha = sha1(source);
		return (exchange) -> (exchange.command.contains(sha) || exchange.command.contains(source))
				&& !exchange.reply.startsWith("-NOSCRIPT");
	}

	private static String source(String script) {
		try (InputStream content = RedisLockStore.class.getResourceAsStream(script + ".lua")) {
			return text(Objects.requireNonNull(content).readAllBytes());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String sha1(String source) {
		try {
			byte[] bytes = source.getBytes(StandardCharsets.ISO_8859_1);
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Recognizes exchanges by their reply.
	 * @param text what the reply has in it
	 * @return a predicate
	 */
	public static Predicate<Exchange> replyHas(String text) {
		return (exchange) -> exchange.reply.contains(text);
	}

}
