/**
 * Types for the guards of any resource, which refuse a writer whose lock has a newer
 * holder. They compare fencing tokens and know no locks.
 */
@NullMarked
package io.distributedlock.guard;

import org.jspecify.annotations.NullMarked;
