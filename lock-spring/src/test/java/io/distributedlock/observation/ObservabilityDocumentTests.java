package io.distributedlock.observation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.Documents;
import io.distributedlock.observation.LockMeter.Tag;
import io.distributedlock.observation.LockObservation.HighCardinality;
import io.distributedlock.observation.LockObservation.LowCardinality;
import io.micrometer.common.docs.KeyName;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The tables of the document are made of the enums. */
class ObservabilityDocumentTests {

	private static final Path PAGE = Documents.file("observability.md");

	private static String observations() {
		return "| observation | what it is |\n|---|---|\n"
				+ rows(Stream.of(LockObservation.values()), (it) -> it.getName(), LockObservation::getDescription)
				+ "\n\n| key | of | says |\n|---|---|---|\n"
				+ rows(Stream.of(LowCardinality.values()), (it) -> it.asString(),
						(it) -> "timers and spans | " + it.getDescription())
				+ "\n" + rows(Stream.of(HighCardinality.values()), (it) -> it.asString(),
						(it) -> "spans | " + it.getDescription());
	}

	private static String meters() {
		return "| meter | kind | tags | what it is |\n|---|---|---|---|\n"
				+ rows(Stream.of(LockMeter.values()), (it) -> it.getName(), ObservabilityDocumentTests::meter)
				+ "\n\n| tag | says |\n|---|---|\n"
				+ rows(Stream.of(Tag.values()), (it) -> it.asString(), Tag::getDescription);
	}

	private static String meter(LockMeter meter) {
		String unit = (meter.getBaseUnit() != null) ? ", " + meter.getBaseUnit() : "";
		String tags = Stream.of(meter.getKeyNames())
			.map(KeyName::asString)
			.map((tag) -> "`" + tag + "`")
			.collect(Collectors.joining(", "));
		return meter.getType().name().toLowerCase(Locale.ROOT) + unit + " | " + tags + " | " + meter.getDescription();
	}

	private static <T> String rows(Stream<T> all, Function<T, String> name, Function<T, String> rest) {
		return all.map((it) -> "| `" + name.apply(it) + "` | " + rest.apply(it) + " |")
			.collect(Collectors.joining("\n"));
	}

	@Test
	void tablesAreThoseOfTheEnums() throws IOException {
		String page = Files.readString(PAGE);
		assertThat(page).as("Put this into %s:%n%s%n", PAGE, observations()).contains("\n" + observations() + "\n");
		assertThat(page).as("Put this into %s:%n%s%n", PAGE, meters()).contains("\n" + meters() + "\n");
	}

}
