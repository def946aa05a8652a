package io.distributedlock.benchmarks.protocol;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.distributedlock.embedded.RedisServer;
import org.jspecify.annotations.Nullable;

/**
 * Stands between clients and a server and counts requests and bytes. It can hold requests
 * back so that they gather. The server then gets them in one pipeline, however the driver
 * wrote them.
 */
final class CountingRelay implements AutoCloseable {

	private final RedisServer server;

	private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

	/** Runs the transfers. A transfer fails, and ends, when its connection is closed. */
	private final ExecutorService transfers = Executors.newCachedThreadPool();

	private final List<Link> links = new ArrayList<>();

	private boolean holding;

	private long requests;

	private long bytes;

	CountingRelay(RedisServer server) throws IOException {
		this.server = server;
		this.transfers.submit(this::accept);
	}

	int port() {
		return this.listener.getLocalPort();
	}

	synchronized long requests() {
		return this.requests;
	}

	/** The bytes in both directions. */
	synchronized long bytes() {
		return this.bytes;
	}

	/** Hold requests back from now on. */
	synchronized void hold() {
		this.holding = true;
	}

	/**
	 * Wait for a number of requests, then send all of them. If no bytes come for 100 ms,
	 * wait no longer: the client may send the rest only after an answer.
	 */
	synchronized void sendWhenThereAre(long expected) throws Exception {
		for (long before = -1; this.requests < expected && this.bytes != before;) {
			before = this.bytes;
			TimeUnit.MILLISECONDS.timedWait(this, 100);
		}
		this.holding = false;
		for (Link link : this.links) {
			link.sendHeld();
		}
	}

	private Void accept() throws IOException {
		while (true) {
			Link link = new Link(this.listener.accept(), new Socket(this.server.host(), this.server.port()));
			synchronized (this) {
				this.links.add(link);
			}
			this.transfers.submit(link::requests);
			this.transfers.submit(link::answers);
		}
	}

	@Override
	public synchronized void close() {
		try {
			this.listener.close();
			for (Link link : this.links) {
				link.client.close();
				link.server.close();
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		this.transfers.shutdown();
	}

	/** A connection of a client, and that to the server. */
	private final class Link {

		private final Socket client;

		private final Socket server;

		private final ByteArrayOutputStream held = new ByteArrayOutputStream();

		private final StringBuilder header = new StringBuilder();

		/** Number of bytes of an argument that are still to come. */
		private int skipped;

		Link(Socket client, Socket server) throws IOException {
			this.client = client;
			this.server = server;
			client.setTcpNoDelay(true);
			server.setTcpNoDelay(true);
		}

		@Nullable Void requests() throws IOException {
			byte[] buffer = new byte[65_536];
			for (int read; (read = this.client.getInputStream().read(buffer)) >= 0;) {
				synchronized (CountingRelay.this) {
					count(buffer, read);
					this.held.write(buffer, 0, read);
					if (!CountingRelay.this.holding) {
						sendHeld();
					}
					CountingRelay.this.notifyAll();
				}
			}
			this.server.close();
			return null;
		}

		/** Count the requests, which are lists of texts of known length. */
		private void count(byte[] buffer, int length) {
			CountingRelay.this.bytes += length;
			for (int i = 0; i < length; i++) {
				if (this.skipped > 0) {
					this.skipped--;
				}
				else if (buffer[i] != '\n') {
					this.header.append((char) buffer[i]);
				}
				else {
					CountingRelay.this.requests += (this.header.charAt(0) == '*') ? 1 : 0;
					this.skipped = (this.header.charAt(0) == '$')
							? Integer.parseInt(this.header.substring(1).strip()) + 2 : 0;
					this.header.setLength(0);
				}
			}
		}

		void sendHeld() throws IOException {
			this.held.writeTo(this.server.getOutputStream());
			this.held.reset();
		}

		@Nullable Void answers() throws IOException {
			byte[] buffer = new byte[65_536];
			for (int read; (read = this.server.getInputStream().read(buffer)) >= 0;) {
				synchronized (CountingRelay.this) {
					CountingRelay.this.bytes += read;
				}
				this.client.getOutputStream().write(buffer, 0, read);
			}
			this.client.close();
			return null;
		}

	}

}
