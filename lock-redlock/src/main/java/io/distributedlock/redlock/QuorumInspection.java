package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

import io.distributedlock.LockInspection;
import io.distributedlock.LockInspection.Holder;
import io.distributedlock.LockMode;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Asks all nodes for the holders of a lock. A holder is a request that a majority names,
 * or may name if some nodes are silent. An attempt that got fewer nodes holds nothing.
 */
final class QuorumInspection extends Round<LockInspection, LockInspection> {

	private final LockKey key;

	private final String purpose;

	/**
	 * Create an inspection.
	 * @param purpose the action that a failure prevents
	 */
	QuorumInspection(Quorum quorum, LockKey key, String purpose) {
		super(quorum);
		this.key = key;
		this.purpose = purpose;
	}

	QuorumInspection start() {
		limit(this.quorum.settings().timeout());
		for (int i = 0; i < size(); i++) {
			asked(i, this.quorum.members().get(i).askMonitor((monitor) -> monitor.inspect(this.key)));
		}
		return this;
	}

	@Override
	@Nullable Answer<LockInspection> judge(List<Runnable> effects) {
		int majority = this.quorum.majority();
		boolean all = reached() + failed() == size();
		if (reached() >= majority && (all || doesWithoutSilent(majority))) {
			return Answer.of(together(majority));
		}
		if (failed() > size() - majority || isExhausted()) {
			return unavailable(this.purpose + " " + this.key, "it", majority);
		}
		return null;
	}

	/** Return the requests that each node names, without nodes that have not answered. */
	synchronized Map<Integer, Set<RequestId>> requests() {
		Map<Integer, Set<RequestId>> requests = new HashMap<>();
		for (int i = 0; i < size(); i++) {
			Answer<LockInspection> answer = answer(i);
			if (answer != null && answer.value() != null) {
				requests.put(i,
						answer.value()
							.holders()
							.stream()
							.map((holder) -> RequestId.parse(holder.request()))
							.collect(Collectors.toSet()));
			}
		}
		return requests;
	}

	private LockInspection together(int majority) {
		List<LockInspection> answers = new ArrayList<>();
		List<String> silent = new ArrayList<>();
		for (int i = 0; i < size(); i++) {
			Answer<LockInspection> answer = answer(i);
			if (answer != null && answer.value() != null) {
				answers.add(answer.value());
			}
			else {
				silent.add(this.quorum.members().get(i).node.name());
			}
		}
		int needed = majority - silent.size();
		List<Holder> holders = holders(answers, Math.max(1, needed));
		int count = Math.max(holders.size(),
				(int) nth(answers, LockInspection::holderCount, needed) * (holders.isEmpty() ? 0 : 1));
		int permits = (int) nth(answers, LockInspection::permits, 1);
		LockMode mode = answers.stream()
			.filter((each) -> each.holderCount() > 0)
			.map(LockInspection::mode)
			.findFirst()
			.orElse((permits > 0) ? LockMode.SEMAPHORE : LockMode.EXCLUSIVE);
		return new LockInspection(mode, permits, holders, count, (int) nth(answers, LockInspection::waiting, 1),
				Duration.ofMillis(nth(answers, (each) -> each.keptFor().toMillis(), needed)), List.copyOf(silent));
	}

	/** Return the n-th largest value of the answers, or zero. */
	private static <T> long nth(List<T> answers, ToLongFunction<T> value, int n) {
		long[] sorted = answers.stream().mapToLong(value).sorted().toArray();
		int index = sorted.length - Math.max(1, n);
		return (index >= 0) ? sorted[index] : 0;
	}

	/**
	 * Return the holders that enough nodes name, each with values that enough nodes
	 * confirm.
	 */
	private static List<Holder> holders(List<LockInspection> answers, int needed) {
		Map<String, List<Holder>> named = new LinkedHashMap<>();
		answers.forEach((each) -> each.holders()
			.forEach((holder) -> named.computeIfAbsent(holder.request(), (request) -> new ArrayList<>()).add(holder)));
		return named.values()
			.stream()
			.filter((same) -> same.size() >= needed)
			.map((same) -> agreed(same, needed))
			.toList();
	}

	private static Holder agreed(List<Holder> same, int needed) {
		long remaining = nth(same, (holder) -> holder.remaining().toMillis(), needed);
		// A node that granted late has another token, which may be larger.
		long token = nth(same, Holder::fencingToken, needed);
		return new Holder(same.get(0).request(), "", token, Duration.ofMillis(remaining), 1);
	}

}
