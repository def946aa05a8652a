/**
 * A guard for rows in a database, in the transaction that writes them. It knows no locks.
 */
@NullMarked
package io.distributedlock.guard.sql;

import org.jspecify.annotations.NullMarked;
