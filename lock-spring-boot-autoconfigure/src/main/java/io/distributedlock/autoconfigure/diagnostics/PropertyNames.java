package io.distributedlock.autoconfigure.diagnostics;

import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/** The names of the properties that a record is bound to. */
final class PropertyNames {

	/** Stands for the key of a map. */
	private static final String ANY = "*";

	/** A key that needs no brackets. */
	private static final Pattern PLAIN = Pattern.compile("[a-z0-9-]+");

	private final List<Candidate> all = new ArrayList<>();

	/**
	 * Read the names.
	 * @param type the record
	 * @param prefix the prefix of all names
	 */
	PropertyNames(Class<?> type, String prefix) {
		addAll(type, prefix);
	}

	private void addAll(Class<?> type, String prefix) {
		for (Parameter parameter : type.getDeclaredConstructors()[0].getParameters()) {
			String component = DataObjectPropertyName.toDashedForm(parameter.getName());
			Name name = parameter.getAnnotation(Name.class);
			add(parameter, prefix + "." + component, prefix + "." + ((name != null) ? name.value() : component));
		}
	}

	private void add(Parameter parameter, String inCode, String name) {
		if (parameter.getType().isRecord()) {
			addAll(parameter.getType(), name);
		}
		else if (parameter.getType() == Map.class) {
			Type value = ((ParameterizedType) parameter.getParameterizedType()).getActualTypeArguments()[1];
			addAll((Class<?>) value, name + "." + ANY);
		}
		else {
			this.all.add(new Candidate(inCode, name));
		}
	}

	/**
	 * Find the property that is nearest to an unknown one.
	 * @param unknown the full name of an unknown property
	 * @return the name, or empty if the property is known
	 */
	Optional<String> nearest(ConfigurationPropertyName unknown) {
		List<String> elements = IntStream.range(0, unknown.getNumberOfElements())
			.mapToObj((i) -> unknown.getElement(i, Form.ORIGINAL))
			.toList();
		return this.all.stream()
			.map((candidate) -> candidate.match(elements))
			.min(Comparator.comparingInt(Match::cost).thenComparingInt(Match::distance))
			.map(Match::name)
			.filter((name) -> !ConfigurationPropertyName.of(name).equals(unknown));
	}

	/**
	 * A known property.
	 *
	 * @param inCode its name in annotations and requests
	 * @param name its name in configurations
	 */
	private record Candidate(String inCode, String name) {

		/**
		 * Compare with an unknown name. The key of a map may have dots, so it gets all
		 * surplus elements.
		 */
		Match match(List<String> elements) {
			List<String> own = List.of(this.name.split("\\."));
			int any = own.indexOf(ANY);
			if (any < 0 || elements.size() < own.size()) {
				return match(this.name, String.join(".", elements));
			}
			int end = elements.size() - (own.size() - any - 1);
			String key = String.join(".", elements.subList(any, end));
			List<String> other = new ArrayList<>(elements.subList(0, any));
			other.add(ANY);
			other.addAll(elements.subList(end, elements.size()));
			String written = PLAIN.matcher(key).matches() ? "." + key : "[" + key + "]";
			return match(this.name.replace("." + ANY, written), String.join(".", other));
		}

		private Match match(String filled, String other) {
			int distance = Math.min(distance(this.inCode, other), distance(this.name, other));
			boolean part = isPart(other, this.name) || isPart(this.name, other) || other.startsWith(this.name + ".")
					|| isFurtherUp(this.name, other);
			return new Match(filled, part ? Math.min(1, distance) : distance, distance);
		}

		private static boolean isPart(String part, String whole) {
			int partStart = part.lastIndexOf('.') + 1;
			int wholeStart = whole.lastIndexOf('.') + 1;
			return part.substring(0, partStart).equals(whole.substring(0, wholeStart))
					&& whole.substring(wholeStart).contains(part.substring(partStart));
		}

		/**
		 * Return whether a global setting was written in a section, such as that of one
		 * lock.
		 */
		private static boolean isFurtherUp(String name, String other) {
			int start = name.lastIndexOf('.');
			return other.startsWith(name.substring(0, start + 1)) && other.endsWith(name.substring(start));
		}

		/** Return the number of letters to add, remove or change (Levenshtein, 1965). */
		private static int distance(String from, String to) {
			int[] before = new int[to.length() + 1];
			for (int j = 0; j <= to.length(); j++) {
				before[j] = j;
			}
			for (int i = 1; i <= from.length(); i++) {
				int[] now = new int[to.length() + 1];
				now[0] = i;
				for (int j = 1; j <= to.length(); j++) {
					int changed = before[j - 1] + ((from.charAt(i - 1) == to.charAt(j - 1)) ? 0 : 1);
					now[j] = Math.min(changed, 1 + Math.min(before[j], now[j - 1]));
				}
				before = now;
			}
			return before[to.length()];
		}

	}

	/**
	 * A known name compared with an unknown one.
	 *
	 * @param name the name, with the keys of the unknown one
	 * @param cost the distance, but at most 1 for a part of a name such as timeout, for a
	 * name below this one, and for a global setting in a section
	 * @param distance the distance in letters
	 */
	private record Match(String name, int cost, int distance) {
	}

}
