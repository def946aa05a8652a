package io.distributedlock.faults;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;

import io.distributedlock.redis.ScriptDigests;

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
		String source = text(ScriptDigests.source(script));
		List<String> digests = ScriptDigests.of(script);
		return (exchange) -> (exchange.command.contains(source)
				|| digests.stream().anyMatch(exchange.command::contains)) && !exchange.reply.startsWith("-NOSCRIPT");
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
