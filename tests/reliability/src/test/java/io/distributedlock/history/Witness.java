package io.distributedlock.history;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A server that shares nothing with the locks. One thread takes all requests, so the
 * order in which it writes them into its history is a total order that no clock can
 * disturb.
 */
public final class Witness implements AutoCloseable {

	/** The process that its events are of. */
	public static final String PROC = "witness";

	private final Registers registers;

	private final Recorder recorder;

	private final Selector selector;

	private final ServerSocketChannel server;

	private final Thread thread;

	private Witness(Path directory) throws IOException {
		this.recorder = Recorder.open(directory, PROC);
		this.registers = new Registers(this.recorder);
		this.selector = Selector.open();
		this.server = ServerSocketChannel.open();
		this.server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
		this.server.configureBlocking(false);
		this.server.register(this.selector, SelectionKey.OP_ACCEPT);
		this.thread = new Thread(this::serve, PROC);
		this.thread.setDaemon(true);
		this.thread.start();
	}

	/**
	 * Start a witness in this process.
	 * @param directory where its history goes
	 * @return the running witness
	 */
	public static Witness start(Path directory) {
		try {
			return new Witness(directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Run a witness until the standard input ends. Its first line of output is its port.
	 * @param args the directory for its history
	 * @throws IOException if the input cannot be read
	 */
	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		try (Witness witness = start(Path.of(args[0]))) {
			out.println("port " + witness.port());
			while (System.in.read() >= 0) {
				continue;
			}
		}
	}

	/**
	 * The port on which it listens, on the loopback interface.
	 * @return the port
	 */
	public int port() {
		return this.server.socket().getLocalPort();
	}

	private void serve() {
		try {
			while (this.server.isOpen()) {
				this.selector.select(this::ready);
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void ready(SelectionKey key) {
		if (key.attachment() instanceof WitnessConnection connection) {
			connection.read();
			return;
		}
		try {
			SocketChannel channel = this.server.accept();
			channel.configureBlocking(false);
			channel.register(this.selector, SelectionKey.OP_READ, new WitnessConnection(channel, this.registers));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Stop, with all that was received written. */
	@Override
	public void close() throws IOException {
		this.server.close();
		this.selector.wakeup();
		try {
			this.thread.join();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		for (SelectionKey key : this.selector.keys()) {
			key.channel().close();
		}
		this.selector.close();
		this.recorder.close();
	}

}
