/**
 * Locks on a majority of independent nodes, each of which is a store of its own. Knows
 * nothing of what the nodes are, and cannot promise more than clocks that run alike and
 * nodes that do not forget allow.
 */
@NullMarked
package io.distributedlock.redlock;

import org.jspecify.annotations.NullMarked;
