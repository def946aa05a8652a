/**
 * Order numbers that are unique across instances and restarts. Not part of the lock
 * library; it shows another use of Redis' clock.
 */
@NullMarked
package io.distributedlock.sample.id;

import org.jspecify.annotations.NullMarked;
