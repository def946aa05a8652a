package io.distributedlock.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

import io.distributedlock.redis.RedisLockStore;

/** The digest of the scripts that decide about locks: which ones a run was made with. */
final class ScriptDigest {

	private static final List<String> SCRIPTS = List.of("abandon", "acquire", "extend", "force", "foreign", "gather",
			"lock", "raise", "release", "renew", "shared", "state", "unlock");

	private static final int LENGTH = 16;

	private ScriptDigest() {
	}

	/** Return the first digits of the SHA-256 of all scripts, in the order of names. */
	static String ofAll() {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			for (String script : SCRIPTS) {
				try (InputStream source = RedisLockStore.class.getResourceAsStream(script + ".lua")) {
					digest.update(source.readAllBytes());
				}
			}
			return HexFormat.of().formatHex(digest.digest()).substring(0, LENGTH);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
