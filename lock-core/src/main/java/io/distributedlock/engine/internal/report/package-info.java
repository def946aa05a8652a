/**
 * Events, log lines and recent losses: all that is said about locks to listeners and
 * people.
 */
@NullMarked
package io.distributedlock.engine.internal.report;

import org.jspecify.annotations.NullMarked;
