/**
 * Expressions of guarded methods: parsed and checked for names at the start, evaluated
 * for each call, and turned into keys. Knows neither declarations nor locks. Internal,
 * but for {@link io.distributedlock.interceptor.expression.LockCallRoot}, which
 * expressions read.
 */
@NullMarked
package io.distributedlock.interceptor.expression;

import org.jspecify.annotations.NullMarked;
