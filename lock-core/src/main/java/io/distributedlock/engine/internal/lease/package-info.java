/**
 * A lock that this instance has or is going to have, from the request to the release: the
 * {@link io.distributedlock.engine.internal.lease.Grant}, the holds of its owner, and the
 * command that ends it. Nothing here knows who waits.
 * <p>
 * A grant is what the store gave to this instance. A hold is the entry of one holder into
 * it; a re-entrant owner has several. A lease is what the holder sees of a hold. A mark
 * tells the store renewals of one request apart, and a place is a number by which it
 * tells apart requests of one instance that run at a time. A grant is in doubt after a
 * clock jump, until the store has confirmed it.
 */
@NullMarked
package io.distributedlock.engine.internal.lease;

import org.jspecify.annotations.NullMarked;
