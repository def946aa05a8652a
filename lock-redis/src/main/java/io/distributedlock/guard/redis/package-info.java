/**
 * A guard for values in Redis. It may be another Redis than that of the locks, and knows
 * no locks.
 */
@NullMarked
package io.distributedlock.guard.redis;

import org.jspecify.annotations.NullMarked;
