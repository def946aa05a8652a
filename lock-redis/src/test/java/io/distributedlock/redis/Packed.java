package io.distributedlock.redis;

import java.time.Duration;
import java.util.Arrays;

import io.distributedlock.store.RenewalMarks;

/**
 * An argument that a test packs for a script by itself.
 */
final class Packed {

	private final byte[] bytes = new byte[64];

	private int length;

	Packed millis(Duration duration) {
		this.length = WireFormat.putMillis(this.bytes, this.length, duration);
		return this;
	}

	Packed waiting(Duration duration) {
		this.length = WireFormat.putWaiting(this.bytes, this.length, duration);
		return this;
	}

	Packed number(long value, int size) {
		this.length = WireFormat.put(this.bytes, this.length, value, size);
		return this;
	}

	Packed marks(RenewalMarks marks) {
		this.length = WireFormat.put(this.bytes, this.length, marks);
		return this;
	}

	byte[] toBytes() {
		return Arrays.copyOf(this.bytes, this.length);
	}

}
