/**
 * Support for tests of guarded methods: another instance, lost leases, an unavailable
 * store, many callers at once, and assertions. Controls the store of the
 * auto-configuration, not that of a second registry.
 */
@NullMarked
package io.distributedlock.test;

import org.jspecify.annotations.NullMarked;
