package io.distributedlock.history;

import io.distributedlock.history.Quiescence.Counts;
import io.distributedlock.history.Quiescence.ServerKey;

/** C5: without holders and waiters nothing is left but free locks that fade. */
final class LeakRule {

	private final Findings findings;

	LeakRule(Findings findings) {
		this.findings = findings;
	}

	void check(Quiescence rest) {
		rest.keys().forEach(this::check);
		Counts before = rest.before();
		Counts after = rest.after();
		compare("channels", before.channels(), after.channels());
		compare("clients", before.clients(), after.clients());
		compare("threads", before.threads(), after.threads());
		compare("renewed leases", before.renewed(), after.renewed());
	}

	private void check(ServerKey key) {
		if (key.owned()) {
			violation(key.name(), "has an owner, although all holders have released it");
		}
		if (!key.type().equals("hash") && !key.type().equals("zset")) {
			violation(key.name(), "is a %s, although there is no holder and no waiter".formatted(key.type()));
		}
		if (key.ttlMillis() < 0 || key.ttlMillis() > key.longestTtlMillis()) {
			violation(key.name(), "lives for %d ms, longer than it may be remembered".formatted(key.ttlMillis()));
		}
		if (key.laterTtlMillis() > key.ttlMillis()) {
			violation(key.name(), "was prolonged from %d to %d ms".formatted(key.ttlMillis(), key.laterTtlMillis()));
		}
	}

	private void compare(String what, int before, int after) {
		if (after > before) {
			violation(Event.ALL, "%d %s are left, %d were there before".formatted(after, what, before));
		}
	}

	private void violation(String key, String sentence) {
		this.findings.violation(RuleName.C5_LEAKS, key, sentence);
	}

}
