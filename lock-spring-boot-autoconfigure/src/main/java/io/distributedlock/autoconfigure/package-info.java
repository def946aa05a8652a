/**
 * Auto-configuration: the only package that knows Spring Boot's. Nothing depends on it.
 */
@NullMarked
package io.distributedlock.autoconfigure;

import org.jspecify.annotations.NullMarked;
