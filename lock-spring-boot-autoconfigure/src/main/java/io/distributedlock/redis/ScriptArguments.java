package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;

/**
 * Texts as scripts read them; see also {@link Packed}.
 */
final class ScriptArguments {

	private ScriptArguments() {
	}

	static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	static byte[] number(long value) {
		return Long.toString(value).getBytes(StandardCharsets.ISO_8859_1);
	}

}
