/**
 * Guards woven classes: calls from within the same object, private methods, and objects
 * that are not beans. Does nothing of its own beyond handing the call to the interceptor.
 */
@NullMarked
package io.distributedlock.aspectj;

import org.jspecify.annotations.NullMarked;
