package io.distributedlock.history;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * A fault that the run did not make, and that was noticed only after it was over.
 *
 * @param kind its meaning for the checker
 * @param key the lock it hit, or {@link Event#ALL}
 * @param target the process it hit, or {@link Event#ALL}
 * @param description the event in words
 * @param begin when all was well for the last time
 * @param end when all was well again
 */
public record PastFault(NemesisKind kind, String key, String target, String description, long begin, long end) {

	/**
	 * The same of some locks; the description counts it once.
	 * @param keys the locks
	 * @return one for each
	 */
	public List<PastFault> of(Collection<String> keys) {
		List<PastFault> faults = new ArrayList<>();
		for (String each : keys) {
			faults.add(new PastFault(this.kind, each, this.target, faults.isEmpty() ? this.description : "", this.begin,
					this.end));
		}
		return faults;
	}

	List<Event> events(String id) {
		Event begun = Event.of(Op.NEMESIS, Phase.INVOKE, this.key)
			.by("", this.target)
			.lease(id, 0)
			.result(this.kind.name(), this.description);
		return List.of(begun.at(this.begin), begun.as(Op.NEMESIS, Phase.OK).at(this.end));
	}

}
