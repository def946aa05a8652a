/**
 * What operators see of locks and may do about them: an actuator endpoint and a health
 * indicator. Asks registries and stores, and keeps nothing itself.
 */
@NullMarked
package io.distributedlock.actuate;

import org.jspecify.annotations.NullMarked;
