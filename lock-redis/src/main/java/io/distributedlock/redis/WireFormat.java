package io.distributedlock.redis;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

import io.distributedlock.LockMode;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Format of the keys, arguments and answers of the scripts, whose headers describe the
 * arguments.
 * <p>
 * Each lock is a hash. While requests share the lock or queue for it, up to four sorted
 * sets are in the same slot. No lock has the name of such a set, since a percent sign
 * begins an escape in the key of a lock. Several values are packed into one argument,
 * which saves time and bytes. Numbers are big-endian.
 */
final class WireFormat {

	/** The sorted sets of a lock, in the order in which scripts take them. */
	private static final List<String> SETS = List.of("queue", "holders", "readers", "admitted");

	/** The largest number with which a script computes exactly. */
	private static final long LARGEST = 1L << 53;

	/**
	 * The longest time, over three thousand years: such a deadline still fits in 6 bytes.
	 */
	private static final Duration LONGEST = Duration.ofDays(1_200_000);

	/** Writes eight bytes of a number at once. */
	private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

	/** Stands for no request. */
	private static final RequestId NO_REQUEST = new RequestId(0, 0);

	private static final int LENGTH_OF_COMMON = 24;

	/** Answer of a script that needs other keys or another script to handle the lock. */
	private static final Long SENT_ON = -1L;

	/** Answer if the request has ended. */
	private static final long REFUSED = -2;

	/** Answer if another request has the lock, or comes first. */
	private static final long BUSY = 0;

	/** Answer if the request has the lock, and other instances are in line. */
	private static final long CONTENDED = 2;

	final String prefix;

	private final byte[] prefixBytes;

	private final long retentionMillis;

	WireFormat(RedisStoreSettings settings) {
		this.prefix = settings.keyPrefix();
		this.prefixBytes = utf8(this.prefix);
		this.retentionMillis = millis(settings.tokenRetention());
	}

	/** Return a text as scripts read it. */
	static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	/** Return the name of a lock's hash. */
	String name(LockKey key) {
		return this.prefix + key.encoded();
	}

	/** Return {@link #name} in UTF-8, without a second array for ASCII. */
	byte[] hash(LockKey key) {
		String encoded = key.encoded();
		int start = this.prefixBytes.length;
		byte[] hash = Arrays.copyOf(this.prefixBytes, start + encoded.length());
		for (int i = 0; i < encoded.length(); i++) {
			char letter = encoded.charAt(i);
			if (letter >= 128) {
				return utf8(name(key));
			}
			hash[start + i] = (byte) letter;
		}
		return hash;
	}

	/** Return the hashes of locks, followed by the sorted sets of each if wanted. */
	byte[][] keys(List<LockKey> locks, boolean sets) {
		byte[][] keys = new byte[locks.size() * (sets ? 1 + SETS.size() : 1)][];
		int next = locks.size();
		for (int i = 0; i < locks.size(); i++) {
			keys[i] = hash(locks.get(i));
			for (int j = 0; sets && j < SETS.size(); j++) {
				keys[next++] = set(SETS.get(j), locks.get(i));
			}
		}
		return keys;
	}

	/**
	 * Return the name of a sorted set of a lock, in the slot of its hash. The hash tag is
	 * that of the hash, or else the whole name of the hash.
	 */
	byte[] set(String set, LockKey key) {
		String name = name(key);
		int open = name.indexOf('{');
		boolean tagged = open >= 0 && name.indexOf('}', open) > open + 1;
		return utf8(this.prefix + '%' + set + ':' + (tagged ? name : '{' + name + '}'));
	}

	/**
	 * Return the argument of {@code lock.lua}.
	 * @param claims {@code false} to leave out the claim
	 */
	byte[] lock(AcquireCommand command, boolean claims) {
		byte[] packed = new byte[53];
		int next = putTerms(packed, put(packed, 0, command.request()), command);
		putSpareAndClaim(packed, put(packed, next, this.retentionMillis, 6), command, claims);
		return packed;
	}

	/**
	 * Return the arguments of {@code acquire.lua}.
	 * @param claims {@code false} to leave out the claim
	 */
	byte[][] acquire(AcquireCommand command, boolean claims) {
		byte[] packed = new byte[41];
		int next = put(packed, putTerms(packed, 0, command), command.permits(), 4);
		next = putSpareAndClaim(packed, next, command, claims);
		put(packed, put(packed, next, millis(command.lockDelay()), 4), command.take(), 2);
		return args(command.keys(), command.request(), packed, utf8(command.mode().name().toLowerCase(Locale.ROOT)),
				utf8(command.retakes() ? "retake" : "turn"), packed(command.beside()));
	}

	private static int putTerms(byte[] packed, int at, AcquireCommand command) {
		int next = putMillis(packed, putMillis(packed, at, command.ttl()), command.keepFor());
		return putWaiting(packed, put(packed, next, command.highestToken(), 7), command.waiting());
	}

