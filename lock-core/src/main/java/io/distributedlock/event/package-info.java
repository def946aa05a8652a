/**
 * Events of locks: as records for listeners, as calls for an observer, and in numbers.
 * Events carry no references to live leases.
 */
@NullMarked
package io.distributedlock.event;

import org.jspecify.annotations.NullMarked;
