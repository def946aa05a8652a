package io.distributedlock.modulith;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The example of the page about jobs runs here. */
class PagesTests {

	@Test
	void exampleWhenOnThePageIsInThisPackage() throws IOException {
		String code = Files.readString(Path.of("src/test/java/io/distributedlock/modulith/Resubmission.java"));
		assertThat(Files.readString(Path.of("../../docs/jobs.md")))
			.contains("```java\n" + code.substring(code.indexOf("@Component")) + "```");
	}

}
