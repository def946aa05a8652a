package io.distributedlock.history;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * Reads a history once, in order of time, and reports all that must not have happened.
 * Remembers per lock who holds and who waits, and forgets all that is over.
 */
public final class HistoryChecker {

	private final Bounds bounds;

	private final Findings findings = new Findings();

	private final Map<String, LockState> states = new HashMap<>();

	private final Faults faults;

	private final FencedRegisterRule registers;

	private final DetectionRule detection;

	private final LineOrderRule line;

	private final ReadWriteRule readers;

	private final List<Rule> rules;

	private Event last = Event.of(Op.NEMESIS, Phase.OK, Event.ALL).at(Long.MIN_VALUE);

	/**
	 * Check a new history.
	 * @param bounds the promises of the locks
	 */
	public HistoryChecker(Bounds bounds) {
		this.bounds = bounds;
		this.faults = new Faults(bounds);
		this.registers = new FencedRegisterRule(this.findings);
		this.detection = new DetectionRule(this.findings, bounds, this.faults);
		this.line = new LineOrderRule(this.findings, bounds, this.faults);
		this.readers = new ReadWriteRule(this.findings, bounds, this.faults, this.detection);
		this.rules = List.of(new ExclusionRule(this.findings, this.detection),
				new TokenOrderRule(this.findings, this.faults), this.registers,
				new BoundedWaitRule(this.findings, bounds, this.faults, this.states.values()),
				new ReentranceRule(this.findings, this.states.values()), this.readers,
				new SemaphoreRule(this.findings, this.faults), new UnknownOutcomeRule(this.findings, bounds),
				this.detection, this.line, new FalseLossRule(this.findings, this.faults));
	}

	/**
	 * Take the next event in.
	 * @param event not earlier than the last one
	 */
	public void accept(Event event) {
		if (event.t() < this.last.t()) {
			throw new IllegalArgumentException("Out of order: " + event);
		}
		this.last = event;
		this.findings.count(event);
		this.detection.advance(event.t());
		if (event.op() == Op.NEMESIS) {
			fault(event);
		}
		else if (event.proc().equals(Witness.PROC)) {
			this.registers.witnessed(event);
		}
		else {
			used(event);
		}
	}

	private void fault(Event event) {
		FaultWindow window = this.faults.apply(event);
		if (event.phase() == Phase.INVOKE) {
			return;
		}
		if (window.kind == NemesisKind.KILL) {
			this.states.values().forEach((state) -> state.killed(window.target(), event.t()));
			this.line.killed(window.target());
			this.readers.killed(window.target());
		}
		else if (window.kind == NemesisKind.LOSS) {
			this.detection.forgotten(window, this.states.values());
		}
	}

	private void used(Event event) {
		LockState state = this.states.computeIfAbsent(event.key(),
				(key) -> new LockState(key, this.bounds, this.faults));
		HeldLease lease = state.apply(event);
		if (Rule.isGrant(event, lease)) {
			this.findings.acquired(lease);
		}
		for (Rule rule : this.rules) {
			rule.accept(event, state, lease);
		}
		state.purge(event.t());
	}

	/**
	 * End the history.
	 * @return the verdict
	 */
	public Report finish() {
		this.rules.forEach((rule) -> rule.finish(this.last));
		return this.findings.report();
	}

	/**
	 * End the history, and look at the rest.
	 * @param rest the keys and connections that are left
	 * @return the verdict
	 */
	public Report finish(Quiescence rest) {
		rest.registers().forEach(this.registers::checkFinal);
		new LeakRule(this.findings).check(rest);
		return finish();
	}

	/** How many things are remembered. */
	int retained() {
		return this.states.values().stream().mapToInt(LockState::retained).sum()
				+ this.rules.stream().mapToInt(Rule::retained).sum();
	}

}
