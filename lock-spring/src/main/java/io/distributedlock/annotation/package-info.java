/**
 * The annotations of guarded methods, and the search for them. The calls of guarded
 * methods belong to the interceptor package.
 */
@NullMarked
package io.distributedlock.annotation;

import org.jspecify.annotations.NullMarked;
