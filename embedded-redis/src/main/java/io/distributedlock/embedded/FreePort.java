package io.distributedlock.embedded;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Chooses ports. Below the range that systems give to outgoing connections, so that none
 * of those takes a server's port while it is restarted, or connects to itself.
 */
final class FreePort {

	private static final int FIRST = 15_000;

	private static final int LAST = 32_000;

	private FreePort() {
	}

	static int choose() {
		for (int attempt = 0; attempt < 1_000; attempt++) {
			int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
			try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
				return socket.getLocalPort();
			}
			catch (IOException ignored) {
				// Taken: try another.
			}
		}
		throw new IllegalStateException("No free port between " + FIRST + " and " + LAST);
	}

}
