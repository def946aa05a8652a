package io.distributedlock.museum;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * Makes the classes and scripts that mutants change, to be put in front of the class
 * path.
 */
final class Mutation {

	private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

	/** Shared, since it takes most of the time to look at the jars. Never closed. */
	private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null,
			StandardCharsets.UTF_8);

	private static final List<String> OPTIONS = List.of("-proc:none", "-implicit:none", "-parameters", "-nowarn");

	private Mutation() {
	}

	/** Put the changes of mutants of different files into a directory. */
	static void into(Path directory, Collection<Mutant> mutants) throws IOException {
		List<Source> classes = new ArrayList<>();
		for (Mutant mutant : mutants) {
			String text = mutant.applyTo(Files.readString(Repository.source(mutant)));
			String path = mutant.source().substring(mutant.source().indexOf('/') + 1);
			if (mutant.isScript()) {
				Path file = directory.resolve(path);
				Files.createDirectories(file.getParent());
				Files.writeString(file, text);
			}
			else {
				classes.add(new Source(path, text));
			}
		}
		if (!classes.isEmpty()) {
			compile(directory, classes);
		}
	}

	/** The file manager is for one at a time. */
	private static synchronized void compile(Path directory, List<Source> classes) throws IOException {
		FILES.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(directory));
		FILES.setLocationFromPaths(StandardLocation.CLASS_PATH,
				Arrays.stream(Repository.classPath().split(File.pathSeparator)).map(Path::of).toList());
		StringWriter output = new StringWriter();
		if (!COMPILER.getTask(output, FILES, null, OPTIONS, null, classes).call()) {
			throw new IllegalStateException("Repair the mutants that do not compile:\n" + output);
		}
	}

	/** Source text that is in no file. */
	private static final class Source extends SimpleJavaFileObject {

		private final String text;

		Source(String path, String text) {
			super(URI.create("mutant:///" + path), JavaFileObject.Kind.SOURCE);
			this.text = text;
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

	}

}
