package io.distributedlock.interceptor;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;

import io.distributedlock.Documents;

/** The Java code of a page of the documentation, and of the test that runs it. */
final class DocumentedExamples {

	private static final Pattern JAVA = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

	/** The mark for a body that is left out. */
	private static final Pattern LEFT_OUT = Pattern.compile("(?<=\\{)…}");

	private DocumentedExamples() {
	}

	/** The examples of a page without white space, cut where something was left out. */
	static List<String> of(String page) throws IOException {
		return JAVA.matcher(Files.readString(Documents.file(page)))
			.results()
			.map((block) -> withoutSpace(block.group(1)))
			.flatMap(LEFT_OUT::splitAsStream)
			.toList();
	}

	static String codeOf(Class<?> test) throws IOException {
		return withoutSpace(Files.readString(Documents.source(test)));
	}

	private static String withoutSpace(String code) {
		return code.replaceAll("\\s", "");
	}

}
