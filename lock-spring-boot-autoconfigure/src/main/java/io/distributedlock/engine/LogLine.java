package io.distributedlock.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

import org.springframework.util.ClassUtils;

/**
 * A line of the log about a lock. Where there is SLF4J, its fields are in the MDC while
 * it is written, so that structured formats such as ECS and Logstash have them one by
 * one.
 *
 * @param name the name of the lock, maybe empty
 * @param token the fencing token
 * @param cause why
 * @param text the text, made when it is needed
 */
record LogLine(String name, long token, String cause, Supplier<String> text) {

	private static final boolean SLF4J = ClassUtils.isPresent("org.slf4j.MDC", LogLine.class.getClassLoader());

	static LogLine of(Grant grant, String cause, Supplier<String> text) {
		LockKey first = grant.keys().get(0);
		return new LogLine(first.name(), grant.token(), cause, text);
	}

	/** Write something while the fields of this line are there. */
	void write(Runnable log) {
		if (SLF4J) {
			Fields.during(
					Map.of("lock.name", this.name, "lock.token", String.valueOf(this.token), "lock.cause", this.cause),
					log);
		}
		else {
			log.run();
		}
	}

	/** Apart, since SLF4J may be missing. */
	private static final class Fields {

		static void during(Map<String, String> fields, Runnable log) {
			Map<String, @Nullable String> before = new HashMap<>();
			fields.keySet().forEach((key) -> before.put(key, MDC.get(key)));
			fields.forEach(MDC::put);
			try {
				log.run();
			}
			finally {
				before.forEach((key, value) -> {
					if (value != null) {
						MDC.put(key, value);
					}
					else {
						MDC.remove(key);
					}
				});
			}
		}

	}

}
