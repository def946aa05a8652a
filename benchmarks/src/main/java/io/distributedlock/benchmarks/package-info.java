/**
 * What locks and their interception cost. Nothing here is published or asserted.
 */
@NullMarked
package io.distributedlock.benchmarks;

import org.jspecify.annotations.NullMarked;
