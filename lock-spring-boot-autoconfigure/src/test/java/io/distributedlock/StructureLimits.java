package io.distributedlock;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaConstructor;

/**
 * How large the parts of the library may become. A knot is a set of top-level types of
 * one package that all reach each other, so that none is understood without the others.
 *
 * @param knotTypes the most types of a knot
 * @param knotLines the most lines of a knot, in the source files of its types
 * @param fileLines the most lines of a source file
 * @param parameters the most parameters of a constructor
 */
record StructureLimits(int knotTypes, int knotLines, int fileLines, int parameters) {

	static final StructureLimits HOUSE = new StructureLimits(8, 1500, 500, 6);

	/**
	 * Find the knots that are too large.
	 * @param classes the classes, nested ones count as their top-level type
	 * @param sources the directory of their source files
	 * @return a line for each: its number of types and lines, and its types
	 */
	Set<String> knots(JavaClasses classes, Path sources) {
		Map<String, Set<String>> uses = dependencies(classes);
		Map<String, Set<String>> reached = new TreeMap<>();
		uses.keySet().forEach((type) -> reached.put(type, reached(type, uses)));
		Set<String> found = new TreeSet<>();
		reached.forEach((type, others) -> {
			Set<String> knot = new TreeSet<>(others);
			knot.removeIf((other) -> !reached.getOrDefault(other, Set.of()).contains(type));
			long lines = knot.stream().mapToLong((member) -> lines(file(member, sources))).sum();
			if (knot.size() > this.knotTypes || lines > this.knotLines) {
				found.add("%d types, %d lines: %s".formatted(knot.size(), lines, knot));
			}
		});
		return found;
	}

	/** What each top-level type uses of its own package. */
	private static Map<String, Set<String>> dependencies(JavaClasses classes) {
		Map<String, Set<String>> uses = new TreeMap<>();
		for (JavaClass type : classes) {
			Set<String> used = uses.computeIfAbsent(topLevel(type), (name) -> new TreeSet<>());
			type.getDirectDependenciesFromSelf()
				.stream()
				.map(Dependency::getTargetClass)
				.filter((target) -> target.getPackageName().equals(type.getPackageName()))
				.map(StructureLimits::topLevel)
				.filter((name) -> !name.equals(topLevel(type)))
				.forEach(used::add);
		}
		return uses;
	}

	private static String topLevel(JavaClass type) {
		String name = type.getBaseComponentType().getName();
		int nested = name.indexOf('$');
		return (nested < 0) ? name : name.substring(0, nested);
	}

	private static Set<String> reached(String from, Map<String, Set<String>> uses) {
		Set<String> reached = new TreeSet<>();
		Deque<String> open = new ArrayDeque<>(List.of(from));
		while (!open.isEmpty()) {
			for (String next : uses.getOrDefault(open.remove(), Set.of())) {
				if (reached.add(next)) {
					open.add(next);
				}
			}
		}
		return reached;
	}

	/**
	 * Find the source files that are too long. Those of packages are left out.
	 * @param sources the directory of the source files
	 * @return a line for each: its path and its number of lines
	 */
	Set<String> files(Path sources) {
		try (Stream<Path> files = Files.walk(sources)) {
			return files.filter((file) -> file.toString().endsWith(".java") && !file.endsWith("package-info.java"))
				.filter((file) -> lines(file) > this.fileLines)
				.map((file) -> sources.relativize(file) + ": " + lines(file))
				.collect(Collectors.toCollection(TreeSet::new));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Find the constructors with too many parameters.
	 * @param classes the classes
	 * @param data the names of records that are plain data, which have as many as that
	 * has
	 * @return a line for each: its type and its number of parameters
	 */
	Set<String> constructors(JavaClasses classes, Collection<String> data) {
		return classes.stream()
			.filter((type) -> !type.isAnonymousClass() && !(type.isRecord() && data.contains(type.getName())))
			.flatMap((type) -> type.getConstructors().stream())
			.filter((constructor) -> parameters(constructor) > this.parameters)
			.map((constructor) -> constructor.getOwner().getName() + ": " + parameters(constructor))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/** Enum constants have their name and number in front. */
	private static int parameters(JavaConstructor constructor) {
		int all = constructor.getRawParameterTypes().size();
		return constructor.getOwner().isEnum() ? all - 2 : all;
	}

	private static Path file(String type, Path sources) {
		return sources.resolve(type.replace('.', '/') + ".java");
	}

	private static long lines(Path file) {
		try (Stream<String> lines = Files.lines(file)) {
			return lines.count();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
