package io.distributedlock.state;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * A message to an instance: it may attempt again, or has got or lost a lock. It crosses
 * processes as a text: {@link #encoded()} is published, and {@link #ofEncoded(String)}
 * reads it.
 *
 * @param key the lock
 * @param instance the instance
 * @param request the request that is next, or has got or lost the lock; {@code null} if
 * any waiter of the instance may attempt
 * @param token the fencing token if the request has got the lock, {@link #REVOKED} if it
 * lost the lock, else zero
 * @since 0.1.0
 */
public record WakeUp(LockKey key, String instance, @Nullable RequestId request, long token) {

	/** Token value if the lock was taken away from the request. */
	public static final long REVOKED = -1;

	/** The key comes last, since it may contain blanks. */
	private static final Pattern ENCODED = Pattern.compile("(\\p{XDigit}{16}) (|\\p{XDigit}{32}) (-?\\d{1,18}) (.+)",
			Pattern.DOTALL);

	/**
	 * Create a message to an instance that may attempt again.
	 * @param key the lock
	 * @param instance the instance
	 * @param request the request that is next, or {@code null}
	 */
	public WakeUp(LockKey key, String instance, @Nullable RequestId request) {
		this(key, instance, request, 0);
	}

	/**
	 * Read a message.
	 * @param encoded its {@linkplain #encoded() text form}
	 * @return an equal message
	 * @throws IllegalArgumentException if the text is of another version of this library,
	 * or of something else: call {@link WakeUpListener#wakeUpAll()} instead
	 */
	public static WakeUp ofEncoded(String encoded) {
		Matcher parts = ENCODED.matcher(encoded);
		if (!parts.matches()) {
			throw new IllegalArgumentException("No wake-up is written as '" + encoded + "'");
		}
		String request = parts.group(2);
		return new WakeUp(LockKey.ofEncoded(parts.group(4)), parts.group(1),
				request.isEmpty() ? null : RequestId.parse(request), Long.parseLong(parts.group(3)));
	}

	/**
	 * The text form for the wire.
	 * @return instance, request and token, with blanks in between, and then the key's
	 * {@linkplain LockKey#encoded() encoding}: about 100 characters, at most 400 bytes in
	 * UTF-8
	 */
	public String encoded() {
		String id = (this.request != null) ? this.request.toString() : "";
		return this.instance + ' ' + id + ' ' + this.token + ' ' + this.key.encoded();
	}

	/**
	 * Pass the message to the listener of the instance.
	 * @param listener the listener
	 */
	public void tell(WakeUpListener listener) {
		if (this.request == null) {
			listener.wakeUp(this.key.encoded());
		}
		else if (this.token == 0) {
			listener.wakeUp(this.key.encoded(), this.request.toString());
		}
		else if (this.token == REVOKED) {
			listener.revoked(this.key.encoded(), this.request.toString());
		}
		else {
			listener.claimed(this.key.encoded(), this.request.toString(), this.token);
		}
	}

}
