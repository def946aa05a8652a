package io.distributedlock.test.orders;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The examples of docs/testing.md are the code of this package, which runs. */
class TestingPageTests {

	private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

	@Test
	void examplesWhenOnThePageAreInThisPackage() throws IOException {
		List<String> examples = JAVA.matcher(Files.readString(Path.of("../docs/testing.md")))
			.results()
			.map((block) -> withoutSpace(block.group(1)))
			.toList();
		String code = code();
		assertThat(examples).hasSizeGreaterThan(2).allSatisfy((example) -> assertThat(code).contains(example));
	}

	private static String code() throws IOException {
		Path here = Path.of("src/test/java", TestingPageTests.class.getPackageName().replace('.', '/'));
		try (Stream<Path> files = Files.list(here)) {
			return files.map(TestingPageTests::read).collect(Collectors.joining());
		}
	}

	private static String read(Path file) {
		try {
			return withoutSpace(Files.readString(file));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String withoutSpace(String text) {
		return text.replaceAll("\\s", "");
	}

}
