/**
 * The driver for Jedis: blocking, on threads of the store's own and on those of callers
 * that wait anyway. The only package that needs Jedis on the class path. Supports neither
 * replica acknowledgement nor the nodes of Redlock.
 */
@NullMarked
package io.distributedlock.redis.internal.jedis;

import org.jspecify.annotations.NullMarked;
