package io.distributedlock.ownaspect;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The examples of the pages for people who come from something else run here. */
class PagesTests {

	private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

	/** The mark for a body that is left out. */
	private static final Pattern LEFT_OUT = Pattern.compile("(?<=\\{)…}");

	@ParameterizedTest
	@CsvSource({ "own-aspect.md, 3", "migration.md, 7" })
	void examplesWhenOnAPageAreInThisPackage(String page, int most) throws IOException {
		String code = code();
		List<String> examples = JAVA.matcher(Files.readString(Path.of("../../docs", page)))
			.results()
			.map((block) -> withoutSpace(block.group(1)))
			.flatMap(LEFT_OUT::splitAsStream)
			.toList();
		assertThat(examples).hasSizeGreaterThanOrEqualTo(most)
			.allSatisfy((example) -> assertThat(code).contains(example));
	}

	@ParameterizedTest
	@CsvSource({ "own-aspect.md, 1300", "migration.md, 1600" })
	void pageIsShort(String page, int most) throws IOException {
		assertThat(Files.readString(Path.of("../../docs", page)).split("\\s+")).hasSizeLessThanOrEqualTo(most);
	}

	private static String code() throws IOException {
		Path here = Path.of("src/test/java", PagesTests.class.getPackageName().replace('.', '/'));
		try (Stream<Path> files = Files.list(here)) {
			return files.map(PagesTests::read).collect(Collectors.joining());
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
