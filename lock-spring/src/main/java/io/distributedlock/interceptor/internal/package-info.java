/**
 * Expressions of guarded methods: parsed and checked for names at the start, evaluated
 * for each call, and turned into keys. Knows neither declarations nor locks. No part of
 * the API, though expressions read the properties of a
 * {@link io.distributedlock.interceptor.internal.LockCallRoot}.
 */
@NullMarked
package io.distributedlock.interceptor.internal;

import org.jspecify.annotations.NullMarked;
