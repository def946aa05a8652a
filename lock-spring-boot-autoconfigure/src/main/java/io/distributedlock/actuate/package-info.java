/**
 * Actuator endpoint and health indicator of the locks, for operators. They ask registries
 * and stores, and have no state.
 */
@NullMarked
package io.distributedlock.actuate;

import org.jspecify.annotations.NullMarked;
