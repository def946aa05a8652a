package io.distributedlock.autoconfigure;

import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/**
 * Finds the file and line, or whatever else, that a property comes from.
 */
final class PropertyOrigin {

	private PropertyOrigin() {
	}

	/**
	 * Where a property comes from, for messages.
	 * @param property the full name; an element of a list that is written as one text
	 * comes from where the list does, and a list from where its first element does
	 * @param environment where properties are
	 * @return the origin, or that it is not known
	 */
	static String of(String property, Environment environment) {
		ConfigurationPropertyName name = ConfigurationPropertyName.ofIfValid(property);
		if (name == null) {
			return "unknown";
		}
		return StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false)
			.map((source) -> find(name, source))
			.filter(Objects::nonNull)
			.findFirst()
			.map(ConfigurationProperty::getOrigin)
			.map(Object::toString)
			.orElse("unknown");
	}

	private static @Nullable ConfigurationProperty find(ConfigurationPropertyName name,
			ConfigurationPropertySource source) {
		ConfigurationPropertyName related = name.isLastElementIndexed() ? name.getParent() : name.append("[0]");
		return Stream.of(name, related)
			.map(source::getConfigurationProperty)
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

}
