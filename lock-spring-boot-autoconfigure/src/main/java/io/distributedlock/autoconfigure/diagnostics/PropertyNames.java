package io.distributedlock.autoconfigure.diagnostics;

import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.ResolvableType;

/**
 * The full names of all properties of a record. In the place of a key of a map is a star.
 */
final class PropertyNames {

	/** A name that needs more is another one. */
	private static final int MOST_EDITS = 2;

	private final List<String> names;

	PropertyNames(ConfigurationPropertyName prefix, Class<?> type) {
		this.names = names(prefix.toString(), type).toList();
	}

	private static Stream<String> names(String prefix, Class<?> type) {
		Parameter[] parameters = type.getDeclaredConstructors()[0].getParameters();
		RecordComponent[] components = type.getRecordComponents();
		return IntStream.range(0, components.length).boxed().flatMap((i) -> {
			Name given = parameters[i].getAnnotation(Name.class);
			String name = prefix + "."
					+ ((given != null) ? given.value() : DataObjectPropertyName.toDashedForm(components[i].getName()));
			ResolvableType component = ResolvableType.forType(components[i].getGenericType());
			if (component.resolve() == Map.class) {
				return names(name + ".*", component.getGeneric(1).resolve(Object.class));
			}
			return components[i].getType().isRecord() ? names(name, components[i].getType()) : Stream.of(name);
		});
	}

	boolean contains(ConfigurationPropertyName name) {
		return as(name).contains(name);
	}

	/** What to write instead of a name that is not one of these. */
	String remedy(ConfigurationPropertyName unknown) {
		List<ConfigurationPropertyName> all = as(unknown);
		String meant = this.names.stream()
			.flatMap((name) -> bracketed(name, unknown).stream())
			.findFirst()
			.or(() -> all.stream()
				.filter((known) -> edits(known, unknown) <= MOST_EDITS)
				.min(Comparator.comparingInt((known) -> edits(known, unknown))))
			.map((known) -> "Use %s instead of %s.".formatted(known, unknown))
			.orElse("Remove %s.".formatted(unknown));
		return "%s There are %s.".formatted(meant, under(unknown.getParent(), all));
	}

	/** The name that is meant by one whose key has dots, which then is in brackets. */
	private static Optional<ConfigurationPropertyName> bracketed(String name, ConfigurationPropertyName unknown) {
		int star = name.indexOf(".*.");
		if (star < 0) {
			return Optional.empty();
		}
		ConfigurationPropertyName map = ConfigurationPropertyName.of(name.substring(0, star));
		ConfigurationPropertyName rest = ConfigurationPropertyName.of(name.substring(star + ".*.".length()));
		int from = map.getNumberOfElements();
		int to = unknown.getNumberOfElements() - rest.getNumberOfElements();
		boolean dotted = to - from > 1 && map.isAncestorOf(unknown) && rest.equals(unknown.subName(to));
		return dotted ? Optional.of(map.append("[" + unknown.chop(to).subName(from) + "]").append(rest))
				: Optional.empty();
	}

	/** The names that a parent has, or the nearest above it that has any. */
	private static String under(ConfigurationPropertyName parent, List<ConfigurationPropertyName> all) {
		String names = all.stream()
			.filter(parent::isAncestorOf)
			.map((name) -> name.chop(parent.getNumberOfElements() + 1).toString())
			.distinct()
			.collect(Collectors.joining(", "));
		return names.isEmpty() ? under(parent.getParent(), all) : names;
	}

	/** With the key of another name where it would stand in these. */
	private List<ConfigurationPropertyName> as(ConfigurationPropertyName other) {
		return this.names.stream().map((name) -> {
			int star = name.indexOf(".*.");
			if (star < 0) {
				return ConfigurationPropertyName.of(name);
			}
			ConfigurationPropertyName map = ConfigurationPropertyName.of(name.substring(0, star));
			int at = map.getNumberOfElements();
			return (at + 1 < other.getNumberOfElements())
					? map.append(other.subName(at).chop(1)).append(name.substring(star + ".*.".length())) : map;
		}).distinct().toList();
	}

	/** One that is longer, as {@code wait-for} is than {@code wait}, is as good as it. */
	private static int edits(ConfigurationPropertyName known, ConfigurationPropertyName unknown) {
		String from = unknown.toString();
		String to = known.toString();
		return from.replace("-", "").startsWith(to.replace("-", "")) ? 1 : edits(from, to);
	}

	/** How many letters have to be added, removed or replaced. */
	private static int edits(String from, String to) {
		int[] row = new int[to.length() + 1];
		for (int column = 0; column < row.length; column++) {
			row[column] = column;
		}
		for (int i = 1; i <= from.length(); i++) {
			int diagonal = row[0];
			row[0] = i;
			for (int j = 1; j < row.length; j++) {
				int replaced = diagonal + ((from.charAt(i - 1) == to.charAt(j - 1)) ? 0 : 1);
				diagonal = row[j];
				row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
			}
		}
		return row[to.length()];
	}

}
