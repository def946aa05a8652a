package io.distributedlock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The knots of the code as it runs: types of which each leads to each other by its calls.
 * A call through an interface or a superclass of the library counts as a call of each
 * type below it that has the method. A reader of one type of a knot has to know all of
 * them.
 */
class KnotTests {

	private static final String ROOT = "io.distributedlock";

	private static final JavaClasses CLASSES = new ClassFileImporter()
		.withImportOption(new ArchitectureTests.OnlyThisLibrary())
		.importPackages(ROOT);

	/** Knots of a package and of those below it, in types and lines of source. */
	@ParameterizedTest
	@CsvSource({ "engine, 5, 1700", "redis, 7, 1000" })
	void knotIsNoLargerThanItWas(String room, int types, int lines) {
		Map<String, Set<String>> calls = calls(ROOT + '.' + room);
		assertThat(calls).isNotEmpty();
		assertThat(knots(calls)).allSatisfy((knot) -> {
			assertThat(knot).hasSizeLessThanOrEqualTo(types);
			assertThat(knot.stream().mapToInt(KnotTests::lines).sum()).as(knot.toString()).isLessThanOrEqualTo(lines);
		});
	}

	@Test
	void knotOfCallsInARingIsFound() {
		Map<String, Set<String>> ring = Map.of("a", Set.of("b"), "b", Set.of("c"), "c", Set.of("a", "d"), "d",
				Set.of());
		assertThat(knots(ring)).containsExactly(new TreeSet<>(Set.of("a", "b", "c")));
	}

	@Test
	void callThroughAnInterfaceLeadsToTheTypesBelowIt() {
		assertThat(calls(ROOT + ".engine").get(ROOT + ".engine.internal.time.EngineLoop"))
			.contains(ROOT + ".engine.internal.line.QueuedGrant", ROOT + ".engine.Engine");
	}

	/** Return the types that each type of a package calls. */
	private static Map<String, Set<String>> calls(String room) {
		Map<String, Set<String>> calls = new HashMap<>();
		for (JavaClass type : CLASSES) {
			if (isIn(type, room)) {
				Set<String> called = calls.computeIfAbsent(top(type), (missing) -> new HashSet<>());
				Stream
					.concat(type.getRawSuperclass().stream(),
							type.getAccessesFromSelf().stream().flatMap((access) -> reached(access).stream()))
					.filter((other) -> isIn(other, room) && !top(other).equals(top(type)))
					.forEach((other) -> called.add(top(other)));
			}
		}
		return calls;
	}

	private static boolean isIn(JavaClass type, String room) {
		return type.getPackageName().equals(room) || type.getPackageName().startsWith(room + '.');
	}

	private static Collection<JavaClass> reached(JavaAccess<?> access) {
		JavaClass owner = access.getTargetOwner();
		Set<JavaClass> reached = new HashSet<>(Set.of(owner));
		owner.getAllSubclasses()
			.stream()
			.filter((below) -> isIn(owner, ROOT))
			.filter((below) -> below.getMethods().stream().anyMatch((method) -> isMeant(method, access)))
			.forEach(reached::add);
		return reached;
	}

	private static boolean isMeant(JavaCodeUnit method, JavaAccess<?> access) {
		return access instanceof JavaMethodCall call && method.getName().equals(call.getTarget().getName())
				&& method.getRawParameterTypes().equals(call.getTarget().getRawParameterTypes())
				&& !method.getModifiers().contains(JavaModifier.ABSTRACT);
	}

	private static String top(JavaClass type) {
		return type.getName().replaceFirst("\\$.*", "");
	}

	private static List<Set<String>> knots(Map<String, Set<String>> calls) {
		Map<String, Set<String>> reachable = new HashMap<>();
		calls.keySet().forEach((type) -> reachable.put(type, reachable(type, calls)));
		return calls.keySet()
			.stream()
			.map((type) -> reachable.get(type)
				.stream()
				.filter((other) -> reachable.getOrDefault(other, Set.of()).contains(type))
				.collect(Collectors.<String, Set<String>>toCollection(TreeSet::new)))
			.filter((knot) -> knot.size() > 1)
			.distinct()
			.toList();
	}

	private static Set<String> reachable(String type, Map<String, Set<String>> calls) {
		Set<String> reached = new HashSet<>();
		Deque<String> open = new ArrayDeque<>(calls.getOrDefault(type, Set.of()));
		while (!open.isEmpty()) {
			String next = open.pop();
			if (reached.add(next)) {
				open.addAll(calls.getOrDefault(next, Set.of()));
			}
		}
		return reached;
	}

	private static int lines(String type) {
		String file = "src/main/java/" + type.replace('.', '/') + ".java";
		try (Stream<Path> modules = Files.list(Path.of("../.."))) {
			Path source = modules.map((module) -> module.resolve(file)).filter(Files::exists).findFirst().orElseThrow();
			return Files.readAllLines(source).size();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