	private static int putSpareAndClaim(byte[] packed, int at, AcquireCommand command, boolean claims) {
		return putMillis(packed, put(packed, at, command.spareTokens(), 2), claims ? command.claim() : Duration.ZERO);
	}

	/** Return the argument of {@code unlock.lua}. */
	byte[] unlock(ReleaseCommand command) {
		byte[] packed = common(command.request(), length(command.marks()));
		put(packed, LENGTH_OF_COMMON, command.marks());
		return packed;
	}

	/** Return the arguments of {@code release.lua}. */
	byte[][] release(ReleaseCommand command) {
		byte[] marks = new byte[length(command.marks())];
		put(marks, 0, command.marks());
		return args(command.keys(), command.request(), marks);
	}

	/** Return the arguments of {@code extend.lua}. */
	byte[][] extend(ExtendCommand command) {
		Duration keepFor = command.keepFor();
		byte[] lease = new byte[6 + length(command.marks())];
		put(lease, putMillis(lease, 0, command.ttl()), command.marks());
		byte[] kept = new byte[(keepFor != null) ? 6 : 0];
		if (keepFor != null) {
			putMillis(kept, 0, keepFor);
		}
		return args(command.keys(), command.request(), lease, kept);
	}

	byte[][] abandon(AbandonCommand command) {
		byte[] waiting = new byte[4];
		putWaiting(waiting, 0, command.waiting());
		return args(command.keys(), command.request(), waiting, packed(command.successor()));
	}

	byte[][] raise(RaiseCommand command) {
		if (command.token() < 0 || command.token() > LARGEST) {
			throw doesNotFit(command.token(), LARGEST);
		}
		return args(command.keys(), command.request(), utf8(Long.toString(command.token())));
	}

	/** Return the arguments of {@code permits.lua}. */
	byte[][] permits(LockKey key, int permits) {
		byte[] number = new byte[4];
		put(number, 0, permits, 4);
		return args(List.of(key), NO_REQUEST, number);
	}

	/**
	 * Return the first argument of {@code renew.lua}.
	 * @param count the number of renewals
	 * @param keys the number of keys that the script gets
	 */
	byte[] renewals(int count, int keys) {
		byte[] packed = new byte[10];
		put(packed, put(packed, put(packed, 0, this.retentionMillis, 6), count, 2), keys, 2);
		return packed;
	}

	/**
	 * Return the argument of {@code renew.lua} for one lease.
	 * @param holders the number of the key that is the sorted set of the holders, counted
	 * from 1; 0 for none
	 */
	static byte[] renewal(RequestId request, Duration ttl, RenewalMarks marks, int holders) {
		byte[] packed = new byte[24 + length(marks)];
		int next = putMillis(packed, put(packed, 0, request), ttl);
		put(packed, put(packed, next, holders, 2), marks);
		return packed;
	}

	byte[][] args(List<LockKey> locks, RequestId request, byte[]... more) {
		byte[][] args = new byte[1 + more.length][];
		args[0] = common(request, 2);
		put(args[0], LENGTH_OF_COMMON, locks.size(), 2);
		System.arraycopy(more, 0, args, 1, more.length);
		return args;
	}

	/**
	 * Return the values in common: the request, the retention, and the length of the
	 * prefix, which wake-ups leave out.
	 */
	private byte[] common(RequestId request, int more) {
		byte[] packed = new byte[LENGTH_OF_COMMON + more];
		put(packed, put(packed, put(packed, 0, request), this.retentionMillis, 6), this.prefixBytes.length, 2);
		return packed;
	}

	private static byte[] packed(@Nullable RequestId request) {
		byte[] packed = new byte[(request != null) ? 16 : 0];
		if (request != null) {
			put(packed, 0, request);
		}
		return packed;
	}

	/** Put a request: the contender in 10 bytes, the number with its random bits in 6. */
	static int put(byte[] packed, int at, RequestId request) {
		LONGS.set(packed, at, request.instanceBits());
		LONGS.set(packed, at + 8, request.sequenceBits());
		return at + 16;
	}

	/** Put a time in 6 bytes, rounded up: the holder of a lease relies on all of it. */
	static int putMillis(byte[] packed, int at, Duration duration) {
		return put(packed, at, millis(duration), 6);
	}

	/** Put the lifetime of a waiter entry in 4 bytes: at most 49 days. */
	static int putWaiting(byte[] packed, int at, Duration duration) {
		return put(packed, at, Math.min(millis(duration), 0xFFFF_FFFFL), 4);
	}

	private static long millis(Duration duration) {
		if (duration.isNegative()) {
			throw new IllegalArgumentException(duration + " does not fit into a command for Redis: it is negative");
		}
		if (duration.compareTo(LONGEST) >= 0) {
			return LONGEST.toMillis();
		}
		return 1000 * duration.getSeconds() + (duration.getNano() + 999_999) / 1_000_000;
	}

