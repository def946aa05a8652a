/**
 * The annotation that guards methods and what reads it. Says nothing about how a guarded
 * method is run: that is the interceptor's.
 */
@NullMarked
package io.distributedlock.annotation;

import org.jspecify.annotations.NullMarked;
