/**
 * Waits and holds of locks as Micrometer observations, which become timers and spans, and
 * the counts of an instance as meters. Micrometer is optional; nothing here knows the
 * engine, Spring Boot or a tracer.
 */
@NullMarked
package io.distributedlock.observation;

import org.jspecify.annotations.NullMarked;
