package io.distributedlock.redis;

import java.util.List;
import java.util.stream.Stream;

/** The names of the store's scripts on the wire. */
public final class ScriptDigests {

	private ScriptDigests() {
	}

	/**
	 * The digests of the scripts of an operation, each as it is and in the form in which
	 * its answer begins with a number, by which Jedis finds a mixed-up connection.
	 * @param operation the operation of the scripts
	 * @return all of them
	 */
	public static List<String> of(String operation) {
		return scripts(operation).flatMap((script) -> Stream.of(script.script.sha, script.script.numbered().sha))
			.toList();
	}

	/**
	 * The texts of scripts, which are part of those with numbered answers.
	 * @param operation the operation of the scripts
	 * @return their sources
	 */
	public static List<byte[]> sources(String operation) {
		return scripts(operation).map((script) -> script.script.source).toList();
	}

	private static Stream<LockScript> scripts(String operation) {
		return Stream.of(LockScript.values()).filter((script) -> script.operation.equals(operation));
	}

}
