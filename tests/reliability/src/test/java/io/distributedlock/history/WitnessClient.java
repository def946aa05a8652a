package io.distributedlock.history;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

import io.distributedlock.history.Registers.Verb;

/**
 * A connection to the witness. Not thread-safe: each thread has its own. Interrupts do
 * not disturb it.
 */
public final class WitnessClient implements Closeable {

	private final Socket socket;

	private final StringBuilder line = new StringBuilder();

	private final LineFields fields = new LineFields(1);

	private final byte[] reply = new byte[64];

	/**
	 * Connect to a witness on this host.
	 * @param port where it listens
	 * @throws IOException if there is none
	 */
	public WitnessClient(int port) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setTcpNoDelay(true);
	}

	/**
	 * Say that a guarded section begins. From here on the fenced register refuses lower
	 * tokens.
	 * @param hold the recorded lease
	 * @param key the lock
	 * @return not accepted if a higher token was seen; the value of the fenced register
	 * @throws IOException if the witness is gone
	 */
	public WitnessReply enter(String key, Hold hold) throws IOException {
		return ask(Verb.ENTER, key, hold.request(), hold.token(), 0, 0);
	}

	/**
	 * Say that a guarded section ends.
	 * @param hold the recorded lease
	 * @param key the lock
	 * @return always accepted; the value of the fenced register
	 * @throws IOException if the witness is gone
	 */
	public WitnessReply exit(String key, Hold hold) throws IOException {
		return ask(Verb.EXIT, key, hold.request(), hold.token(), 0, 0);
	}

	/**
	 * Write the fenced register.
	 * @param hold the recorded lease
	 * @param key the lock
	 * @param prev the value that was read
	 * @param val the value to write
	 * @return not accepted if a higher token was seen; the value of the register
	 * @throws IOException if the witness is gone
	 */
	public WitnessReply write(String key, Hold hold, long prev, long val) throws IOException {
		return ask(Verb.WRITE, key, hold.request(), hold.token(), prev, val);
	}

	/**
	 * Read the fenced register, without a token.
	 * @param key the lock
	 * @return the value
	 * @throws IOException if the witness is gone
	 */
	public long read(String key) throws IOException {
		return ask(Verb.READ, key, "", 0, 0, 0).value();
	}

	/**
	 * Write the register that takes everything.
	 * @param hold the recorded lease
	 * @param key the lock
	 * @param prev the value that was read
	 * @param val the value to write
	 * @return always accepted
	 * @throws IOException if the witness is gone
	 */
	public WitnessReply writeUnfenced(String key, Hold hold, long prev, long val) throws IOException {
		return ask(Verb.WRITE_UNFENCED, key, hold.request(), hold.token(), prev, val);
	}

	/**
	 * Read the register that takes everything.
	 * @param key the lock
	 * @return the value
	 * @throws IOException if the witness is gone
	 */
	public long readUnfenced(String key) throws IOException {
		return ask(Verb.READ_UNFENCED, key, "", 0, 0, 0).value();
	}

	private WitnessReply ask(Verb verb, String key, String request, long token, long prev, long val)
			throws IOException {
		this.line.setLength(0);
		this.line.append(verb.ordinal()).append('\t');
		EventLine.text(this.line, key);
		EventLine.text(this.line, request);
		this.line.append(token).append('\t').append(prev).append('\t').append(val).append("\t\n");
		this.socket.getOutputStream().write(this.line.toString().getBytes(StandardCharsets.ISO_8859_1));
		return WitnessReply.parse(this.fields.on(this.reply, 0, readLine(this.socket.getInputStream())));
	}

	/** Nothing comes after a reply that was not asked for. */
	private int readLine(InputStream in) throws IOException {
		int length = 0;
		while (length == 0 || this.reply[length - 1] != '\n') {
			int read = in.read(this.reply, length, this.reply.length - length);
			if (read <= 0) {
				throw new EOFException("The witness is gone");
			}
			length += read;
		}
		return length - 1;
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
