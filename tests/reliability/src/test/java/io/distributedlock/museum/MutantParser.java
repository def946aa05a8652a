package io.distributedlock.museum;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Reads the files of mutants. One mutant is some lines {@code name: value}, followed by
 * at least one edit, which is two blocks of verbatim text.
 */
final class MutantParser {

	private static final String ORIGINAL = "--- original";

	private static final String MUTANT = "--- mutant";

	private static final String END = "--- end";

	private final List<Mutant> mutants = new ArrayList<>();

	private final Iterator<String> lines;

	private Map<String, String> values = new HashMap<>();

	private List<Mutant.Edit> edits = new ArrayList<>();

	private MutantParser(List<String> lines) {
		this.lines = lines.iterator();
	}

	/** All mutants there are. */
	static List<Mutant> readAll() throws IOException {
		List<Mutant> all = new ArrayList<>();
		try (Stream<Path> files = Files.list(Repository.mutants())) {
			for (Path file : files.sorted().toList()) {
				all.addAll(new MutantParser(Files.readAllLines(file)).parse());
			}
		}
		return all;
	}

	static List<Mutant> parse(String text) {
		return new MutantParser(text.lines().toList()).parse();
	}

	private List<Mutant> parse() {
		while (this.lines.hasNext()) {
			String line = this.lines.next();
			if (line.equals(ORIGINAL)) {
				this.edits.add(new Mutant.Edit(block(MUTANT), block(END)));
			}
			else if (!line.isBlank() && !line.startsWith("#")) {
				property(line);
			}
		}
		finish();
		return this.mutants;
	}

	private String block(String end) {
		List<String> block = new ArrayList<>();
		for (String line = this.lines.next(); !line.equals(end); line = this.lines.next()) {
			block.add(line);
		}
		return String.join("\n", block);
	}

	private void property(String line) {
		if (line.startsWith("mutant:")) {
			finish();
		}
		int colon = line.indexOf(": ");
		if (colon < 0 || this.values.put(line.substring(0, colon), line.substring(colon + 2)) != null) {
			throw new IllegalArgumentException("Not 'name: value', or a second time: " + line);
		}
	}

	private void finish() {
		if (!this.values.isEmpty()) {
			this.mutants.add(new Mutant(value("mutant"), bugs(this.values.remove("bugs")), value("story"),
					value("source"), this.edits, TestName.parse(value("caught by"))));
			if (!this.values.isEmpty()) {
				throw new IllegalArgumentException("Unknown: " + this.values);
			}
		}
		this.values = new HashMap<>();
		this.edits = new ArrayList<>();
	}

	private String value(String name) {
		String value = this.values.remove(name);
		if (value == null) {
			throw new IllegalArgumentException("'%s' is missing after %s".formatted(name, this.mutants));
		}
		return value;
	}

	private static List<Integer> bugs(String numbers) {
		return (numbers == null) ? List.of() : Arrays.stream(numbers.split(", ")).map(Integer::valueOf).toList();
	}

}
