package io.distributedlock.benchmarks.comparison;

import java.util.Set;
import java.util.concurrent.locks.Lock;

/**
 * A library that takes part in a workload.
 *
 * @param library which one
 * @param candidate its locks
 * @param threads how many threads it started until it had locked once
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
