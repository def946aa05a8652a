/**
 * Locks in the memory of one process, with the same promises as the other stores: for
 * tests and for applications of a single process. Nothing is shared with other processes.
 */
@NullMarked
package io.distributedlock.memory;

import org.jspecify.annotations.NullMarked;
