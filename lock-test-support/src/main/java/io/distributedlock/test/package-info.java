/**
 * For tests of methods that are guarded by locks: another instance, lost leases, a store
 * that cannot be reached, and assertions. Controls the store of the auto-configuration,
 * not that of a second registry.
 */
@NullMarked
package io.distributedlock.test;

import org.jspecify.annotations.NullMarked;
