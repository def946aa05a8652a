/**
 * The driver for Jedis: blocking, on threads of the store's own and on those of callers
 * that wait anyway. The only package that needs Jedis on the class path. Has neither
 * connections for replica acknowledgement nor for the nodes of Redlock.
 */
@NullMarked
package io.distributedlock.redis.internal.jedis;

import org.jspecify.annotations.NullMarked;
