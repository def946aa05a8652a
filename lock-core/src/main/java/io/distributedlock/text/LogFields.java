package io.distributedlock.text;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Fields in the MDC of SLF4J while a line of the log is written. Structured formats such
 * as ECS and Logstash show each of them.
 *
 * @since 0.1.0
 */
public final class LogFields {

	private LogFields() {
	}

	/**
	 * Write a line of the log while the fields are set. Values that they replace are
	 * restored afterwards.
	 * @param fields the fields, whose values may come from anywhere
	 * @param log writes the line
	 */
	public static void during(Map<String, String> fields, Runnable log) {
		Map<String, @Nullable String> before = new HashMap<>();
		fields.keySet().forEach((key) -> before.put(key, MDC.get(key)));
		fields.forEach((key, value) -> MDC.put(key, DisplayText.value(value).toString()));
		try {
			log.run();
		}
		finally {
			before.forEach(LogFields::restore);
		}
	}

	private static void restore(String key, @Nullable String value) {
		if (value != null) {
			MDC.put(key, value);
		}
		else {
			MDC.remove(key);
		}
	}

}
