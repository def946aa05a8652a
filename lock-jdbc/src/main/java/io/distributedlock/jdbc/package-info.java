/**
 * Locks in a table of PostgreSQL, beside the data that they protect. It never uses a
 * connection of a caller: its statements commit by themselves.
 */
@NullMarked
package io.distributedlock.jdbc;

import org.jspecify.annotations.NullMarked;