	/**
	 * Put a number into an argument.
	 * @return the index behind it
	 * @throws IllegalArgumentException if it does not fit: cut, it would be another one
	 */
	static int put(byte[] packed, int at, long number, int size) {
		long most = Math.min((1L << 8 * size) - 1, LARGEST);
		if (number < 0 || number > most) {
			throw doesNotFit(number, most);
		}
		for (int i = 0; i < size; i++) {
			packed[at + i] = (byte) (number >>> 8 * (size - 1 - i));
		}
		return at + size;
	}

	private static IllegalArgumentException doesNotFit(long number, long most) {
		return new IllegalArgumentException(
				"%d does not fit into a command for Redis: 0 to %d do".formatted(number, most));
	}

	/** Return the number of bytes that marks take. */
	static int length(RenewalMarks marks) {
		if (marks == RenewalMarks.NONE) {
			return 0;
		}
		return marks.equals(RenewalMarks.ANY) ? 1 : 4 * ((marks.text().length() + 1) / (RenewalMarks.LENGTH + 1));
	}

	/** Return whether any marks match, so that the lock is released by its handle. */
	static boolean isAny(RenewalMarks marks) {
		return marks != RenewalMarks.NONE && marks.equals(RenewalMarks.ANY);
	}

	/**
	 * Put marks, the newest first, in 4 bytes each, or {@code *} for any. Zero becomes 1,
	 * since it stands for no mark.
	 */
	static int put(byte[] packed, int at, RenewalMarks marks) {
		if (isAny(marks)) {
			packed[at] = '*';
			return at + 1;
		}
		int end = at + length(marks);
		for (int next = at, from = 0; next < end; next += 4, from += RenewalMarks.LENGTH + 1) {
			int mark = HexFormat.fromHexDigits(marks.text(), from, from + RenewalMarks.LENGTH);
			put(packed, next, (mark != 0) ? Integer.toUnsignedLong(mark) : 1, 4);
		}
		return end;
	}

	/** Return whether a script needs other keys or another script to handle a lock. */
	static boolean isSentOn(Object answer) {
		return (answer instanceof List<?> values) ? values.contains(SENT_ON) : answer.equals(SENT_ON);
	}

	/** Read the answer to an acquisition. */
	AcquireOutcome outcome(AcquireCommand command, Object answer) {
		if (alone(answer) instanceof Number number) {
			return (number.longValue() == REFUSED) ? AcquireOutcome.Refused.INSTANCE
					: new AcquireOutcome.Granted(number.longValue());
		}
		List<?> values = (List<?>) answer;
		if (number(values.get(0)) == CONTENDED) {
			return new AcquireOutcome.Granted(number(values.get(1)), true);
		}
		if (number(values.get(0)) == BUSY) {
			long next = (values.size() > 4) ? number(values.get(4)) : 0;
			return new AcquireOutcome.Busy(HexFormat.of().formatHex((byte[]) values.get(2)),
					Duration.ofMillis(number(values.get(1))), count(values.get(3)), false, next > 0,
					(command.mode() == LockMode.FAIR) ? next : 0, (values.size() > 5) ? request(values.get(5)) : null);
		}
		String other = name(command.keys().get(count(values.get(2))));
		throw (values.size() > 3) ? RedisFailures.tooFew(other, command.take(), number(values.get(1)))
				: RedisFailures.otherKind(other, command.permits(), number(values.get(1)));
	}

	/** Return whether an answer to an acquisition grants the lock. */
	static boolean isGrant(Object answer) {
		return (alone(answer) instanceof Number token) ? token.longValue() > 0
				: answer instanceof List<?> values && number(values.get(0)) == CONTENDED;
	}

	static List<Ownership> ownerships(Object answer, int count) {
		List<?> values = (List<?>) answer;
		if (values.size() != count) {
			throw new IllegalStateException(values.size() + " answers to " + count + " keys");
		}
		return values.stream().map(WireFormat::ownership).toList();
	}

	static Ownership ownership(Object answer) {
		return switch (count(alone(answer))) {
			case 1 -> Ownership.HELD;
			case 2 -> Ownership.EXPIRED;
			default -> Ownership.LOST;
		};
	}

	static Boolean flag(Object answer) {
		return number(alone(answer)) == 1;
	}

	/** Unwrap a single value, which Lettuce returns as a list. */
	private static Object alone(Object answer) {
		return (answer instanceof List<?> values && values.size() == 1) ? values.get(0) : answer;
	}

	private static RequestId request(Object packed) {
		return RequestId.parse(HexFormat.of().formatHex((byte[]) packed));
	}

	static long number(Object value) {
		return ((Number) value).longValue();
	}

	/** Read a number that is smaller than 2<sup>31</sup>. */
	static int count(Object value) {
		return Math.toIntExact(number(value));
	}

}
