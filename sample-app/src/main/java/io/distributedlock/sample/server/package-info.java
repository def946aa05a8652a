/**
 * The Redis and the database that the main process starts if none is configured. A
 * convenience for development: a real application has its own.
 */
@NullMarked
package io.distributedlock.sample.server;

import org.jspecify.annotations.NullMarked;
