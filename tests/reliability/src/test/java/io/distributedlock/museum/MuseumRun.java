package io.distributedlock.museum;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Puts every bug in, one after the other, and requires the test that is named for it to
 * be red, and green without it. Takes minutes, so it is not one of the normal tests.
 * {@code -Dmuseum.mutants=…} chooses by a regular expression.
 */
class MuseumRun {

	private static final Pattern CHOSEN = Pattern.compile(System.getProperty("museum.mutants", ".*"));

	/** Two cores to each, since tests with threads and a server need them. */
	private static final int AT_A_TIME = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

	@TempDir
	private Path directory;

	@Test
	void everyMutantIsCaught() throws Exception {
		List<Mutant> mutants = MutantParser.readAll()
			.stream()
			.filter((mutant) -> CHOSEN.matcher(mutant.id()).matches())
			.toList();
		assertThat(mutants).isNotEmpty();
		List<String> problems = new ArrayList<>(together(withoutMutants(mutants)));
		problems.addAll(together(mutants.stream().<Callable<String>>map((mutant) -> () -> hunt(mutant)).toList()));
		assertThat(problems).as("of %d mutants", mutants.size()).isEmpty();
	}

	/** Tests of one class run together, since nothing may be found. */
	private List<Callable<String>> withoutMutants(List<Mutant> mutants) {
		Map<String, Set<String>> tests = mutants.stream()
			.map(Mutant::caughtBy)
			.collect(Collectors.groupingBy(TestName::className, TreeMap::new,
					Collectors.mapping(TestName::methodName, Collectors.toCollection(LinkedHashSet::new))));
		return tests.entrySet()
			.stream()
			.<Callable<String>>map((entry) -> () -> control(entry.getKey(), entry.getValue()))
			.toList();
	}

	private String control(String className, Set<String> methods) throws IOException, InterruptedException {
		ProbeRun run = ProbeRun.of(directory(className), className, methods);
		boolean good = run.outcome() == ProbeRun.Outcome.GREEN;
		return report(good, "without a mutant", className, run);
	}

	private String hunt(Mutant mutant) throws IOException, InterruptedException {
		Path place = directory(mutant.id());
		Mutation.into(place, List.of(mutant));
		ProbeRun run = ProbeRun.of(place, mutant.caughtBy().className(), List.of(mutant.caughtBy().methodName()));
		boolean caught = run.outcome() == ProbeRun.Outcome.RED;
		return report(caught, mutant.id(), mutant.caughtBy().toString(), run);
	}

	private Path directory(String name) throws IOException {
		return Files.createDirectories(this.directory.resolve(name));
	}

	private static String report(boolean good, String what, String test, ProbeRun run) {
		String line = String.format(Locale.ROOT, "%-8s %-50s %5.1f s  %s", run.outcome(), what,
				run.took().toMillis() / 1000.0, test);
		System.out.println(line);
		return good ? "" : line + "\n" + run.output();
	}

	private static List<String> together(List<Callable<String>> tasks) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME);
		try {
			List<String> problems = new ArrayList<>();
			for (Future<String> task : threads.invokeAll(tasks)) {
				problems.add(task.get());
			}
			problems.removeIf(String::isEmpty);
			return problems;
		}
		finally {
			threads.shutdownNow();
		}
	}

}
