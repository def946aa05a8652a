package io.distributedlock.state;

import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.state.WaitingInstances.Waiter;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;

/**
 * A lock as text, for back ends that keep texts. It begins with a version, so that what
 * another version has written is refused and not misread.
 */
final class LockStateText {

	private static final String VERSION = "1";

	private static final int FIELDS = 18;

	private LockStateText() {
	}

	static String write(LockState lock) {
		Waiters waiters = lock.waiters;
		Tombstones tombstones = lock.tombstones;
		return Stream.of(VERSION, lock.permits, lock.token, lock.expireAt, lock.lookAt, lock.queued,
				lock.kept.deadline(), lock.kept.longest(), waiters.lastTicket,
				entries((lock.owner != null) ? List.of(lock.owner) : List.of()), entries(lock.holders.values()),
				entries(waiters.readers.values()), entries(waiters.admitted.values()), entries(waiters.fair.values()),
				join(tombstones.released, RequestId::toString), join(tombstones.sharedReleased, RequestId::toString),
				join(tombstones.abandoned, RequestId::toString), join(waiters.instances.waiters, LockStateText::write))
			.map(Object::toString)
			.collect(Collectors.joining(";"));
	}

	private static String entries(Collection<Entry> entries) {
		return join(entries, (entry) -> entry.request() + ":" + entry.lifetime().deadline() + ":"
				+ entry.lifetime().longest() + ":" + entry.number() + ":" + entry.mark());
	}

	private static String write(Waiter waiter) {
		return waiter.instance() + ":" + waiter.until() + ":" + waiter.woken();
	}

	private static <T> String join(Collection<T> all, Function<T, String> one) {
		return all.stream().map(one).collect(Collectors.joining(","));
	}

	static LockState read(LockKey key, long retention, String text) {
		String[] fields = text.split(";", -1);
		if (!fields[0].equals(VERSION) || fields.length != FIELDS) {
			throw new LockStoreException(Kind.MISCONFIGURED,
					"What is kept of '" + key
							+ "' was written by another version of this library, or by something else: let no two"
							+ " versions with different formats use one store at a time",
					null);
		}
		LockState lock = new LockState(key, retention);
		lock.permits = Integer.parseInt(fields[1]);
		lock.token = Long.parseLong(fields[2]);
		lock.expireAt = Long.parseLong(fields[3]);
		lock.lookAt = Long.parseLong(fields[4]);
		lock.queued = Boolean.parseBoolean(fields[5]);
		lock.kept = new Lifetime(Long.parseLong(fields[6]), Long.parseLong(fields[7]));
		lock.waiters.lastTicket = Long.parseLong(fields[8]);
		entries(fields[9], (entry) -> lock.owner = entry);
		entries(fields[10], (entry) -> lock.holders.put(entry.request(), entry));
		entries(fields[11], (entry) -> lock.waiters.readers.put(entry.request(), entry));
		entries(fields[12], (entry) -> lock.waiters.admitted.put(entry.request(), entry));
		entries(fields[13], (entry) -> lock.waiters.fair.put(entry.request(), entry));
		split(fields[14], (request) -> lock.tombstones.released.add(request(request)));
		split(fields[15], (request) -> lock.tombstones.sharedReleased.add(request(request)));
		split(fields[16], (request) -> lock.tombstones.abandoned.add(request(request)));
		split(fields[17], (waiter) -> lock.waiters.instances.waiters.add(waiter(waiter.split(":"))));
		return lock;
	}

	private static void entries(String text, Consumer<Entry> entries) {
		split(text, (entry) -> entries.accept(entry(entry.split(":", -1))));
	}

	private static Entry entry(String[] parts) {
		Lifetime lifetime = new Lifetime(Long.parseLong(parts[1]), Long.parseLong(parts[2]));
		return new Entry(request(parts[0]), lifetime, Long.parseLong(parts[3]), parts[4]);
	}

	private static RequestId request(String text) {
		return new RequestId(Long.parseUnsignedLong(text, 0, 16, 16), Long.parseUnsignedLong(text, 16, 32, 16));
	}

	private static Waiter waiter(String[] parts) {
		return new Waiter(parts[0], Long.parseLong(parts[1]), Boolean.parseBoolean(parts[2]));
	}

	private static void split(String text, Consumer<String> one) {
		if (!text.isEmpty()) {
			Stream.of(text.split(",")).forEach(one);
		}
	}

}
