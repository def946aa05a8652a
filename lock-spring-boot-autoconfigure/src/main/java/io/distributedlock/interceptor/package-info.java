/**
 * Guards methods of beans: from the specification of a method over the request of a call
 * to its result. Knows neither the annotation nor any store.
 */
@NullMarked
package io.distributedlock.interceptor;

import org.jspecify.annotations.NullMarked;
