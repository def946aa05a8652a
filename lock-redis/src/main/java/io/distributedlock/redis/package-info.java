/**
 * The lock store on Redis: its scripts, the choice of a driver, and the wake-up channel.
 * Keeps no timers for locks; a driver may repeat a command, since every script allows it.
 */
@NullMarked
package io.distributedlock.redis;

import org.jspecify.annotations.NullMarked;
