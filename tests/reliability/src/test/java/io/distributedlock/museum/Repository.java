package io.distributedlock.museum;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The places of files in this repository. */
final class Repository {

	private static final List<String> MODULES = List.of("lock-core", "lock-store-contracts", "lock-redis",
			"lock-redlock", "lock-jdbc", "lock-spring", "lock-spring-boot-autoconfigure");

	private static final Path ROOT = root();

	private Repository() {
	}

	private static Path root() {
		Path directory = Path.of("").toAbsolutePath();
		while (!Files.isDirectory(directory.resolve(MODULES.get(0)))) {
			directory = directory.getParent();
			if (directory == null) {
				throw new IllegalStateException("The tests do not run inside the repository");
			}
		}
		return directory;
	}

	/** The file that a mutant changes, in whichever module it is. */
	static Path source(Mutant mutant) {
		return MODULES.stream()
			.map((module) -> ROOT.resolve(module).resolve("src/main").resolve(mutant.source()))
			.filter(Files::exists)
			.findFirst()
			.orElseThrow(() -> new IllegalStateException("No module has the source of " + mutant));
	}

	/** The directories of the compiled tests of the library. */
	static List<Path> libraryTests() {
		return MODULES.stream().map((module) -> ROOT.resolve(module).resolve("target/test-classes")).toList();
	}

	/** The list of mutants. */
	static Path mutants() {
		return ROOT.resolve("tests/reliability/src/test/museum");
	}

	/** The table for readers. */
	static Path page() {
		return ROOT.resolve("tests/reliability/MUSEUM.md");
	}

	/** The class path of this module's tests: the library, its dependencies, Redis. */
	static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

}
