/**
 * Traces without a place to send them to: they are logged. An application of a user's has
 * an exporter.
 */
@NullMarked
package io.distributedlock.sample.trace;

import org.jspecify.annotations.NullMarked;
