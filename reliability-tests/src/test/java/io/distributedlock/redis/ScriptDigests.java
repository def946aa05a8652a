package io.distributedlock.redis;

import java.util.List;
import java.util.Locale;

import io.distributedlock.redis.driver.NumberedScript;

/** What the scripts of the store are called on the wire. */
public final class ScriptDigests {

	private ScriptDigests() {
	}

	/**
	 * The digests of a script: as it is, and with numbered answers.
	 * @param name the script
	 * @return both
	 */
	public static List<String> of(String name) {
		LockScript script = script(name);
		return List.of(script.sha(), NumberedScript.of(script).sha());
	}

	/**
	 * The text of a script, which is part of that with numbered answers.
	 * @param name the script
	 * @return its source
	 */
	public static byte[] source(String name) {
		return script(name).source();
	}

	private static LockScript script(String name) {
		return LockScript.valueOf(name.toUpperCase(Locale.ROOT));
	}

}
