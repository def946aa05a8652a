/**
 * Text that people read: messages, lines of the log, fields of the MDC. Only this package
 * of the library writes to the log.
 */
@NullMarked
package io.distributedlock.text;

import org.jspecify.annotations.NullMarked;
