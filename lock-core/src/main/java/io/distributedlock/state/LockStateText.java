package io.distributedlock.state;

import java.util.Collection;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.state.Register.Status;
import io.distributedlock.state.WaitingLine.Claim;
import io.distributedlock.state.WaitingLine.Waiter;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * A lock as text, for back ends that store texts. It begins with the version of its
 * format, so that a text of another version is refused and not misread.
 */
final class LockStateText {

	private static final String VERSION = "6";

	private static final int FIELDS = 17;

	private LockStateText() {
	}

	static String write(LockState lock) {
		Waiters waiters = lock.waiters;
		WaitingReaders readers = waiters.readers;
		return Stream
			.of(VERSION, lock.permits, lock.token, lock.expireAt, write(lock.kept),
					(lock.owner != null) ? write(lock.owner) : "", lock.registers.sweepAt,
					join(lock.registers.all(), LockStateText::write), join(readers.entries(), LockStateText::write),
					String.join(",", readers.wakes), join(readers.admitted, RequestId::toString), write(readers.phase),
					join(waiters.fair.byTicket.entrySet(), (place) -> write(place.getKey(), place.getValue())),
					join(waiters.line.waiters, LockStateText::write),
					join(waiters.fair.signs.entrySet(), (sign) -> write(sign.getKey(), sign.getValue())), lock.delay,
					lock.fixed)
			.map(Object::toString)
			.collect(Collectors.joining(";"));
	}

	private static String write(Lifetime lifetime) {
		return lifetime.deadline() + ":" + lifetime.longest();
	}

	private static String write(Register register) {
		return register.request() + ":" + write(register.lifetime()) + ":" + register.status() + ":" + register.token()
				+ ":" + register.mark() + ":" + register.permits();
	}

	private static String write(Entry entry) {
		return entry.request() + ":" + entry.until();
	}

	private static String write(long ticket, FairQueue.Place place) {
		return place.request() + ":" + place.until() + ":" + place.since() + ":" + ticket;
	}

	private static String write(String instance, FairQueue.Sign sign) {
		return instance + ":" + sign.until() + ":" + sign.since();
	}

	private static String write(Waiter waiter) {
		Claim claim = waiter.claim();
		return waiter.request() + ":" + waiter.until() + ":" + waiter.woken()
				+ ((claim != null) ? ":" + claim.millis() + ":" + claim.keeps() + ":" + claim.highestToken() : "");
	}

	private static <T> String join(Collection<T> all, Function<T, String> one) {
		return all.stream().map(one).collect(Collectors.joining(","));
	}

	static LockState read(LockKey key, long retention, String text) {
		String[] fields = text.split(";", -1);
		if (!fields[0].equals(VERSION) || fields.length != FIELDS) {
			throw unreadable(key, null);
		}
		try {
			return read(key, retention, fields);
		}
		catch (RuntimeException ex) {
			throw unreadable(key, ex);
		}
	}

	private static LockStoreException unreadable(LockKey key, @Nullable Throwable cause) {
		return new LockStoreException(Kind.MISCONFIGURED,
				"The state of '" + key
						+ "' was written by another version of this library, or by something else: let no two"
						+ " versions with different formats use one store at a time",
				cause);
	}

	private static LockState read(LockKey key, long retention, String[] fields) {
		LockState lock = new LockState(key, retention);
		lock.permits = Integer.parseInt(fields[1]);
		lock.token = Long.parseLong(fields[2]);
		lock.expireAt = Long.parseLong(fields[3]);
		lock.kept = lifetime(("kept:" + fields[4]).split(":"));
		split(fields[5], (parts) -> lock.owner = register(parts));
		lock.registers.sweepAt = Long.parseLong(fields[6]);
		split(fields[7], (parts) -> lock.registers.put(register(parts)));
		lock.delay = Long.parseLong(fields[15]);
		lock.fixed = Boolean.parseBoolean(fields[16]);
		read(lock.waiters.readers, fields);
		split(fields[12], (parts) -> lock.waiters.fair.put(Long.parseLong(parts[3]),
				new FairQueue.Place(request(parts[0]), Long.parseLong(parts[1]), Long.parseLong(parts[2]))));
		split(fields[13], (parts) -> lock.waiters.line.waiters.add(waiter(parts)));
		split(fields[14], (parts) -> lock.waiters.fair.signs.put(parts[0],
				new FairQueue.Sign(Long.parseLong(parts[1]), Long.parseLong(parts[2]))));
		return lock;
	}

	private static void read(WaitingReaders readers, String[] fields) {
		split(fields[8], (parts) -> readers.put(entry(parts)));
		split(fields[9], (parts) -> readers.wakes.add(parts[0]));
		split(fields[10], (parts) -> readers.admitted.add(request(parts[0])));
		readers.phase = lifetime(("phase:" + fields[11]).split(":"));
	}

	private static Register register(String[] parts) {
		return new Register(request(parts[0]), Status.valueOf(parts[3]), lifetime(parts), Long.parseLong(parts[4]),
				parts[5], Integer.parseInt(parts[6]));
	}

	private static Entry entry(String[] parts) {
		return new Entry(request(parts[0]), Long.parseLong(parts[1]));
	}

	/** Read a lifetime from the second and third part. */
	private static Lifetime lifetime(String[] parts) {
		return new Lifetime(Long.parseLong(parts[1]), Long.parseLong(parts[2]));
	}

	private static RequestId request(String text) {
		return RequestId.parse(text);
	}

	private static Waiter waiter(String[] parts) {
		Claim claim = (parts.length > 3)
				? new Claim(Long.parseLong(parts[3]), Boolean.parseBoolean(parts[4]), Long.parseLong(parts[5])) : null;
		return new Waiter(request(parts[0]), Long.parseLong(parts[1]), Boolean.parseBoolean(parts[2]), claim);
	}

	private static void split(String text, Consumer<String[]> one) {
		if (!text.isEmpty()) {
			Stream.of(text.split(",")).map((part) -> part.split(":", -1)).forEach(one);
		}
	}

}
