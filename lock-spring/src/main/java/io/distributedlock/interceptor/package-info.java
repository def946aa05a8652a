/**
 * Guards methods of beans: makes specifications of their annotations, and runs each call
 * with a request for its locks. Knows no store.
 */
@NullMarked
package io.distributedlock.interceptor;

import org.jspecify.annotations.NullMarked;
