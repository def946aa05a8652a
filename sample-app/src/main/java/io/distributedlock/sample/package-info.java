/**
 * The flash sale: the start of the application. Its parts are in the packages below.
 */
@NullMarked
package io.distributedlock.sample;

import org.jspecify.annotations.NullMarked;
