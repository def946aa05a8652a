package io.distributedlock.faults;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * What the code of a process with a {@link ClientClock} calls after each look at the wall
 * clock. The bootstrap loader loads it, so that the JDK's own classes find it; it needs
 * nothing but the JDK.
 */
public final class ShiftedClock {

	private static volatile MappedByteBuffer shift;

	private ShiftedClock() {
	}

	/** Public, since its caller is of another loader. */
	public static void follow(Path file) throws IOException {
		try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
			shift = channel.map(FileChannel.MapMode.READ_ONLY, 0, 2 * Long.BYTES);
		}
	}

	/** Replaces a method reference to the method of {@link System}. */
	public static long currentTimeMillis() {
		return shiftMillis(System.currentTimeMillis());
	}

	public static long shiftMillis(long millis) {
		return millis + shift();
	}

	/** For the JDK's own look at the clock, where -1 says that it is too far away. */
	public static long shiftNanos(long adjustment) {
		return (adjustment != -1) ? adjustment + shift() * 1_000_000 : adjustment;
	}

	/** The monotonic clock, without the time in which the machine was suspended. */
	public static long runningNanos(long nanos) {
		MappedByteBuffer current = shift;
		VarHandle.acquireFence();
		return (current != null) ? nanos - current.getLong(Long.BYTES) : nanos;
	}

	/** A time of the shifted clock on the real one, for those who wait until then. */
	public static long realMillis(long millis) {
		return millis - shift();
	}

	private static long shift() {
		MappedByteBuffer current = shift;
		VarHandle.acquireFence();
		return (current != null) ? current.getLong(0) : 0;
	}

}
