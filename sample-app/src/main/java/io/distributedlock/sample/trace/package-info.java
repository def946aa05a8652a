/**
 * Logs traces instead of sending them. A real application has an exporter.
 */
@NullMarked
package io.distributedlock.sample.trace;

import org.jspecify.annotations.NullMarked;
