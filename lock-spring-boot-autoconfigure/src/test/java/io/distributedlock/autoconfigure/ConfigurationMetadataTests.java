package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Parameter;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.json.JsonParserFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The descriptions that an IDE shows for the properties.
 */
class ConfigurationMetadataTests {

	private static final String PROFILE = "distributed-lock.locks.";

	@Test
	void metadataWhenReadDescribesEveryPropertyOfTheClass() throws IOException {
		Map<String, Map<String, Object>> documented = metadata();
		List<String> declared = properties("distributed-lock", DistributedLockProperties.class).map(Property::name)
			.toList();
		assertThat(declared).hasSizeGreaterThan(10);
		assertThat(documented.keySet()
			.stream()
			.filter((name) -> !name.startsWith(PROFILE) && !name.startsWith("management.")))
			.containsExactlyInAnyOrderElementsOf(declared);
		assertThat(documented).allSatisfy(
				(name, entry) -> assertThat((String) entry.get("description")).as(name).isNotBlank().endsWith("."));
	}

	/** Beside the properties that Spring Boot has for every endpoint. */
	@Test
	void metadataWhenReadDescribesTheEndpoint() throws IOException {
		assertThat(metadata().keySet()).filteredOn((name) -> name.startsWith("management."))
			.containsExactlyInAnyOrder("management.endpoint.locks.access", "management.endpoint.locks.show-keys",
					"management.endpoint.locks.roles");
	}

	/** The annotation processor does not look into the values of a map. */
	@Test
	void metadataWhenReadDescribesEveryPropertyOfAProfile() throws IOException {
		try (InputStream in = DistributedLockProperties.class
			.getResourceAsStream("/META-INF/additional-spring-configuration-metadata.json")) {
			String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
			Map<String, Map<String, Object>> documented = byName(JsonParserFactory.getJsonParser().parseMap(json));
			Stream<Property> declared = properties("distributed-lock.locks.*", DistributedLockProperties.Profile.class);
			assertThat(declared).hasSameSizeAs(documented.entrySet()).allSatisfy((property) -> {
				Map<String, Object> entry = documented.get(property.name());
				assertThat(entry).as(property.name()).containsEntry("type", property.parameter().getType().getName());
				assertThat((String) entry.get("description")).endsWith(".");
			});
		}
	}

	@Test
	void metadataWhenReadShowsEveryDefault() throws IOException {
		Map<String, Map<String, Object>> documented = metadata();
		assertThat(properties("distributed-lock", DistributedLockProperties.class).filter(Property::hasDefault))
			.isNotEmpty()
			.allSatisfy((property) -> assertThat(documented.get(property.name())).as(property.name())
				.containsKey("defaultValue"));
	}

	private static Map<String, Map<String, Object>> metadata() throws IOException {
		for (URL url : Collections.list(ConfigurationMetadataTests.class.getClassLoader()
			.getResources("META-INF/spring-configuration-metadata.json"))) {
			try (InputStream in = url.openStream()) {
				String json = new String(in.readAllBytes(), StandardCharsets.UTF_8);
				if (json.contains("\"distributed-lock\"")) {
					return byName(JsonParserFactory.getJsonParser().parseMap(json));
				}
			}
		}
		throw new IllegalStateException("No metadata on the class path");
	}

	@SuppressWarnings("unchecked")
	private static Map<String, Map<String, Object>> byName(Map<String, Object> json) {
		return ((List<Map<String, Object>>) json.get("properties")).stream()
			.collect(Collectors.toMap((entry) -> (String) entry.get("name"), Function.identity()));
	}

	private static Stream<Property> properties(String prefix, Class<?> type) {
		return Stream.of(type.getDeclaredConstructors()[0].getParameters()).flatMap((parameter) -> {
			String name = prefix + "." + name(parameter);
			return parameter.getType().isRecord() ? properties(name, parameter.getType())
					: Stream.of(new Property(name, parameter));
		});
	}

	private static String name(Parameter parameter) {
		Name name = parameter.getAnnotation(Name.class);
		return (name != null) ? name.value() : dashed(parameter.getName());
	}

	private static String dashed(String name) {
		String dashed = name.replaceAll("([A-Z])", "-$1").toLowerCase(java.util.Locale.ROOT);
		return ConfigurationPropertyName.of(dashed).toString();
	}

	private record Property(String name, Parameter parameter) {

		boolean hasDefault() {
			DefaultValue value = this.parameter.getAnnotation(DefaultValue.class);
			return value != null && value.value().length > 0;
		}

	}

}
