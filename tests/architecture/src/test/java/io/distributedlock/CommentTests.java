package io.distributedlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The comments of the sources name the thing first, then its behaviour: a clause is no
 * subject.
 */
class CommentTests {

	private static final Path ROOT = Path.of("../..");

	/** Texts come before comments, since they may contain the beginning of one. */
	private static final Pattern TEXT_OR_COMMENT = Pattern.compile(
			"(?s:\"\"\".*?\"\"\")|\"(?:\\\\.|[^\"\\\\\\n])*+\"|'(?:\\\\.|[^'\\\\\\n])*+'|//[^\\n]*+|(?s:/\\*.*?\\*/)");

	private static final Pattern CLAUSE = Pattern.compile("^[/*\\s]*(What|Whether|Which|Of|One|So)\\b");

	private static final Pattern WORD = Pattern.compile("[A-Za-z']+");

	private static final int MOST_PER_THOUSAND = 2;

	/** Without the properties, where "Whether to" is the convention of Spring Boot. */
	static Stream<Path> sources() throws IOException {
		return DocumentationTests.files(ROOT, "java", "kt")
			.filter((file) -> !read(file).contains("@ConfigurationProperties"));
	}

	@ParameterizedTest
	@MethodSource("sources")
	void commentBeginsWithAThingOrAVerb(Path source) {
		assertThat(comments(read(source))).noneMatch((comment) -> CLAUSE.matcher(comment).find());
	}

	@Test
	void commentsHardlyUseWhat() throws IOException {
		List<String> words = sources().flatMap((source) -> comments(read(source)).stream())
			.flatMap((comment) -> WORD.matcher(comment).results().map(MatchResult::group))
			.toList();
		long count = words.stream().filter("what"::equalsIgnoreCase).count();
		assertThat(words).hasSizeGreaterThan(60_000);
		assertThat(count * 1000.0 / words.size()).isLessThanOrEqualTo(MOST_PER_THOUSAND);
	}

	@Test
	void commentWhenAClauseIsFound() {
		String source = "String text = \"// What\"; /** What is held. */ int held; // a count\n/* Whether it is. */";
		assertThat(comments(source)).containsExactly("/** What is held. */", "// a count", "/* Whether it is. */");
		assertThat(comments(source)).filteredOn((comment) -> CLAUSE.matcher(comment).find()).hasSize(2);
	}

	private static List<String> comments(String source) {
		return TEXT_OR_COMMENT.matcher(source)
			.results()
			.map(MatchResult::group)
			.filter((found) -> found.startsWith("/"))
			.toList();
	}

	private static String read(Path source) {
		try {
			return Files.readString(source);
		}
		catch (IOException ex) {
			throw new IllegalStateException("The source " + source + " cannot be read", ex);
		}
	}

}
