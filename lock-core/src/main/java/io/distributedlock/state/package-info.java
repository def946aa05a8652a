/**
 * The rules of all lock modes, without clock, thread or I/O: a command and the time go
 * in, an outcome and wake-ups come out. The scripts of the Redis store do the same and
 * are tested against these rules.
 * {@link io.distributedlock.state.CompareAndSwapLockStore} makes a store of them for a
 * back end that can read a text and replace it.
 */
@NullMarked
package io.distributedlock.state;

import org.jspecify.annotations.NullMarked;
