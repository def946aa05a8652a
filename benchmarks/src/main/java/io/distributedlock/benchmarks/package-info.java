/**
 * Benchmarks of locks and of their interception. Nothing here is published or asserted.
 */
@NullMarked
package io.distributedlock.benchmarks;

import org.jspecify.annotations.NullMarked;
