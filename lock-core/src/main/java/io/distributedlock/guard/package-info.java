/**
 * Refusals of writers whose lock has a newer holder, for guards of any resource. They
 * compare fencing tokens and know no locks.
 */
@NullMarked
package io.distributedlock.guard;

import org.jspecify.annotations.NullMarked;
