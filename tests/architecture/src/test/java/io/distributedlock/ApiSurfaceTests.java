package io.distributedlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No member becomes public by accident: the file in the repository lists all that other
 * code can use.
 */
class ApiSurfaceTests {

	private static final Path FILE = Path.of("../../docs/api-surface.txt");

	private static final String INTERNAL = ".internal.";

	private static final String HOW = "After a change that is meant: mvn -pl tests/architecture -am test "
			+ "-Dtest=ApiSurfaceTests -Dsurefire.failIfNoSpecifiedTests=false -Dapi-surface.write=true";

	@Test
	void publicTypesAndMembersAreThoseOfTheFile() throws IOException {
		List<String> lines = new ArrayList<>(
				List.of("# The public types and members of the published modules.", "# " + HOW, ""));
		lines.addAll(ApiSurface.of(types()));
		if (Boolean.getBoolean("api-surface.write")) {
			Files.write(FILE, lines);
		}
		assertThat(lines).hasSizeGreaterThan(500).noneMatch((line) -> line.contains(INTERNAL));
		assertThat(Files.readAllLines(FILE)).as(HOW).containsExactlyElementsOf(lines);
	}

	/**
	 * The types of the modules, and none of their tests. Internal types are public for
	 * other packages of the library alone.
	 */
	private static Stream<Class<?>> types() {
		return new ClassFileImporter().withImportOption((location) -> !location.contains("/test-classes/"))
			.importPackages("io.distributedlock")
			.stream()
			.filter((type) -> !type.getPackageName().startsWith("io.distributedlock.embedded"))
			.filter((type) -> !type.getName().contains(INTERNAL))
			.map(JavaClass::reflect);
	}

	@Test
	void surfaceHasWhatOthersCanUseAndNothingElse() {
		assertThat(ApiSurface.of(Stream.of(PublicExample.class, PublicExample.Inner.class, PublicExample.Hidden.class)))
			.containsExactly(
					"public abstract class io.distributedlock.PublicExample : java.lang.Comparable<io.distributedlock.PublicExample>",
					"    protected PublicExample(int)",
					"    protected abstract java.util.List<java.lang.String> names()",
					"    public static final int LIMIT",
					"public static final class io.distributedlock.PublicExample$Inner", "    public Inner()");
	}

}
