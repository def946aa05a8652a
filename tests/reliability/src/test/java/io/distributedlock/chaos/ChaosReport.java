package io.distributedlock.chaos;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.distributedlock.history.Event;
import io.distributedlock.history.Report;
import io.distributedlock.history.RuleName;

/**
 * The result of a run.
 *
 * @param settings the size of the run
 * @param server where the locks were
 * @param tally the faults
 * @param checked the verdict
 * @param around the history around the first violation
 */
record ChaosReport(ChaosSettings settings, String server, Tally tally, Report checked, List<Event> around) {

	boolean isClean() {
		return this.checked.violationCount() == 0 && this.checked.silentLosses() == 0;
	}

	/** The report as one line that a program can read. */
	String json() {
		return ("chaos {\"topology\":\"%s\",\"seed\":%d,\"seconds\":%d,\"acquisitions\":%d,\"faults\":%d,\"violations\":%d,\"silentLosses\":%d,"
				+ "\"falseLosses\":%d,\"lossesTold\":%d,\"renewals\":%d,\"worstWaitMillis\":%d,\"worstGapMillis\":%d,\"faultsByKind\":%s,\"unasked\":%s}")
			.formatted(this.settings.topology().label(), this.settings.seed(), this.settings.duration().toSeconds(),
					this.checked.acquisitions(), this.tally.total(), this.checked.violationCount(),
					this.checked.silentLosses(), this.checked.falseLosses(), this.checked.lossesTold(),
					this.checked.renewals(), this.checked.worstWait().toMillis(), this.checked.worstGap().toMillis(),
					json(this.tally.faults()), json(this.tally.unasked()));
	}

	private static String json(Map<String, Integer> counts) {
		return counts.entrySet()
			.stream()
			.map((entry) -> "\"%s\":%d".formatted(entry.getKey(), entry.getValue()))
			.collect(Collectors.joining(",", "{", "}"));
	}

	/** A page for people. */
	String markdown(String title) {
		StringBuilder page = new StringBuilder("# %s\n\n".formatted(title));
		page.append("```\n").append(this.settings.command()).append("\n```\n\n");
		page.append(
				"%d processes, %d threads each, %d keys, %d s; %s;\n%d processors, %d MiB for the run's own JVM, Java %s on %s.\n%s\n"
					.formatted(this.settings.processes(), this.settings.threads(), this.settings.keys(),
							this.settings.duration().toSeconds(), this.server,
							Runtime.getRuntime().availableProcessors(), Runtime.getRuntime().maxMemory() >> 20,
							System.getProperty("java.version"), System.getProperty("os.name"), scripts()));
		page.append("| | |\n|---|---|\n");
		row(page, "events checked", this.checked.events());
		row(page, "acquisitions", this.checked.acquisitions());
		row(page, "renewals seen", this.checked.renewals());
		row(page, "faults", this.tally.total());
		row(page, "losses told to holders", this.checked.lossesTold());
		row(page, "silent losses", this.checked.silentLosses());
		row(page, "losses told that cannot have been", this.checked.falseLosses());
		row(page, "two believers because the store had forgotten the first, settled by the token",
				this.checked.doubleBeliefs());
		row(page, "updates lost on a register that checks no token", this.checked.lostUpdates());
		row(page, "longest wait of a caller, ms", this.checked.worstWait().toMillis());
		row(page, "longest time that a lock was free while a caller waited, ms", this.checked.worstGap().toMillis());
		page.append("\n| rule | violations |\n|---|---|\n");
		for (RuleName rule : RuleName.values()) {
			row(page, rule.name(), this.checked.counts().getOrDefault(rule, 0L));
		}
		page.append("\n| fault | times |\n|---|---|\n");
		for (Map.Entry<String, Integer> fault : this.tally.faults().entrySet()) {
			row(page, fault.getKey(), fault.getValue());
		}
		return page.append("\n```\n").append(json()).append("\n```\n").toString();
	}

	/** There are none in PostgreSQL. */
	private String scripts() {
		return this.settings.topology().isPostgres() ? ""
				: "SHA-256 of the scripts: `%s`.\n".formatted(ScriptDigest.ofAll());
	}

	private static void row(StringBuilder page, String what, long value) {
		page.append("| ").append(what).append(" | ").append(value).append(" |\n");
	}

	@Override
	public String toString() {
		return "%s%s%n%s%nTo repeat: %s".formatted(this.checked,
				this.around.stream().map((event) -> "\n    " + event).collect(Collectors.joining()), json(),
				this.settings.command());
	}

}
