/**
 * What happens to locks, as records for listeners. Events carry no references to live
 * leases.
 */
@NullMarked
package io.distributedlock.event;

import org.jspecify.annotations.NullMarked;
