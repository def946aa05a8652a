/**
 * Text that people read: messages, lines of the log, fields of the MDC. Nothing else of
 * the library writes to the log.
 */
@NullMarked
package io.distributedlock.text;

import org.jspecify.annotations.NullMarked;
