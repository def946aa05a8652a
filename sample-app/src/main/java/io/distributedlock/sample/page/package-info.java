/**
 * The page: shows the sale in a browser while it runs, and causes faults in its
 * instances, as they happen in production. For the machine of a developer, without a
 * login.
 */
@NullMarked
package io.distributedlock.sample.page;

import org.jspecify.annotations.NullMarked;
