/**
 * Renewals and extends of held locks, in batches for each node.
 */
@NullMarked
package io.distributedlock.engine.internal.renewal;

import org.jspecify.annotations.NullMarked;
