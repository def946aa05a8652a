/**
 * Guards methods of beans: from the annotation of a method over its specification and the
 * request of a call to its result. Knows no store.
 */
@NullMarked
package io.distributedlock.interceptor;

import org.jspecify.annotations.NullMarked;
