package io.distributedlock.museum;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;

import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * The process in which the tests of one class run, with or without a mutant on its class
 * path.
 */
final class TestProbe {

	static final int GREEN = 0;

	static final int RED = 10;

	/** Nothing was run, or something around the tests has failed. */
	static final int BROKEN = 11;

	/**
	 * A test that waits for an event that a mutant prevents is red before its process is
	 * ended.
	 */
	private static final String LIMIT = "60 s";

	private TestProbe() {
	}

	public static void main(String[] args) throws Exception {
		Class<?> type = Class.forName(args[0]);
		List<DiscoverySelector> tests = Arrays.stream(args)
			.skip(1)
			.<DiscoverySelector>map(
					(name) -> DiscoverySelectors.selectMethod(type, TestName.find(type, name).orElseThrow()))
			.toList();
		LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
			.selectors(tests)
			.configurationParameter("junit.jupiter.execution.timeout.default", LIMIT)
			.build();
		SummaryGeneratingListener listener = new SummaryGeneratingListener();
		LauncherFactory.create().execute(request, listener);
		listener.getSummary().printFailuresTo(new PrintWriter(System.out), 12);
		System.out.flush();
		// Threads of the tests may still run, more so with a mutant.
		Runtime.getRuntime().halt(outcome(listener.getSummary()));
	}

	private static int outcome(TestExecutionSummary summary) {
		if (summary.getTestsFailedCount() > 0) {
			return RED;
		}
		boolean all = summary.getTestsFoundCount() > 0
				&& summary.getTestsSucceededCount() == summary.getTestsFoundCount();
		return (all && summary.getTotalFailureCount() == 0) ? GREEN : BROKEN;
	}

}
