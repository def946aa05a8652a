/**
 * The Redis and the database that the main process brings up where none is configured.
 * Development conveniences: an application of a user's has its own.
 */
@NullMarked
package io.distributedlock.sample.server;

import org.jspecify.annotations.NullMarked;
