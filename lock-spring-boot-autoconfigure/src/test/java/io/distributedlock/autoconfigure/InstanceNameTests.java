package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/** Where the name of the host comes from. No name server was to be asked, and one was. */
class InstanceNameTests {

	@TempDir
	private Path directory;

	@Test
	void hostIsThatOfTheEnvironment() throws IOException {
		Path file = Files.writeString(this.directory.resolve("hostname"), "of-the-file\n");
		MockEnvironment environment = new MockEnvironment().withProperty("COMPUTERNAME", "WINDOWS");
		assertThat(InstanceName.host(environment, List.of(file))).isEqualTo("WINDOWS");
		environment.setProperty("HOSTNAME", "linux");
		assertThat(InstanceName.host(environment, List.of(file))).isEqualTo("linux");
	}

	@Test
	void hostWithoutAVariableIsThatOfTheFirstFileThatHasOne() throws IOException {
		List<Path> files = List.of(this.directory.resolve("missing"),
				Files.writeString(this.directory.resolve("empty"), "\n"),
				Files.writeString(this.directory.resolve("hostname"), "of-the-file\n"));
		assertThat(InstanceName.host(new MockEnvironment(), files)).isEqualTo("of-the-file");
		assertThat(InstanceName.host(new MockEnvironment(), files.subList(0, 2))).isEqualTo("unknown host");
	}

}
