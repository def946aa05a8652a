package io.distributedlock;

import java.nio.file.Path;
import java.util.List;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import io.distributedlock.house.Room;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The limits that {@link ArchitectureTests} holds find what breaks them: here a floor and
 * its rooms, which are one knot, and a door that does not belong to it.
 */
class StructureLimitsTests {

	private static final int PLENTY = 1000;

	private static final Path SOURCES = Path.of("src/test/java");

	private final JavaClasses house = new ClassFileImporter().importPackagesOf(Room.class);

	@Test
	void knotWhenOfMoreTypesIsFoundWithNestedTypesAsPartOfTheirOwners() {
		assertThat(limits(1, PLENTY, PLENTY, PLENTY).knots(this.house, SOURCES)).singleElement()
			.asString()
			.startsWith("2 types, ")
			.endsWith(" lines: [io.distributedlock.house.Floor, io.distributedlock.house.Room]");
		assertThat(limits(2, PLENTY, PLENTY, PLENTY).knots(this.house, SOURCES)).isEmpty();
	}

	@Test
	void knotWhenOfMoreLinesIsFound() {
		assertThat(limits(2, 20, PLENTY, PLENTY).knots(this.house, SOURCES)).hasSize(1);
	}

	@Test
	void fileWhenLongerIsFound() {
		Path directory = SOURCES.resolve("io/distributedlock/house");
		assertThat(limits(PLENTY, PLENTY, 17, PLENTY).files(directory)).containsExactly("Door.java: 18");
		assertThat(limits(PLENTY, PLENTY, 18, PLENTY).files(directory)).isEmpty();
	}

	@Test
	void constructorWhenOfMoreParametersIsFoundUnlessItsRecordIsPlainData() {
		StructureLimits limits = limits(PLENTY, PLENTY, PLENTY, 2);
		String door = "io.distributedlock.house.Door";
		assertThat(limits.constructors(this.house, List.of())).containsExactly(door + ": 3");
		assertThat(limits.constructors(this.house, List.of(door))).isEmpty();
	}

	private static StructureLimits limits(int knotTypes, int knotLines, int fileLines, int parameters) {
		return new StructureLimits(knotTypes, knotLines, fileLines, parameters);
	}

}
