package io.distributedlock.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

import org.jspecify.annotations.Nullable;

/**
 * Chooses ports below the range that systems give to outgoing connections. So an outgoing
 * connection never takes the port of a server that restarts, and never connects to
 * itself.
 */
final class FreePort {

	private static final int FIRST = 15_000;

	private static final int LAST = 32_000;

	private FreePort() {
	}

	static PortReservation choose() {
		for (int attempt = 0; attempt < 1_000; attempt++) {
			PortReservation reservation = free(ThreadLocalRandom.current().nextInt(FIRST, LAST));
			if (reservation != null) {
				return reservation;
			}
		}
		throw new IllegalStateException("No free port between " + FIRST + " and " + LAST);
	}

	/** Reserve a port; {@code null} if it is reserved or in use. */
	static @Nullable PortReservation free(int port) {
		PortReservation reservation = PortReservation.of(port);
		if (reservation == null) {
			return null;
		}
		try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
			return reservation;
		}
		catch (IOException ex) {
			reservation.close();
			return null;
		}
	}

}
