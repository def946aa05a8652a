package io.distributedlock.autoconfigure;

import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * The properties that exist beside one that does not.
 */
final class PropertyNames {

	private final String prefix;

	private final String unknown;

	private final List<String> known;

	private final String rest;

	private PropertyNames(ConfigurationPropertyName name, int unknown, List<String> known) {
		this.prefix = name.chop(unknown) + ".";
		this.unknown = name.getElement(unknown, Form.DASHED);
		this.known = known;
		String rest = name.subName(unknown + 1).toString();
		this.rest = rest.isEmpty() ? "" : "." + rest;
	}

	/**
	 * Follow a name as far as it is known.
	 * @param name the full name of a property that does not exist
	 * @return what there is in the place of its first unknown element
	 */
	static PropertyNames beside(ConfigurationPropertyName name) {
		Class<?> type = DistributedLockProperties.class;
		int at = 1;
		Class<?> next = typeOf(type, name.getElement(at, Form.UNIFORM));
		while (next != null && (next.isRecord() || next == Map.class)) {
			int step = (next == Map.class) ? 2 : 1;
			if (at + step >= name.getNumberOfElements()) {
				break;
			}
			at += step;
			type = (step == 2) ? DistributedLockProperties.Profile.class : next;
			next = typeOf(type, name.getElement(at, Form.UNIFORM));
		}
		return new PropertyNames(name, at, names(type));
	}

	private static @Nullable Class<?> typeOf(Class<?> type, String element) {
		List<String> names = names(type);
		for (int i = 0; i < names.size(); i++) {
			if (names.get(i).replace("-", "").equals(element)) {
				return type.getRecordComponents()[i].getType();
			}
		}
		return null;
	}

	private static List<String> names(Class<?> type) {
		List<String> names = new ArrayList<>();
		if (type.isRecord()) {
			Parameter[] parameters = type.getDeclaredConstructors()[0].getParameters();
			RecordComponent[] components = type.getRecordComponents();
			for (int i = 0; i < components.length; i++) {
				Name name = parameters[i].getAnnotation(Name.class);
				names.add((name != null) ? name.value() : dashed(components[i].getName()));
			}
		}
		return names;
	}

	private static String dashed(String name) {
		StringBuilder dashed = new StringBuilder();
		name.chars()
			.forEach((c) -> dashed.append(Character.isUpperCase(c) ? "-" : "").append((char) Character.toLowerCase(c)));
		return dashed.toString();
	}

	/** Whether the name is one of them. */
	boolean exists() {
		return this.rest.isEmpty() && this.known.contains(this.unknown);
	}

	List<String> all() {
		return this.known.stream().map((name) -> this.prefix + name).toList();
	}

	/** The full name of what is probably meant. */
	@Nullable String nearest() {
		String best = null;
		int fewest = SimilarNames.MOST_EDITS + 1;
		for (String name : this.known) {
			int edits = isLonger(name) ? 1 : SimilarNames.edits(this.unknown, name);
			if (edits < fewest) {
				fewest = edits;
				best = this.prefix + name + (name.equals(this.unknown) ? "" : this.rest);
			}
		}
		return best;
	}

	/** As {@code wait-for} is than {@code wait}, which the annotation calls that. */
	private boolean isLonger(String name) {
		return !this.unknown.equals(name) && this.unknown.replace("-", "").startsWith(name.replace("-", ""));
	}

}
