package io.distributedlock.migration;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

import com.sun.source.util.JavacTask;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.SourceSpecs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.openrewrite.java.Assertions.java;

/**
 * Runs a recipe on a source. Both texts have to compile with the jars of this library and
 * of the other one, and a second run has to change nothing.
 */
abstract class RecipeTest implements RewriteTest {

	private static final Pattern TYPE = Pattern.compile("(?m)^(?:public )?(?:@?interface|class|enum) (\\w+)");

	private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");

	/**
	 * The jars that sources need, and folders with the classes of those built with it.
	 */
	private static final Pattern JAR = Pattern.compile("/(lock-core|lock-spring|spring-(beans|context|core)|jspecify"
			+ "|shedlock|lock4j|spring-boot-klock|redisson|reactor-core|reactive-streams)[^/]*(\\.jar|/target/classes/?)$");

	private final String recipe;

	private final String[] stubs;

	/**
	 * @param recipe the simple name of the composite of a library
	 * @param stubs sources of a library that cannot be had
	 */
	RecipeTest(String recipe, String... stubs) {
		this.recipe = "io.distributedlock.migration." + recipe;
		this.stubs = stubs;
	}

	@Override
	public void defaults(RecipeSpec spec) {
		spec.recipeFromResources(this.recipe);
		spec.parser(JavaParser.fromJavaVersion().classpath(classPath()).dependsOn(this.stubs));
	}

	/** Without the tools of this test: a parser that sees Lombok runs it. */
	private static List<Path> classPath() {
		return JavaParser.runtimeClasspath().stream().filter((place) -> JAR.matcher(place.toString()).find()).toList();
	}

	void migrates(String before, String after) {
		assertCompiles(before);
		rewriteRun(java(before, after));
		leaves(after);
	}

	void leaves(String... sources) {
		assertCompiles(sources);
		rewriteRun(Stream.of(sources).map((source) -> java(source)).toArray(SourceSpecs[]::new));
	}

	void assertCompiles(String... sources) {
		DiagnosticCollector<JavaFileObject> messages = new DiagnosticCollector<>();
		JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
		String jars = classPath().stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
		List<JavaFileObject> files = new ArrayList<>();
		Stream.concat(Stream.of(this.stubs), Stream.of(sources)).map(Source::new).forEach(files::add);
		JavacTask task = (JavacTask) compiler.getTask(null, null, messages,
				List.of("-proc:none", "-parameters", "-classpath", jars), null, files);
		analyze(task);
		assertThat(messages.getDiagnostics()).filteredOn((message) -> message.getKind() == Diagnostic.Kind.ERROR)
			.extracting((message) -> message.getMessage(Locale.ROOT))
			.as(String.join("\n", sources))
			.isEmpty();
	}

	/** Compile without writing class files. */
	private static void analyze(JavacTask task) {
		try {
			task.analyze();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** A source in memory. */
	private static final class Source extends SimpleJavaFileObject {

		private final String text;

		Source(String text) {
			super(URI.create("memory:///" + name(text) + ".java"), Kind.SOURCE);
			this.text = text;
		}

		private static String name(String text) {
			Matcher type = TYPE.matcher(text);
			Matcher folder = PACKAGE.matcher(text);
			assertThat(type.find()).as(text).isTrue();
			return (folder.find() ? folder.group(1).replace('.', '/') + "/" : "") + type.group(1);
		}

		@Override
		public CharSequence getCharContent(boolean ignoreEncodingErrors) {
			return this.text;
		}

	}

}
