/**
 * The API that an application imports to lock: the registry, the lock, the lease, the
 * request, the template and the exceptions. No type here talks to a store or knows how a
 * store keeps a lock.
 */
@NullMarked
package io.distributedlock;

import org.jspecify.annotations.NullMarked;
