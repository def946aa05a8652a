/**
 * Turns {@code distributed-lock.*} and the beans of the application into a registry, its
 * store and the interceptor. The only package that knows auto-configuration; nothing
 * depends on it.
 */
@NullMarked
package io.distributedlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
