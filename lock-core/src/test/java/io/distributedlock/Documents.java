package io.distributedlock;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;

/** Documents and sources of the repository, for the tests of modules at any depth. */
public final class Documents {

	private Documents() {
	}

	/**
	 * A file of the folder {@code docs}.
	 * @param name the name of the file
	 * @return the file, above the module whose tests run
	 */
	public static Path file(String name) {
		for (Path folder = Path.of("").toAbsolutePath(); folder != null; folder = folder.getParent()) {
			Path file = folder.resolve("docs").resolve(name);
			if (Files.exists(file)) {
				return file;
			}
		}
		throw new IllegalStateException("There is no docs/%s above %s".formatted(name, Path.of("").toAbsolutePath()));
	}

	/**
	 * The source of a test.
	 * @param test the test, of a module that need not be the one whose tests run
	 * @return the file
	 */
	public static Path source(Class<?> test) {
		URI classes = URI.create(test.getProtectionDomain().getCodeSource().getLocation().toString());
		return Path.of(classes)
			.getParent()
			.resolveSibling(Path.of("src/test/java", test.getName().replace('.', '/') + ".java"));
	}

}
