package io.distributedlock.benchmarks.comparison;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Libraries that take turns in a workload.
 */
final class Participants implements AutoCloseable {

	private final Map<String, Participant> all = new LinkedHashMap<>();

	/**
	 * Open the chosen libraries, also with observations: these cost something for each
	 * pair.
	 */
	static Participants open(Setting setting, Predicate<Library> chosen) {
		Participants participants = new Participants();
		for (Library library : Library.values()) {
			if (library != Library.OWN_LEASE && setting.includes(library) && chosen.test(library)) {
				participants.all.put(library.label(), Participant.open(library, setting.place()));
			}
		}
		return participants;
	}

	/**
	 * Return the chosen libraries, without observations and leases. A lease is locked
	 * like a lock, so it takes part only where it is held.
	 */
	static List<Library> libraries(Setting setting, Predicate<Library> chosen) {
		List<Library> libraries = new ArrayList<>(List.of(Library.values()));
		libraries.removeAll(List.of(Library.OWN_LEASE, Library.OWN_OBSERVED));
		libraries.removeIf((library) -> !setting.includes(library) || !chosen.test(library));
		return libraries;
	}

	static boolean waits(Library library) {
		return library.cannotWait().isEmpty();
	}

	Map<String, Participant> all() {
		return this.all;
	}

	@Override
	public void close() {
		this.all.values().forEach(Participant::close);
	}

}
