/**
 * The locks of this library for ShedLock, as a lock provider of its own. ShedLock decides
 * when a lock is taken and released; nothing here knows Spring.
 */
@NullMarked
package io.distributedlock.shedlock;

import org.jspecify.annotations.NullMarked;
