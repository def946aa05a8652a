/**
 * Recipes of OpenRewrite that move an application from other lock libraries to this one.
 * They change Java sources only, not Kotlin, Groovy or build files, and run in a build,
 * never in an application.
 */
@NullMarked
package io.distributedlock.migration;

import org.jspecify.annotations.NullMarked;
