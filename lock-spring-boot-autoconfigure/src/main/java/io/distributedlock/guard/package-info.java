/**
 * Guards that let a resource refuse writers whose lock has passed on to somebody else.
 * They compare fencing tokens, and know neither locks nor leases nor who holds them.
 */
@NullMarked
package io.distributedlock.guard;

import org.jspecify.annotations.NullMarked;
