/**
 * The annotations of guarded methods, and where they are found. Says nothing about how a
 * guarded method is run: that is the interceptor's.
 */
@NullMarked
package io.distributedlock.annotation;

import org.jspecify.annotations.NullMarked;
