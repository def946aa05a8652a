package com.example.mapstore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.store.StoreCapability;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The guide of this module shows its code, and names all hooks and capabilities. */
class GuideTests {

	private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

	private static final Pattern HOOK = Pattern.compile("protected (?!abstract)[\\w.<>]+ (\\w+)\\(");

	private static final Path SUITES = Path
		.of("../../lock-store-contracts/src/main/java/io/distributedlock/test/store");

	private static final int MOST_WORDS = 1_600;

	@Test
	void codeOfTheGuideIsThatOfThisModule() throws IOException {
		String code = code(Path.of("src"));
		assertThat(JAVA.matcher(guide()).results().map((block) -> withoutSpace(block.group(1)))).hasSize(3)
			.allSatisfy((example) -> assertThat(code).contains(example));
	}

	@Test
	void guideNamesEachCapability() throws IOException {
		assertThat(guide()).contains(Stream.of(StoreCapability.values()).map((each) -> "`" + each + "`").toList());
	}

	@Test
	void guideNamesEachHookOfTheSuites() throws IOException {
		Set<String> hooks = new TreeSet<>();
		try (Stream<Path> suites = Files.list(SUITES)) {
			suites.filter((suite) -> !suite.endsWith("DelegatingLockStore.java"))
				.forEach((suite) -> HOOK.matcher(read(suite)).results().forEach((hook) -> hooks.add(hook.group(1))));
		}
		assertThat(hooks).hasSizeGreaterThan(6);
		assertThat(guide()).contains(hooks.stream().map((hook) -> "`" + hook + "`").toList());
	}

	@Test
	void guideIsShort() throws IOException {
		assertThat(guide().replaceAll("[|]|-{3,}", " ").strip().split("\\s+")).hasSizeLessThanOrEqualTo(MOST_WORDS);
	}

	private static String guide() throws IOException {
		return Files.readString(Path.of("README.md"));
	}

	private static String code(Path folder) throws IOException {
		try (Stream<Path> files = Files.walk(folder)) {
			return files.filter((file) -> file.toString().endsWith(".java"))
				.map((file) -> withoutSpace(read(file)))
				.collect(Collectors.joining());
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String withoutSpace(String text) {
		return text.replaceAll("\\s", "");
	}

}
