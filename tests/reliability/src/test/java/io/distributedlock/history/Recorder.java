package io.distributedlock.history;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import io.distributedlock.Lease;
import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * Writes the events of one process into a file of its own. Thread-safe.
 * <p>
 * {@link #append} returns after the whole line was handed to the kernel, so whatever was
 * recorded before a call is in the file even if the process is killed during the call; a
 * crash of the machine may lose it. A killed process leaves at most one torn line, the
 * last. Times are taken under the lock that orders the lines: they strictly grow within
 * the file, never lie before the moment an answer was there, nor after the moment a call
 * began. A plain stream is used, because a channel would be closed by the first interrupt
 * of a thread that records.
 */
public final class Recorder implements Closeable {

	static final String SUFFIX = ".history";

	private final String proc;

	private final FileOutputStream out;

	private final LongSupplier clock;

	private final ReentrantLock lock = new ReentrantLock();

	private final StringBuilder line = new StringBuilder(256);

	private final AtomicLong requests = new AtomicLong();

	private long last = Long.MIN_VALUE;

	private Recorder(String proc, FileOutputStream out, LongSupplier clock) {
		this.proc = proc;
		this.out = out;
		this.clock = clock;
	}

	/**
	 * Begin the file of a process.
	 * @param directory where the files of all processes are
	 * @param proc the name of the process, never used before
	 * @return the recorder
	 */
	public static Recorder open(Path directory, String proc) {
		return open(directory, proc, System::nanoTime);
	}

	static Recorder open(Path directory, String proc, LongSupplier clock) {
		Path file = directory.resolve(proc + SUFFIX);
		if (Files.exists(file)) {
			throw new IllegalArgumentException("There is a history of a process '" + proc + "' already");
		}
		try {
			return new Recorder(proc, new FileOutputStream(file.toFile()), clock);
		}
		catch (FileNotFoundException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * The name of the process.
	 * @return the name
	 */
	public String proc() {
		return this.proc;
	}

	/**
	 * Write an event of this process, now. An event without thread is of the calling one.
	 * @param event the event; its time and process are replaced
	 * @return the time it was given
	 */
	public long append(Event event) {
		String thread = event.thread().isEmpty() ? Thread.currentThread().getName() : event.thread();
		this.lock.lock();
		try {
			this.last = Math.max(this.clock.getAsLong(), this.last + 1);
			write(event.by(this.proc, thread).at(this.last));
			return this.last;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	private void write(Event event) throws IOException {
		this.line.setLength(0);
		EventLine.write(event, this.line);
		this.line.append('\n');
		this.out.write(this.line.toString().getBytes(StandardCharsets.ISO_8859_1));
	}

	/**
	 * The time that an event would be given now. Waits for a thread that records.
	 * @return a time of {@link System#nanoTime()}
	 */
	public long time() {
		this.lock.lock();
		try {
			return this.clock.getAsLong();
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Write faults that were noticed only after they were over, at the times at which
	 * they happened. Their file holds nothing else, since its lines are in order of time.
	 * @param faults not begun before others that were written
	 */
	public void append(Collection<PastFault> faults) {
		List<Event> events = new ArrayList<>();
		for (PastFault fault : faults) {
			events.addAll(fault.events(this.proc + "-fault-" + this.requests.incrementAndGet()));
		}
		events.sort(HistoryFile.ORDER);
		this.lock.lock();
		try {
			for (Event event : events) {
				write(event.by(this.proc, event.thread()));
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		finally {
			this.lock.unlock();
		}
	}

	/**
	 * Record that an exclusive lock is about to be requested.
	 * @param key the lock
	 * @return the attempt, to be told the outcome
	 */
	public Attempt acquire(String key) {
		return acquire(key, Mode.X, 1);
	}

	/**
	 * Record that a lock is about to be requested.
	 * @param key the lock
	 * @param mode its kind
	 * @param permits how many permits
	 * @return the attempt, to be told the outcome
	 */
	public Attempt acquire(String key, Mode mode, int permits) {
		return new Attempt(this, asking(key, mode, permits));
	}

	/**
	 * Record that a permit of a semaphore is about to be requested.
	 * @param key the lock
	 * @param limit how many permits there are
	 * @return the attempt, to be told the outcome
	 */
	public Attempt acquirePermit(String key, int limit) {
		return new Attempt(this, asking(key, Mode.S, 1).values(0, limit));
	}

	/**
	 * Record that a lock is about to be requested together with others, which are
	 * acquired one after the other and released if one is busy.
	 * @param key the lock
	 * @param mode its kind
	 * @return the attempt, to be told the outcome
	 */
	public Attempt acquireInTurn(String key, Mode mode) {
		return new Attempt(this, asking(key, mode, 1).result(PendingRequest.DIVIDED, ""));
	}

	/**
	 * Record that a lock is about to be requested together with others, all or none.
	 * @param key the lock
	 * @param mode its kind
	 * @return the attempt, to be told the outcome
	 */
	public Attempt acquireTogether(String key, Mode mode) {
		return new Attempt(this, asking(key, mode, 1).result(PendingRequest.TOGETHER, ""));
	}

	private Event asking(String key, Mode mode, int permits) {
		String request = this.proc + "-" + this.requests.incrementAndGet();
		return Event.of(Op.ACQUIRE, Phase.INVOKE, key).lease(request, 0).mode(mode, permits);
	}

	/**
	 * Record that a fault begins.
	 * @param kind the kind of the fault
	 * @param key the lock it hits, or {@link Event#ALL}
	 * @param target the process it hits, or {@link Event#ALL}
	 * @param description the fault in words
	 * @return the fault, to be told its end
	 */
	public Fault fault(NemesisKind kind, String key, String target, String description) {
		String id = this.proc + "-fault-" + this.requests.incrementAndGet();
		return new Fault(this,
				Event.of(Op.NEMESIS, Phase.INVOKE, key).by("", target).lease(id, 0).result(kind.name(), description));
	}

	/**
	 * The time until which a lease is certainly valid if it is not renewed. The clock is
	 * read before the lease is asked, so that a pause between the two makes the answer
	 * too early.
	 * @param lease the lease
	 * @return a time of {@link System#nanoTime()}
	 */
	public static long validUntil(Lease lease) {
		long now = System.nanoTime();
		return now + lease.remaining().toNanos();
	}

	@Override
	public void close() throws IOException {
		this.out.close();
	}

}
