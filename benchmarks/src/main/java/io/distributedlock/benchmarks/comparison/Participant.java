package io.distributedlock.benchmarks.comparison;

import java.util.Set;
import java.util.concurrent.locks.Lock;

/**
 * A library that takes part in a workload.
 *
 * @param library the library
 * @param candidate its locks
 * @param threads the number of threads that it started up to its first lock
 */
record Participant(Library library, Candidate candidate, int threads) implements AutoCloseable {

	static Participant open(Library library, Place place) {
		Set<Long> before = Threads.live();
		Candidate candidate = library.open(place);
		Lock first = candidate.lock(library.key("first"));
		first.lock();
		first.unlock();
		return new Participant(library, candidate, Threads.since(before).size());
	}

	Lock lock(String key) {
		return this.candidate.lock(this.library.key(key));
	}

	@Override
	public void close() {
		this.candidate.close();
	}

}
