package io.distributedlock.redis;

import java.util.Arrays;
import java.util.List;

import io.distributedlock.store.LockKey;

/**
 * Where locks are in Redis: each is a hash, and four sorted sets in the slot of the hash
 * while others share the lock or queue for it. Their names are not those of any lock,
 * since a percent sign begins an escape in these.
 */
final class LockKeys {

	/** In the order in which scripts take them. */
	private static final List<String> SETS = List.of("queue", "holders", "readers", "admitted");

	private final String prefix;

	private final byte[] prefixBytes;

	LockKeys(String prefix) {
		this.prefix = prefix;
		this.prefixBytes = Packed.utf8(prefix);
	}

	/** The hash of a lock. */
	String name(LockKey key) {
		return this.prefix + key.encoded();
	}

	/** As {@link #name} in UTF-8, without another array where it is ASCII. */
	byte[] hash(LockKey key) {
		String encoded = key.encoded();
		int start = this.prefixBytes.length;
		byte[] hash = Arrays.copyOf(this.prefixBytes, start + encoded.length());
		for (int i = 0; i < encoded.length(); i++) {
			char letter = encoded.charAt(i);
			if (letter >= 128) {
				return Packed.utf8(name(key));
			}
			hash[start + i] = (byte) letter;
		}
		return hash;
	}

	byte[][] hashes(List<LockKey> keys) {
		byte[][] hashes = new byte[keys.size()][];
		for (int i = 0; i < hashes.length; i++) {
			hashes[i] = hash(keys.get(i));
		}
		return hashes;
	}

	/** The sorted set of the readers or permits. */
	byte[] holders(LockKey key) {
		return set("holders", name(key));
	}

	/** The hashes, and the sorted sets of each. */
	byte[][] all(List<LockKey> keys) {
		byte[][] all = new byte[keys.size() * (1 + SETS.size())][];
		int next = keys.size();
		for (int i = 0; i < keys.size(); i++) {
			String name = name(keys.get(i));
			all[i] = Packed.utf8(name);
			for (String set : SETS) {
				all[next++] = set(set, name);
			}
		}
		return all;
	}

	/** The hash tag of a hash that has one makes that the slot, and else all of it. */
	private byte[] set(String set, String name) {
		int open = name.indexOf('{');
		boolean tagged = open >= 0 && name.indexOf('}', open) > open + 1;
		return Packed.utf8(this.prefix + '%' + set + ':' + (tagged ? name : '{' + name + '}'));
	}

}
