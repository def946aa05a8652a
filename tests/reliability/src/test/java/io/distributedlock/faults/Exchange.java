package io.distributedlock.faults;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.distributedlock.redis.ScriptDigests;

/**
 * A command and its reply as they went over the wire, one character per byte.
 *
 * @param command the command, empty for a message that the server sends unasked
 * @param reply the reply
 */
public record Exchange(String command, String reply) {

	static String text(byte[] message) {
		return new String(message, StandardCharsets.ISO_8859_1);
	}

	/**
	 * Recognizes exchanges by their command.
	 * @param text a part of the command
	 * @return a predicate
	 */
	public static Predicate<Exchange> commandHas(String text) {
		return (exchange) -> exchange.command.contains(text);
	}

	/**
	 * Recognizes the runs of scripts of ours, except those that found no script.
	 * @param operation the operation of the scripts
	 * @return a predicate
	 */
	public static Predicate<Exchange> runs(String operation) {
		Stream<String> sources = ScriptDigests.sources(operation).stream().map(Exchange::text);
		List<String> marks = Stream.concat(sources, ScriptDigests.of(operation).stream()).toList();
		return (exchange) -> marks.stream().anyMatch(exchange.command::contains)
				&& !exchange.reply.startsWith("-NOSCRIPT");
	}

	/**
	 * Recognizes exchanges by their reply.
	 * @param text a part of the reply
	 * @return a predicate
	 */
	public static Predicate<Exchange> replyHas(String text) {
		return (exchange) -> exchange.reply.contains(text);
	}

}
