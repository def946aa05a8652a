/**
 * Actuator endpoint and health of the locks, and the leaders of elections, for operators.
 * They ask registries, stores and elections, and have no state.
 */
@NullMarked
package io.distributedlock.actuate;

import org.jspecify.annotations.NullMarked;
