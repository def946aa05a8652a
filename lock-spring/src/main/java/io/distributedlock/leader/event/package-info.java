/**
 * Leaderships as events of a Spring application context. Knows elections and no locks.
 */
@NullMarked
package io.distributedlock.leader.event;

import org.jspecify.annotations.NullMarked;
