/**
 * Locks around reactive sequences: waited for, kept and released without blocking a
 * thread. Needs Reactor, which is optional; nothing here knows Spring Boot.
 */
@NullMarked
package io.distributedlock.reactive;

import org.jspecify.annotations.NullMarked;
