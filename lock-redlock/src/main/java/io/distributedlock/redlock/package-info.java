/**
 * Locks on a majority of independent nodes, each of which is a store of any kind. They
 * are safe only while clocks run alike and no node forgets.
 */
@NullMarked
package io.distributedlock.redlock;

import org.jspecify.annotations.NullMarked;
