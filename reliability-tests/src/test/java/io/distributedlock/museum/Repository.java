package io.distributedlock.museum;

import java.nio.file.Files;
import java.nio.file.Path;

/** The places of files in this repository. */
final class Repository {

	private static final String LIBRARY = "lock-spring-boot-autoconfigure";

	private static final Path ROOT = root();

	private Repository() {
	}

	private static Path root() {
		Path directory = Path.of("").toAbsolutePath();
		while (!Files.isDirectory(directory.resolve(LIBRARY))) {
			directory = directory.getParent();
			if (directory == null) {
				throw new IllegalStateException("The tests do not run inside the repository");
			}
		}
		return directory;
	}

	/** What mutants change. */
	static Path mainSources() {
		return ROOT.resolve(LIBRARY + "/src/main");
	}

	/** The directory of the compiled tests of the library. */
	static Path libraryTests() {
		return Path
			.of(System.getProperty("museum.library-tests", ROOT.resolve(LIBRARY + "/target/test-classes").toString()));
	}

	/** The list of mutants. */
	static Path mutants() {
		return ROOT.resolve("reliability-tests/src/test/museum");
	}

	/** The table for readers. */
	static Path page() {
		return ROOT.resolve("docs/museum.md");
	}

	/** What the tests of this module run with: the library, its dependencies, Redis. */
	static String classPath() {
		return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
	}

}
