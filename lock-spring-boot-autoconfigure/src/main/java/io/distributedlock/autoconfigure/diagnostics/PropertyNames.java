package io.distributedlock.autoconfigure.diagnostics;

import java.lang.reflect.Parameter;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.bind.Name;

/** The names of the properties that a record is bound to. */
final class PropertyNames {

	/** Stands for the key of a map. */
	private static final String ANY = "*";

	private final List<Candidate> all = new ArrayList<>();

	/**
	 * Read the names.
	 * @param type the record
	 * @param prefix comes before each of its names
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
	 * Find the property that an unknown one is likely to be meant for.
	 * @param unknown the full name of an unknown property
	 * @return the name, or empty if the property is known
	 */
	Optional<String> nearest(String unknown) {
		return this.all.stream()
			.map((candidate) -> candidate.of(unknown))
			.min(Comparator.<Candidate>comparingInt((candidate) -> candidate.cost(unknown))
				.thenComparingInt((candidate) -> candidate.distance(unknown)))
			.map(Candidate::name)
			.filter((name) -> !name.equals(unknown));
	}

	/**
	 * A name that a property has.
	 *
	 * @param inCode as annotations and requests call it
	 * @param name as configurations call it
	 */
	private record Candidate(String inCode, String name) {

		/** With the keys of maps that another name has at the same place. */
		Candidate of(String other) {
			String[] elements = other.split("\\.");
			return new Candidate(fill(this.inCode, elements), fill(this.name, elements));
		}

		private static String fill(String pattern, String[] elements) {
			String[] own = pattern.split("\\.");
			for (int i = 0; i < Math.min(own.length, elements.length); i++) {
				own[i] = own[i].equals(ANY) ? elements[i] : own[i];
			}
			return String.join(".", own);
		}

		/** A name that is left out in part, such as timeout, is as near as one letter. */
		int cost(String other) {
			return isPart(other, this.name) || isPart(this.name, other) ? Math.min(1, distance(other))
					: distance(other);
		}

		private static boolean isPart(String part, String whole) {
			int partStart = part.lastIndexOf('.') + 1;
			int wholeStart = whole.lastIndexOf('.') + 1;
			return part.substring(0, partStart).equals(whole.substring(0, wholeStart))
					&& whole.substring(wholeStart).contains(part.substring(partStart));
		}

		int distance(String other) {
			return Math.min(distance(this.inCode, other), distance(this.name, other));
		}

		/** How many letters have to be added, removed or changed (Levenshtein, 1965). */
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

}
