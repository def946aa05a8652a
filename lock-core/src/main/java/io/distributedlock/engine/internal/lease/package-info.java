/**
 * A lock that this instance has or is going to have, from the request to the release: the
 * {@link io.distributedlock.engine.internal.lease.Grant}, the holds of its owner, and the
 * command that ends it. Nothing here knows who waits.
 */
@NullMarked
package io.distributedlock.engine.internal.lease;

import org.jspecify.annotations.NullMarked;
