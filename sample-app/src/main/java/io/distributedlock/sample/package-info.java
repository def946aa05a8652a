/**
 * The flash sale: the start of the application. What it shows is in the packages below.
 */
@NullMarked
package io.distributedlock.sample;

import org.jspecify.annotations.NullMarked;
