/**
 * The lock store on Redis: its scripts, which driver runs them, and the wake-up channel.
 * One hash per lock; keeps no timers and retries no command that may have been applied.
 */
@NullMarked
package io.distributedlock.redis;

import org.jspecify.annotations.NullMarked;
