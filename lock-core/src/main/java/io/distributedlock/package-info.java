/**
 * What an application imports to lock: the registry, the lock, the lease, the request,
 * the template and the exceptions. Nothing here talks to a store or knows how a lock is
 * kept.
 */
@NullMarked
package io.distributedlock;

import org.jspecify.annotations.NullMarked;
