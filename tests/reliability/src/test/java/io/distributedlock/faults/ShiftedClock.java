package io.distributedlock.faults;

import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The methods that the code of a process with a {@link ClientClock} calls after each look
 * at the wall clock. The bootstrap loader loads the class, so that the JDK's own classes
 * find it; it needs nothing but the JDK.
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

	/** A time of the shifted clock on the real one, for those who wait until then. */
	public static long realMillis(long millis) {
		return millis - shift();
	}

	/**
	 * Replaces the method of {@link System} in the code of the locks. A process that is
	 * stopped between the two looks at a suspension looks again.
	 */
	public static long nanoTime() {
		long before = suspended();
		long time = System.nanoTime();
		return (suspended() == before) ? time - before : nanoTime();
	}

	private static long shift() {
		return read(0);
	}

	private static long suspended() {
		return read(Long.BYTES);
	}

	private static long read(int index) {
		MappedByteBuffer current = shift;
		VarHandle.fullFence();
		return (current != null) ? current.getLong(index) : 0;
	}

}
