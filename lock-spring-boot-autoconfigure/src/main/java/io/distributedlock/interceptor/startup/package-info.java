/**
 * Checks and messages at the start of an application that need all guarded methods, or
 * the finished bean. Nothing here takes part in a call.
 */
@NullMarked
package io.distributedlock.interceptor.startup;

import org.jspecify.annotations.NullMarked;
