/**
 * Statements, connections and messages of the locks in PostgreSQL. Not a public API.
 */
@NullMarked
package io.distributedlock.jdbc.internal;

import org.jspecify.annotations.NullMarked;
