package io.distributedlock.redis.internal.driver;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;

/** Calls whose answer should be their key; several may go as one. */
final class KeyCall {

	private static final Script SCRIPT = new Script(bytes("return KEYS[1]"));

	private static final Gathering GATHERING = new Gathering(SCRIPT, bytes("absent"), () -> {
	});

	private KeyCall() {
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	static ScriptCall of(String key) {
		return gathering(key, new byte[][] { {} });
	}

	static ScriptCall thatGoesAlone(String key) {
		return new ScriptCall(SCRIPT, new byte[][] { bytes(key) }, new byte[0][]);
	}

	/** With others it cannot be put together, for want of an argument. */
	static ScriptCall thatFailsTogether(String key) {
		return gathering(key, new byte[0][]);
	}

	private static ScriptCall gathering(String key, byte[][] args) {
		return new ScriptCall(SCRIPT, new byte[][] { bytes(key) }, args, GATHERING, (byte) 'K');
	}

	static String key(ScriptCall call) {
		return (String) keys(call.keys);
	}

	/** Return the key of a call, or the keys of several that went as one. */
	static Object keys(byte[][] keys) {
		List<String> names = Stream.of(keys).map((key) -> new String(key, StandardCharsets.UTF_8)).toList();
		return (names.size() == 1) ? names.get(0) : names.subList(0, names.size() - 1);
	}

	/** Return the answer that a server would give. */
	static Object answer(byte[][] keys) {
		return (keys(keys) instanceof List<?> names) ? names.stream().flatMap((name) -> Stream.of(1L, name)).toList()
				: keys(keys);
	}

}
