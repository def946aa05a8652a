/**
 * Locks as Micrometer sees them: waits and holds as observations, and so as timers and
 * spans, and what an instance counts as meters. Micrometer is optional; nothing here
 * knows the engine, Spring Boot or a tracer.
 */
@NullMarked
package io.distributedlock.observation;

import org.jspecify.annotations.NullMarked;
