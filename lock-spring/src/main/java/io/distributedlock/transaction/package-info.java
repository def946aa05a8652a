/**
 * Locks that outlive the transactions of Spring, and transactions that roll back when a
 * lock is lost. Reactive transactions are in the {@code reactive} package.
 */
@NullMarked
package io.distributedlock.transaction;

import org.jspecify.annotations.NullMarked;
